import { createHash } from 'node:crypto';
import { err, type Result } from '@form-relay/base/result';
import type { ArchiveDocument, ArchivedFile } from '@form-relay/more-outputs/archive_layout';
import { type Archive, documentPath, type Entry } from './archive.ts';
import { readDocument } from './document.ts';
import type { Unseal } from './identities.ts';

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
  return err('is not as it was written: its SHA-256 is another');
}

export const foreignFile = 'is no file of this submission';

const stemOf = ({ document }: Entry) => document.replace(/\.json(\.age)?$/, '');

async function readOpen(
  { archive, unseal }: Reading,
  path: string,
  isSealed: boolean,
  mostBytes: number,
): Promise<Result<Uint8Array, string>> {
  if (isSealed && !unseal) return err('is sealed; --identity names the file with the key that opens it');
  const bytes = await archive.read(path, mostBytes);
  return bytes.ok && isSealed && unseal ? unseal(bytes.value) : bytes;
}
