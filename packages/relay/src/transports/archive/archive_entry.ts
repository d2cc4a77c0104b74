import type { UploadedFile } from '../../base/files.ts';
import { encodeRfc3986 } from '../aws/sign.ts';

/**
 * Where a submission lies in an archive, in a folder or in a bucket, and what is written of it: the same for those who
 * write archives and those who read them (D95).
 *
 * ```text
 * contact/2026/11/21/20261121T051140123Z-4f1c…-0.json            the document
 * contact/2026/11/21/20261121T051140123Z-4f1c…-0/1-cv.pdf        its files
 * contact/2026/11/21/20261121T051140123Z-4f1c…-0.json.age        the same, sealed
 * contact/2026/11/21/20261121T051140123Z-4f1c…-0/1.age
 * ```
 *
 * Times are in UTC. The document is written last: where there is one, the whole entry is there.
 */

/** What the document of an entry says, as JSON (docs/archive.schema.json). */
export interface ArchiveDocument {
  readonly version: 1;
  readonly id: string;
  readonly form: string;
  /** RFC 3339, in UTC with milliseconds. */
  readonly received_at: string;
  /** Of forms that ask for their page, where it is known. */
  readonly page?: { readonly url: string; readonly title: string };
  readonly fields: readonly ArchivedField[];
  readonly files: readonly ArchivedFile[];
}

export interface ArchivedField {
  readonly name: string;
  /** What the visitor read beside it, in the form's first language; the name where nobody read anything. */
  readonly label: string;
  /** As submitted, in their order; none where nothing was. */
  readonly values: readonly string[];
}

export interface ArchivedFile {
  readonly field: string;
  /** As the visitor named it, cleaned (D73). */
  readonly name: string;
  readonly type: string;
  /** In bytes, before it was sealed. */
  readonly size: number;
  readonly sha256: string;
  readonly path: string;
}

/** What an entry's path tells, sealed or not. */
export interface EntryPlace {
  readonly form: string;
  readonly receivedAt: number;
  /** Of the delivery: the submission's id, and the place of the output. */
  readonly jobId: string;
}

/** The folder of all entries of the same form and day, from the archive's own. */
export function folderOf({ form, receivedAt }: Omit<EntryPlace, 'jobId'>): string {
  const [day = ''] = new Date(receivedAt).toISOString().split('T');
  return `${segmentOf(form)}/${day.replaceAll('-', '/')}`;
}

/** What the names of an entry begin with. Their order is that of the times. */
export const stemOf = ({ receivedAt, jobId }: Omit<EntryPlace, 'form'>): string =>
  `${new Date(receivedAt).toISOString().replaceAll(/[-:.]/g, '')}-${segmentOf(jobId)}`;

export const documentName = (stem: string, isSealed: boolean): string =>
  `${stem}.json${isSealed ? sealedEnd : ''}`;

/** @param nth From 1. */
export const fileName = (stem: string, nth: number, name: string, isSealed: boolean): string =>
  isSealed ? `${stem}/${nth}${sealedEnd}` : `${stem}/${nth}-${name}`;

/** As which a file is written that is not whole yet. One that is old was left by a process that was ended. */
export const temporaryName = (unique: string): string => `.${unique}.tmp`;

/** `undefined` for what is no document of an archive. */
export function readDocumentPath(path: string): (EntryPlace & { readonly isSealed: boolean }) | undefined {
  const [, form = '', year, month, day, date, h, m, s, ms, jobId = '', end] = documentPath.exec(path) ?? [];
  if (end === undefined || `${year}${month}${day}` !== date) return undefined;
  const time = `${year}-${month}-${day}T${h}:${m}:${s}.${ms}Z`;
  const receivedAt = Date.parse(time);
  // 30 February is read as 2 March.
  if (Number.isNaN(receivedAt) || new Date(receivedAt).toISOString() !== time) return undefined;
  const place = { form: inClear(form), receivedAt, jobId: inClear(jobId) };
  if (place.form === undefined || place.jobId === undefined) return undefined;
  return { ...place, form: place.form, jobId: place.jobId, isSealed: end === sealedEnd };
}

const sealedEnd = '.age';
const documentPath =
  /^([^/]+)\/(\d{4})\/(\d\d)\/(\d\d)\/(\d{8})T(\d\d)(\d\d)(\d\d)(\d{3})Z-([^/]+?)\.json(|\.age)$/;

/** One name in a path, whatever it holds. Names that begin with a dot are hidden ones, or not names at all. */
const segmentOf = (text: string): string => encodeRfc3986(text).replace(/^\./, '%2E');

/** What a name in a path stands for: `undefined` for one that stands in no archive. */
export function inClear(segment: string): string | undefined {
  try {
    const text = decodeURIComponent(segment);
    return segmentOf(text) === segment ? text : undefined;
  } catch {
    return undefined;
  }
}

export interface Entry extends EntryPlace {
  readonly id: string;
  readonly page: { readonly url: string; readonly title: string } | undefined;
  readonly fields: readonly ArchivedField[];
  readonly files: readonly { readonly field: string; readonly file: UploadedFile }[];
}

/** For whom an entry is sealed: keys such as `age1…`, which were checked, or a file that holds some, one a line. */
export type SealFor = { readonly recipients: readonly string[] } | { readonly file: string };

export interface Archived {
  readonly entry: Entry;
  /** `undefined`: anyone who can read the archive can read the entry. */
  readonly sealFor: SealFor | undefined;
}
