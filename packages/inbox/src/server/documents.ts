import { createHash } from 'node:crypto';
import { err, ok, type Result } from '@form-relay/core/base/result';
import type { ArchiveDocument, ArchivedFile } from '@form-relay/more-outputs/archive_layout';
import { type Archive, documentPath, type Entry } from '@form-relay/stored/archive/archive';
import { archiveInBucket } from '@form-relay/stored/archive/in_bucket';
import { archiveInFolder } from '@form-relay/stored/archive/in_folder';
import { entryAt } from '@form-relay/stored/archive/place';
import { readEntry } from '@form-relay/stored/archive/read_entry';
import type { IndexedEntry } from '../entry_index.ts';
import type { ArchiveSource, Sources } from '../sources.ts';

/** A document that tells more than every submission's: of one that was turned away, why. */
export interface StoredDocument extends ArchiveDocument {
  readonly dropped?: { readonly by: string; readonly reason: string };
}

/** A copy of a submission in an archive. */
export interface Copy {
  readonly source: ArchiveSource;
  readonly archive: Archive;
  readonly place: Entry;
}

export interface Documents {
  /** The copies whose places are this submission's. */
  copies(entry: IndexedEntry): readonly Copy[];
  /** The fullest of its copies that can be read; or in words why there is none. */
  read(
    entry: IndexedEntry,
  ): Promise<Result<{ readonly copy: Copy; readonly document: StoredDocument }, string>>;
  /** The document as it is stored. */
  raw(entry: IndexedEntry): Promise<Result<Raw, string>>;
  /** A file, from 1. */
  file(entry: IndexedEntry, nth: number): Promise<Result<StoredFile, string>>;
}

export interface Raw {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly isSealed: boolean;
}

export interface StoredFile extends Pick<Raw, 'bytes' | 'name'> {
  /** As its visitor named it. */
  readonly type: string;
}

/** Outputs of one form write the same submission into several archives. */
const mostCopies = 8;
const mostDocumentBytes = 16 * 1_048_576;
/** Each is in memory while it is sent. */
export const mostFileBytes = 64 * 1_048_576;

export function createDocuments({ archives }: Pick<Sources, 'archives'>): Documents {
  const opened = archives.map(({ place }) =>
    place.kind === 'folder' ? archiveInFolder(place.path) : archiveInBucket(place.url),
  );
  const copies = ({ id, form, stored }: IndexedEntry): readonly Copy[] =>
    stored.slice(0, mostCopies).flatMap((at) => {
      const source = archives[at.archive];
      const archive = opened[at.archive];
      const place = entryAt(at.path);
      // The place decides who may read it, and not what a planted document says.
      const isOwn = place?.id === id && place.form === form;
      return source && archive && isOwn ? [{ source, archive, place }] : [];
    });
  const read: Documents['read'] = async (entry) => {
    let why = 'its document is gone';
    let best: { copy: Copy; document: StoredDocument } | undefined;
    for (const copy of copies(entry)) {
      const document = await readEntry({ archive: copy.archive, unseal: undefined }, copy.place);
      if (!document.ok) why = copy.place.isSealed ? sealed : `its document ${document.error}`;
      else if (!best || sizeOf(document.value) > sizeOf(best.document))
        best = { copy, document: document.value };
    }
    return best ? ok(best) : err(why);
  };
  return {
    copies,
    read,
    async raw(entry) {
      const [copy] = copies(entry);
      if (!copy) return err('its document is gone');
      const bytes = await copy.archive.read(documentPath(copy.place), mostDocumentBytes);
      if (!bytes.ok) return err(`its document ${bytes.error}`);
      return ok({ bytes: bytes.value, name: copy.place.document, isSealed: copy.place.isSealed });
    },
    async file(entry, nth) {
      const found = await read(entry);
      if (!found.ok) return found;
      const { copy, document } = found.value;
      const file = document.files[nth - 1];
      return file ? clearFile(copy, file) : err('it has no such file');
    },
  };
}

const sealed = 'it is sealed; relay archive opens it with its key';

const sizeOf = ({ fields, files }: ArchiveDocument) => fields.length + files.length;

const stemOf = ({ document }: Entry) => document.replace(/\.json(\.age)?$/, '');

async function clearFile(
  { archive, place }: Copy,
  { path, name, type, sha256 }: ArchivedFile,
): Promise<Result<StoredFile, string>> {
  const [folder, own = '', ...deeper] = path.split('/');
  // A forged document could name any file of this machine.
  if (folder !== stemOf(place) || !/^[1-9]/.test(own) || deeper.length > 0)
    return err('this is no file of this submission');
  const bytes = await archive.read(`${place.folder}/${path}`, mostFileBytes);
  if (!bytes.ok) return err(`the file ${bytes.error}`);
  if (createHash('sha256').update(bytes.value).digest('hex') !== sha256)
    return err('the file is not as it was written: its SHA-256 is another');
  return ok({ bytes: bytes.value, name, type });
}
