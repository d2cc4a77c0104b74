import { createHash } from 'node:crypto';
import type { PutObject as PutIntoBucket } from '@form-relay/clients/aws/s3_request';
import type { Services } from '@form-relay/core/index';
import { type Recipient, readRecipient, seal } from './age.ts';
import type { PutObject } from './archive.ts';
import {
  type ArchiveDocument,
  type ArchivedFile,
  documentName,
  droppedFolder,
  type Entry,
  fileName,
  folderOf,
  stemOf,
} from './archive_layout.ts';
import { failed } from './failures.ts';

/** A file to store whole, or not at all. */
export interface ArchiveObject extends Readonly<Parameters<PutIntoBucket>[0]['object']> {
  /** In the archive, with slashes. */
  readonly path: string;
}

/** An entry in clear, as it would be stored. */
export interface ShownEntry {
  /** Their paths in the archive. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
  readonly path: string;
  readonly isSealed: boolean;
  readonly document: ArchiveDocument;
}

declare module '@form-relay/core/services' {
  interface Services {
    /** In dry runs: shows an entry, and decides whether to store it. */
    readonly showEntry?: (entry: ShownEntry, store: () => Promise<unknown>) => Promise<void>;
  }
}

/** Stores an entry, its document last, in clear without keys to seal for. Throws a `ClientError` unless all of it was stored. */
export async function storeEntry(
  entry: Entry,
  sealTo: readonly string[] | undefined,
  timeoutMs: number,
  { now, showEntry }: Pick<Services, 'now' | 'showEntry'>,
  put: PutObject,
): Promise<void> {
  const store = async () => {
    const deadline = now() + timeoutMs;
    const recipients = sealTo?.map(recipientOf);
    for (const object of objectsOf(entry, recipients)) {
      // The clock may be set back meanwhile.
      const leftMs = Math.min(timeoutMs, deadline - now());
      if (leftMs <= 0) throw failed('timed_out', { timeoutMs }, { retryAfterMs: 0 });
      await put(object, leftMs);
    }
  };
  if (showEntry) await showEntry(shownEntry(entry, sealTo !== undefined), store);
  else await store();
}

function shownEntry(entry: Entry, isSealed: boolean): ShownEntry {
  const folder = folderIn(entry);
  const stem = stemOf(entry);
  const files = entry.files.map((_, index) => aboutFile(entry, index, isSealed));
  return {
    files: files.map(({ path, size }) => ({ path: `${folder}/${path}`, size })),
    path: `${folder}/${documentName(stem, isSealed)}`,
    isSealed,
    document: documentOf(entry, files),
  };
}

function* objectsOf(entry: Entry, recipients: readonly Recipient[] | undefined): Generator<ArchiveObject> {
  const folder = folderIn(entry);
  const isSealed = recipients !== undefined;
  const files: ArchivedFile[] = [];
  for (const [index, { file }] of entry.files.entries()) {
    const about = aboutFile(entry, index, isSealed);
    files.push(about);
    yield objectOf(`${folder}/${about.path}`, file.type, file.bytes, recipients, about.sha256);
  }
  const path = `${folder}/${documentName(stemOf(entry), isSealed)}`;
  const document = Buffer.from(JSON.stringify(documentOf(entry, files)));
  yield objectOf(path, 'application/json', document, recipients, sha256(document));
}

const folderIn = (entry: Entry) => (entry.dropped ? `${droppedFolder}/${folderOf(entry)}` : folderOf(entry));

function documentOf(
  { id, form, receivedAt, page, fields, dropped, doubt }: Entry,
  files: readonly ArchivedFile[],
): ArchiveDocument {
  return {
    version: 1,
    id,
    form,
    received_at: new Date(receivedAt).toISOString(),
    ...(page && { page }),
    fields,
    files,
    ...(dropped && { dropped }),
    ...(doubt && { doubt }),
  };
}

function aboutFile(entry: Entry, index: number, isSealed: boolean): ArchivedFile {
  const { field, file } = entry.files[index] as Entry['files'][number];
  const { name, type, bytes } = file;
  const path = fileName(stemOf(entry), index + 1, name, isSealed);
  return { field, name, type, size: bytes.length, sha256: sha256(bytes), path };
}

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

function recipientOf(text: string): Recipient {
  const recipient = readRecipient(text);
  if (typeof recipient === 'string') throw new Error(`a key that was checked is none: ${recipient}`);
  return recipient;
}
