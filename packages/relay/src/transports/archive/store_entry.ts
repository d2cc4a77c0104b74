import { createHash } from 'node:crypto';
import { failed } from '../../base/client_error.ts';
import type { ArchiveObject, Effects } from '../../base/effects.ts';
import type { UploadedFile } from '../../base/files.ts';
import type { Archived, Entry, SealFor } from './archive_message.ts';
import {
  type ArchiveDocument,
  type ArchivedFile,
  documentName,
  fileName,
  folderOf,
  stemOf,
} from './entry.ts';
import { type Recipient, readRecipient } from './recipient.ts';
import { seal } from './seal.ts';

/**
 * Stores an entry, its document last, within the time: `put` stores one object. Gives the document's path. Throws a
 * `ClientError` when not all of it is there.
 */
export async function storeEntry(
  { entry, sealFor }: Archived,
  timeoutMs: number,
  { now, readFile }: Pick<Effects, 'now' | 'readFile'>,
  put: (object: ArchiveObject, timeoutMs: number) => Promise<void>,
): Promise<string> {
  const deadline = now() + timeoutMs;
  const recipients = sealFor && (await recipientsOf(sealFor, readFile));
  let path = '';
  for (const object of objectsOf(entry, recipients)) {
    // The clock may be set back meanwhile.
    const leftMs = Math.min(timeoutMs, deadline - now());
    if (leftMs <= 0) throw failed('timed_out', { timeoutMs }, { retryAfterMs: 0 });
    await put(object, leftMs);
    path = object.path;
  }
  return path;
}

/** All that is to be stored, in this order. Each is made when it is asked for. */
export function* objectsOf(
  entry: Entry,
  recipients: readonly Recipient[] | undefined,
): Generator<ArchiveObject, void, void> {
  const folder = folderOf(entry);
  const stem = stemOf(entry);
  const isSealed = recipients !== undefined;
  const files: ArchivedFile[] = [];
  for (const [index, { field, file }] of entry.files.entries()) {
    const path = fileName(stem, index + 1, file.name, isSealed);
    const about = aboutFile(field, file, path);
    files.push(about);
    yield objectOf(`${folder}/${path}`, file.type, file.bytes, recipients, about.sha256);
  }
  const document = Buffer.from(JSON.stringify(documentOf(entry, files)));
  yield objectOf(
    `${folder}/${documentName(stem, isSealed)}`,
    'application/json',
    document,
    recipients,
    sha256(document),
  );
}

/** The document as people read it. Its files are not sealed, whatever becomes of them. */
export function documentOf(
  { id, form, receivedAt, page, fields }: Entry,
  files: readonly ArchivedFile[],
): ArchiveDocument {
  const received_at = new Date(receivedAt).toISOString();
  return { version: 1, id, form, received_at, ...(page && { page }), fields, files };
}

export const aboutFile = (
  field: string,
  { name, type, bytes }: UploadedFile,
  path: string,
): ArchivedFile => ({
  field,
  name,
  type,
  size: bytes.length,
  sha256: sha256(bytes),
  path,
});

function objectOf(
  path: string,
  type: string,
  bytes: Uint8Array,
  recipients: readonly Recipient[] | undefined,
  sha256: string,
): ArchiveObject {
  if (recipients) return { path, type: 'application/octet-stream', content: seal(bytes, recipients) };
  return { path, type, content: { byteLength: bytes.length, pieces: () => [bytes] }, sha256 };
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Never none. */
async function recipientsOf(sealFor: SealFor, readFile: Effects['readFile']): Promise<readonly Recipient[]> {
  if ('recipients' in sealFor) {
    return sealFor.recipients.map((text) => {
      const recipient = readRecipient(text);
      if (!recipient.ok) throw new Error(`a key that was checked is none: ${recipient.error}`);
      return recipient.value;
    });
  }
  return recipientsIn(sealFor.file, readFile);
}

/** Of a file as `age -R` takes it: a key a line, and lines that begin with `#`. Throws a `ClientError`. */
export async function recipientsIn(
  path: string,
  readFile: Effects['readFile'],
): Promise<readonly Recipient[]> {
  const read = await readFile(path);
  if (!read.ok) throw failed('seal_file_unread', { path, reason: read.error });
  const recipients = read.value.text.split('\n').flatMap((written, index) => {
    const text = written.trim();
    if (text === '' || text.startsWith('#')) return [];
    const recipient = readRecipient(text);
    if (!recipient.ok)
      throw failed('seal_file_malformed', { path, line: index + 1, problem: recipient.error });
    return [recipient.value];
  });
  if (recipients.length === 0) throw failed('seal_file_empty', { path });
  return recipients;
}
