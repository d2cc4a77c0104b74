import type { Result } from '@form-relay/base/result';
import { readDocumentPath } from '@form-relay/more-outputs/archive_layout';

/** An archive to read, in a folder or in a bucket. Paths are relative to it, with `/` between names. */
export interface Archive {
  /** All entries, form by form, oldest first. Throws a `ClientError` if the archive cannot be listed. */
  entries(choice: Choice, tell: Tell): AsyncIterable<Entry>;
  /**
   * The bytes of a file, or a text that explains why it cannot be read. Throws a `ClientError` if no file of
   * the archive can be read.
   */
  read(path: string, mostBytes: number): Promise<Result<Uint8Array, string>>;
}

/** Selects submissions. A condition that is not set selects all. */
export interface Choice {
  /** The form's name. */
  readonly form?: string | undefined;
  /** Received at this time or later, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Received before this time. */
  readonly until?: number | undefined;
}

/** A submission in an archive, as far as its path identifies it. */
export interface Entry {
  readonly form: string;
  /** When the relay received it, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The submission's id, as in the log and in the visitor's response. */
  readonly id: string;
  /** The folder of its day. */
  readonly folder: string;
  /** The name of its document. */
  readonly document: string;
  readonly isSealed: boolean;
}

export const documentPath = ({ folder, document }: Entry): string => `${folder}/${document}`;

/** A problem with one thing in an archive; the rest can still be read. */
export interface Trouble {
  /** `foreign`: not part of an archive. `unread`: part of it, but its content cannot be read. */
  readonly kind: 'foreign' | 'unread';
  readonly path: string;
  /** The problem, in words. */
  readonly what: string;
}

export type Tell = (trouble: Trouble) => void;

/** The problem of a file or folder that does not belong to an archive. */
export const foreignAt = (path: string): Trouble => ({
  kind: 'foreign',
  path,
  what: /^[1-9]\d{3}\/(0[1-9]|1[0-2])(\/|$)/.test(path)
    ? "is a month, so this is a form's folder; name the archive above it, and the form with --form"
    : 'is not part of an archive; ignored',
});

/** The submission whose document has this path; `undefined` if it is not the path of a document. */
export function entryAt(path: string): Entry | undefined {
  const place = readDocumentPath(path);
  if (!place) return undefined;
  const { deliveryId, ...rest } = place;
  const slash = path.lastIndexOf('/');
  // The id of a delivery is that of the submission, followed by the index of the output.
  const id = submissionOf(deliveryId);
  return { ...rest, id, folder: path.slice(0, slash), document: path.slice(slash + 1) };
}

/** The id of the submission of a delivery, also of a requested redelivery (`<id>-2-again-mwtg2sv3`). */
export const submissionOf = (deliveryId: string): string => deliveryId.replace(/-\d+(-again-[\da-z]+)?$/, '');

/** The submission whose files are in this folder. */
export const entryOfFolder = (path: string): Entry | undefined => entryAt(`${path}.json`);

export const isChosen = (
  { form, receivedAt }: Pick<Entry, 'form' | 'receivedAt'>,
  { form: only = form, since = -Infinity, until = Infinity }: Choice,
): boolean => form === only && receivedAt >= since && receivedAt < until;
