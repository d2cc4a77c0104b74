import { createHash } from 'node:crypto';
import type { PutObject as PutIntoBucket } from '@form-relay/clients/aws/s3_client';
import type { Services } from '@form-relay/core/index';
import type { FileEncoding } from '@form-relay/core/outputs/output';
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

/** A file to store completely, or not at all. */
export interface ArchiveObject extends Readonly<Parameters<PutIntoBucket>[0]['object']> {
  /** The path in the archive, with slashes. */
  readonly path: string;
}

/** An entry as it would be stored. */
export interface ShownEntry {
  /** The files' paths in the archive. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
  readonly path: string;
  readonly document: ArchiveDocument;
}

declare module '@form-relay/core/services' {
  interface Services {
    /** For dry runs: shows an entry, and decides whether to store it. */
    readonly showEntry?: (entry: ShownEntry, store: () => Promise<unknown>) => Promise<void>;
  }
}

/** Stores an entry, with its document last. Throws a `ClientError` unless everything was stored. */
export async function storeEntry(
  entry: Entry,
  timeoutMs: number,
  { now, showEntry }: Pick<Services, 'now' | 'showEntry'>,
  put: PutObject,
  encoding?: FileEncoding,
): Promise<void> {
  const store = async () => {
    const deadline = now() + timeoutMs;
    for await (const object of objectsOf(entry, encoding)) {
      // The clock may have been set back.
      const leftMs = Math.min(timeoutMs, deadline - now());
      if (leftMs <= 0) throw failed('timed_out', { timeoutMs }, { retryAfterMs: 0 });
      await put(object, leftMs);
    }
  };
  if (showEntry) await showEntry(shownEntry(entry, encoding), store);
  else await store();
}

function shownEntry(entry: Entry, encoding: FileEncoding | undefined): ShownEntry {
  const folder = folderIn(entry);
  const stem = stemOf(entry);
  const files = entry.files.map((_, index) => aboutFile(entry, index, encoding));
  return {
    files: files.map(({ path, size }) => ({ path: `${folder}/${path}`, size })),
    path: pathIn(`${folder}/${documentName(stem)}`, encoding),
    document: documentOf(entry, files),
  };
}

async function* objectsOf(entry: Entry, encoding: FileEncoding | undefined): AsyncGenerator<ArchiveObject> {
  const folder = folderIn(entry);
  const files: ArchivedFile[] = [];
  for (const [index, { file }] of entry.files.entries()) {
    const about = aboutFile(entry, index, encoding);
    files.push(about);
    const path = `${folder}/${about.path}`;
    yield encoding
      ? await encoded(path, file.bytes, encoding)
      : objectOf(path, file.type, file.bytes, about.sha256);
  }
  const path = `${folder}/${documentName(stemOf(entry))}`;
  const document = Buffer.from(JSON.stringify(documentOf(entry, files)));
  yield encoding
    ? await encoded(pathIn(path, encoding), document, encoding)
    : objectOf(path, 'application/json', document, sha256(document));
}

const pathIn = (path: string, encoding: FileEncoding | undefined) => encoding?.path(path) ?? path;

async function encoded(path: string, bytes: Uint8Array, encoding: FileEncoding): Promise<ArchiveObject> {
  const stored = await encoding.encode(bytes);
  return objectOf(path, 'application/octet-stream', stored, sha256(stored));
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

function aboutFile(entry: Entry, index: number, encoding: FileEncoding | undefined): ArchivedFile {
  const { field, file } = entry.files[index] as Entry['files'][number];
  const { name, type, bytes } = file;
  const path = pathIn(fileName(stemOf(entry), index + 1, name), encoding);
  return { field, name, type, size: bytes.length, sha256: sha256(bytes), path };
}

const objectOf = (path: string, type: string, bytes: Uint8Array, sha256: string): ArchiveObject => ({
  path,
  type,
  content: { byteLength: bytes.length, pieces: () => [bytes] },
  sha256,
});

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
