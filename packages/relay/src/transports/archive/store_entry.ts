import { createHash } from 'node:crypto';
import { ClientError, failed } from '../../base/client_error.ts';
import type { ArchiveObject, Effects } from '../../base/effects.ts';
import { sizeInWords, type UploadedFile } from '../../base/files.ts';
import { type Diagnosis, failure, ok } from '../diagnosis.ts';
import type { Mask, Shown } from '../transport.ts';
import { seal } from './age_seal.ts';
import {
  type ArchiveDocument,
  type Archived,
  type ArchivedFile,
  documentName,
  droppedFolder,
  type Entry,
  fileName,
  folderOf,
  type SealFor,
  stemOf,
} from './archive_entry.ts';
import { type Recipient, readRecipient } from './recipient.ts';

/**
 * Stores an entry, its document last. Returns the document's path. Throws a `ClientError` unless all of it was stored.
 *
 * @param put Stores one object.
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

function* objectsOf(
  entry: Entry,
  recipients: readonly Recipient[] | undefined,
): Generator<ArchiveObject, void, void> {
  const folder = folderIn(entry);
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

/** The folder of an entry in its archive. */
const folderIn = (entry: Entry) => (entry.dropped ? `${droppedFolder}/${folderOf(entry)}` : folderOf(entry));

/** The document in clear. */
export function documentOf(
  { id, form, receivedAt, page, fields, dropped, doubt }: Entry,
  files: readonly ArchivedFile[],
): ArchiveDocument {
  const received_at = new Date(receivedAt).toISOString();
  return {
    version: 1,
    id,
    form,
    received_at,
    ...(page && { page }),
    fields,
    files,
    ...(dropped && { dropped }),
    ...(doubt && { doubt }),
  };
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

/** At least one. */
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

/** Reads a file as `age -R` does: one key a line, and comments after `#`. Throws a `ClientError`. */
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

/** Shows in clear what would be stored. */
export function showEntry({ entry, sealFor }: Archived, archive: string, mask: Mask): Shown {
  const isSealed = sealFor !== undefined;
  const folder = folderIn(entry);
  const stem = stemOf(entry);
  const files = entry.files.map(({ field, file }, index) =>
    aboutFile(field, file, fileName(stem, index + 1, file.name, isSealed)),
  );
  const document = mask.json(JSON.stringify(documentOf(entry, files), undefined, 2));
  const paths = files.map(({ path, size }) => `${folder}/${path} (${sizeInWords(size)})`);
  const all = [...paths, `${folder}/${documentName(stem, isSealed)}`];
  const note = isSealed ? 'Sealed; this is what its owner reads:' : '';
  return {
    kind: 'entry',
    text: [archive, ...all.map((path) => `  ${path}`), '', ...(isSealed ? [note] : []), document].join('\n'),
    says: {
      title: entry.form,
      entries: [
        ...entry.fields.map(({ name, label, values }) => ({
          label,
          value: values.map((value) => mask.value(name, value)).join('\n'),
        })),
        ...files.map(({ field, name, size }) => ({ label: field, value: `${name} (${sizeInWords(size)})` })),
      ],
      footer: isSealed ? ['Sealed: its owner alone can read it.'] : [],
    },
  };
}

/** Reports for how many keys an archive is sealed. */
export async function sealDiagnosis(
  archive: string,
  sealFor: SealFor | undefined,
  readFile: Effects['readFile'],
): Promise<Diagnosis> {
  if (!sealFor) return ok(archive, 'is not sealed: whoever can read it reads every submission');
  if ('recipients' in sealFor) return ok(archive, `is sealed for ${keys(sealFor.recipients.length)}`);
  try {
    const recipients = await recipientsIn(sealFor.file, readFile);
    return ok(archive, `is sealed for ${keys(recipients.length)}, as ${sealFor.file} says`);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return failure(archive, error.message, `Put the public keys into ${sealFor.file}, one on a line.`);
  }
}

const keys = (count: number) => (count === 1 ? 'one key' : `${count} keys`);
