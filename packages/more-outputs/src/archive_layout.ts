import { encodeRfc3986 } from '@form-relay/clients/aws/sign';
import type { UploadedFile } from '@form-relay/core/index';

/**
 * The layout of archives in folders and buckets, for writing and reading them.
 *
 * ```text
 * contact/2026/11/21/20261121T051140123Z-4f1c…-0.json            the document
 * contact/2026/11/21/20261121T051140123Z-4f1c…-0/1-cv.pdf        its files
 * contact/2026/11/21/20261121T051140123Z-4f1c…-0.json.age        the same, sealed (`seal_to`)
 * contact/2026/11/21/20261121T051140123Z-4f1c…-0/1.age
 * ```
 *
 * Times are in UTC. The document is written last, so an entry with a document is complete.
 */

/** The JSON document of an entry (docs/archive.schema.json). */
export interface ArchiveDocument {
  readonly version: 1;
  readonly id: string;
  readonly form: string;
  /** RFC 3339, in UTC with milliseconds. */
  readonly received_at: string;
  /** The page with the form, if the form asks for it and it is known. */
  readonly page?: { readonly url: string; readonly title: string };
  readonly fields: readonly ArchivedField[];
  readonly files: readonly ArchivedFile[];
  /** The check that rejected the submission, and why. Only documents in `.dropped` have it. */
  readonly dropped?: Dropped;
  readonly doubt?: ArchivedDoubt;
}

export interface Dropped {
  readonly by: string;
  /** The reason, in words for the owner. */
  readonly reason: string;
}

interface ArchivedDoubt {
  readonly score: number;
  readonly action?: string;
  /** Points by signal name. */
  readonly signals: Readonly<Record<string, number>>;
}

export interface ArchivedField {
  readonly name: string;
  /** The field's label in the form's first language. Default: its name. */
  readonly label: string;
  /** The submitted values, in order. Empty for a field without values. */
  readonly values: readonly string[];
  /** For a field with parts, whose value is JSON: a readable text per item. */
  readonly in_words?: readonly string[];
}

export interface ArchivedFile {
  readonly field: string;
  /** The visitor's file name, sanitized. */
  readonly name: string;
  readonly type: string;
  /** In bytes. For a sealed file, the size before encryption. */
  readonly size: number;
  readonly sha256: string;
  readonly path: string;
}

interface EntryPlace {
  readonly form: string;
  readonly receivedAt: number;
  /** The delivery's id: the submission's id and the index of the output. */
  readonly deliveryId: string;
}

/** The folder for a form and a day, relative to the archive. */
export function folderOf({ form, receivedAt }: Omit<EntryPlace, 'deliveryId'>): string {
  const [day = ''] = new Date(receivedAt).toISOString().split('T');
  return `${segmentOf(form)}/${day.replaceAll('-', '/')}`;
}

/** The folder of an archive for submissions that checks rejected, with the same layout. No form has this name. */
export const droppedFolder = '.dropped';

/** The first part of an entry's file names, which sort by time. */
export const stemOf = ({ receivedAt, deliveryId }: Omit<EntryPlace, 'form'>): string =>
  `${new Date(receivedAt).toISOString().replaceAll(/[-:.]/g, '')}-${segmentOf(deliveryId)}`;

export const documentName = (stem: string): string => `${stem}.json`;

/** @param nth The number of the file, from 1. */
export const fileName = (stem: string, nth: number, name: string): string => `${stem}/${nth}-${name}`;

/** The name of a file while it is being written. An old one was left by a killed process. */
export const temporaryName = (unique: string): string => `.${unique}.tmp`;

/** Reads a document's path. `undefined` for other paths. */
export function readDocumentPath(path: string): (EntryPlace & { readonly isSealed: boolean }) | undefined {
  const [, form = '', year, month, day, date, h, m, s, ms, deliveryId = '', end] =
    documentPath.exec(path) ?? [];
  if (end === undefined || `${year}${month}${day}` !== date) return undefined;
  const time = `${year}-${month}-${day}T${h}:${m}:${s}.${ms}Z`;
  const receivedAt = Date.parse(time);
  // `Date.parse` reads 30 February as 2 March.
  if (Number.isNaN(receivedAt) || new Date(receivedAt).toISOString() !== time) return undefined;
  const place = { form: inClear(form), receivedAt, deliveryId: inClear(deliveryId) };
  if (place.form === undefined || place.deliveryId === undefined) return undefined;
  return { ...place, form: place.form, deliveryId: place.deliveryId, isSealed: end !== '' };
}

const documentPath =
  /^([^/]+)\/(\d{4})\/(\d\d)\/(\d\d)\/(\d{8})T(\d\d)(\d\d)(\d\d)(\d{3})Z-([^/]+?)\.json(|\.age)$/;

/** Encodes any text as a name in a path. A leading dot would hide the file or change the folder. */
export const segmentOf = (text: string): string => encodeRfc3986(text).replace(/^\./, '%2E');

/** Decodes a name in a path. `undefined` for a name that no archive would contain. */
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
  /** Set for a rejected submission, which is stored in the `.dropped` folder. */
  readonly dropped?: Dropped | undefined;
  readonly doubt?: ArchivedDoubt | undefined;
}

/** Names of the values that identify the submission that a delivery changes or withdraws. No visitor's field has such a name. */
export const changeOf = '_change_of';
export const withdrawalOf = '_withdrawn';

export const isChangeMark = (name: string): boolean => name === changeOf || name === withdrawalOf;

/** The id of the submission that this one changes or withdraws. */
export function earlierOf({ fields }: Pick<ArchiveDocument, 'fields'>) {
  const mark = fields.find(({ name }) => isChangeMark(name));
  const id = mark?.values[0];
  if (!mark || id === undefined) return undefined;
  return { id, part: mark.name === changeOf ? ('changed' as const) : ('withdrawn' as const) };
}

/** The name of the PDF among the fields of a submission. No visitor's field has this name. */
export const pdfName = '_pdf';
