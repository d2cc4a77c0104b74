import { createHash } from 'node:crypto';
import { err, ok, type Result } from '@form-relay/base/result';
import type { ArchiveDocument, ArchivedFile } from '@form-relay/more-outputs/archive_layout';
import { type Archive, documentPath, type Entry } from './archive.ts';

/** Decrypts sealed bytes, or returns a text that explains why it cannot. */
export type Unseal = (sealed: Uint8Array) => Promise<Result<Uint8Array, string>>;

/** The private keys in a file of age-keygen or `relay key new`, or a text that explains why there are none. */
export async function readIdentities(text: string): Promise<Result<readonly string[], string>> {
  if (/^(age-encryption\.org\/|-----BEGIN AGE)/.test(text))
    return err('the key file is encrypted with a passphrase; decrypt it first: age -d FILE > key.txt');
  const { identityToRecipient } = await import('age-encryption');
  const keys: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    // Bech32 is all upper or all lower case (BIP 173).
    const key = line.trim().toUpperCase();
    if (key === '' || key.startsWith('#')) continue;
    const at = `line ${index + 1}`;
    if (key.startsWith('AGE1'))
      return err(`${at} holds a public key, which cannot decrypt anything; ${needed}`);
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

/** @param keys The result of `readIdentities`. */
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

/** An archive and the function that decrypts its entries. */
export interface Reading {
  readonly archive: Archive;
  /** If `undefined`, sealed submissions cannot be read. */
  readonly unseal: Unseal | undefined;
}

/** The relay's own documents take a few hundred KB at most, and many are read at once. */
const mostDocumentBytes = 16 * 1_048_576;
/** More than any relay accepts in one upload. */
const mostFileBytes = 1_024 * 1_048_576;

/** Reads an entry's document, or returns a text that explains why it cannot be read. */
export async function readEntry(reading: Reading, entry: Entry): Promise<Result<ArchiveDocument, string>> {
  const bytes = await readOpen(reading, documentPath(entry), entry.isSealed, mostDocumentBytes);
  return bytes.ok ? readDocument(bytes.value) : bytes;
}

/** The bytes of an entry's file, as the visitor sent them, or a text that explains why they cannot be read. */
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
  if (isSealed && !unseal) return err('is sealed; add --identity and the file with the private key');
  const bytes = await archive.read(path, mostBytes);
  return bytes.ok && isSealed && unseal ? unseal(bytes.value) : bytes;
}

/** Parses a document of an archive, or returns a text that explains why it is invalid. Keeps unknown keys. */
export function readDocument(bytes: Uint8Array): Result<ArchiveDocument, string> {
  let document: ArchiveDocument;
  try {
    document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return err('is not JSON');
  }
  const raw: unknown = document;
  if (!isObject(raw)) return err('is not a document of an archive');
  const { version } = raw;
  if (version !== 1) {
    return err(
      Number.isInteger(version)
        ? `has version ${version}, which needs a newer relay`
        : 'is not a document of an archive',
    );
  }
  const wrong = keys.find(([name, isRight]) => !isRight(raw[name]));
  return wrong ? err(`is malformed: \`${wrong[0]}\``) : ok(document);
}

/** A document as JSON that is safe in a terminal, or a text that explains why it cannot be written. */
export function writeDocument(document: object, indent?: number): Result<string, string> {
  try {
    return ok(JSON.stringify(document, undefined, indent).replaceAll(restless, escaped));
  } catch (error) {
    // Unknown keys may nest deeper than JSON.stringify can write.
    if (!(error instanceof RangeError)) throw error;
    return err('is nested too deeply');
  }
}

/** Characters that JSON does not escape: some controls, direction marks, and Unicode's line breaks. */
const restless = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

type Check = (value: unknown) => boolean;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText: Check = (value) => typeof value === 'string';
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const has =
  (parts: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(parts).every(([name, check]) => check(value[name]));

const isOptional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const isNumber: Check = (value) => typeof value === 'number';

const keys: readonly (readonly [name: string, isRight: Check])[] = [
  ['id', isText],
  ['form', isText],
  ['received_at', (value) => isText(value) && !Number.isNaN(Date.parse(value as string))],
  ['page', isOptional(has({ url: isText, title: isText }))],
  ['dropped', isOptional(has({ by: isText, reason: isText }))],
  [
    'doubt',
    isOptional(
      has({
        score: isNumber,
        action: isOptional(isText),
        signals: (all) => isObject(all) && Object.values(all).every(isNumber),
      }),
    ),
  ],
  [
    'fields',
    isListOf(
      has({
        name: isText,
        label: isText,
        values: isListOf(isText),
        in_words: isOptional(isListOf(isText)),
      }),
    ),
  ],
  [
    'files',
    isListOf(
      has({
        field: isText,
        name: isText,
        type: isText,
        size: (size) => Number.isInteger(size) && (size as number) >= 0,
        sha256: isText,
        path: isText,
      }),
    ),
  ],
];
