import { createHash } from 'node:crypto';
import { err, ok, type Result } from '@form-relay/base/result';
import type { ArchiveDocument, ArchivedFile } from '@form-relay/more-outputs/archive_layout';
import { type Archive, documentPath, type Entry } from './archive.ts';
import { readDocument } from './document.ts';

/** Opens what is sealed, or says in words why it stays shut. */
export type Unseal = (sealed: Uint8Array) => Promise<Result<Uint8Array, string>>;

/** The private keys in a file as age-keygen and `relay key new` write it, or in words why there are none. */
export async function readIdentities(text: string): Promise<Result<readonly string[], string>> {
  if (/^(age-encryption\.org\/|-----BEGIN AGE)/.test(text))
    return err('the key file is encrypted with a passphrase; decrypt it first: age -d FILE > key.txt');
  const { identityToRecipient } = await import('age-encryption');
  const keys: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    // Bech32 is written in one case or the other (BIP 173).
    const key = line.trim().toUpperCase();
    if (key === '' || key.startsWith('#')) continue;
    const at = `line ${index + 1}`;
    if (key.startsWith('AGE1')) return err(`${at} holds a public key, which opens nothing; ${needed}`);
    if (!key.startsWith('AGE-SECRET-KEY-')) return err(`${at} holds no private key; ${needed}`);
    try {
      await identityToRecipient(key);
    } catch {
      return err(`the private key on ${at} is malformed or incomplete`);
    }
    keys.push(key);
  }
  return keys.length > 0 ? ok(keys) : err(`the file holds no private key; ${needed}`);
}

const needed = 'a private key starts with AGE-SECRET-KEY-1';

/** @param keys As `readIdentities` gives them. */
export async function unsealWith(keys: readonly string[]): Promise<Unseal> {
  const { Decrypter } = await import('age-encryption');
  const age = new Decrypter();
  for (const key of keys) age.addIdentity(key);
  return async (sealed) => {
    try {
      return ok(await age.decrypt(sealed));
    } catch (error) {
      return err(whyShut(error));
    }
  };
}

/** The age library states the reason only in its message. */
const whyShut = (error: unknown) =>
  error instanceof Error && error.message.includes('no identity matched')
    ? 'is sealed with another key'
    : 'is damaged: its content was altered';

/** An archive, and the keys to open it with. */
export interface Reading {
  readonly archive: Archive;
  /** `undefined`: what is sealed stays shut. */
  readonly unseal: Unseal | undefined;
}

/** A relay's own are a few hundred KB at most; many are read at once. */
const mostDocumentBytes = 16 * 1_048_576;
/** More than any relay takes at once. */
const mostFileBytes = 1_024 * 1_048_576;

/** Reads an entry's document, or says in words why that is impossible. */
export async function readEntry(reading: Reading, entry: Entry): Promise<Result<ArchiveDocument, string>> {
  const bytes = await readOpen(reading, documentPath(entry), entry.isSealed, mostDocumentBytes);
  return bytes.ok ? readDocument(bytes.value) : bytes;
}

/** The bytes of a file of an entry, as its visitor sent them, or in words why they cannot be had. */
export async function readFile(
  reading: Reading,
  entry: Entry,
  { path, sha256 }: ArchivedFile,
  mostBytes = mostFileBytes,
): Promise<Result<Uint8Array, string>> {
  const [folder, name = '', ...deeper] = path.split('/');
  // A forged document could name any file of this machine.
  const isOwn = folder === stemOf(entry) && /^[1-9]/.test(name) && deeper.length === 0;
  if (!isOwn) return err(foreignFile);
  const bytes = await readOpen(reading, `${entry.folder}/${path}`, entry.isSealed, mostBytes);
  if (!bytes.ok || createHash('sha256').update(bytes.value).digest('hex') === sha256) return bytes;
  return err('was changed: the SHA-256 differs');
}

export const foreignFile = 'is not a file of this submission';

const stemOf = ({ document }: Entry) => document.replace(/\.json(\.age)?$/, '');

async function readOpen(
  { archive, unseal }: Reading,
  path: string,
  isSealed: boolean,
  mostBytes: number,
): Promise<Result<Uint8Array, string>> {
  if (isSealed && !unseal) return err('is sealed; give the file with the private key with --identity');
  const bytes = await archive.read(path, mostBytes);
  return bytes.ok && isSealed && unseal ? unseal(bytes.value) : bytes;
}
