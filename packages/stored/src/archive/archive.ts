import type { Result } from '@form-relay/base/result';
import { readDocumentPath } from '@form-relay/more-outputs/archive_layout';

/** An archive to read, in a folder or in a bucket. Paths are its own, with `/` between names. */
export interface Archive {
  /** Form after form, the oldest first. Throws a `ClientError` when the archive cannot be looked through. */
  entries(choice: Choice, tell: Tell): AsyncIterable<Entry>;
  /** A file's bytes, or in words why not. Throws a `ClientError` when no other file can be had either. */
  read(path: string, mostBytes: number): Promise<Result<Uint8Array, string>>;
}

/** Which submissions are meant: all of what is left out. */
export interface Choice {
  /** The form's name. */
  readonly form?: string | undefined;
  /** Received at this moment or later; milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Received before this moment. */
  readonly until?: number | undefined;
}

/** A submission in an archive, as its place tells it. */
export interface Entry {
  readonly form: string;
  /** When the relay received it, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Names the submission, as the log and the visitor's answer do. */
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
  /** `foreign`: it is no part of an archive. `unread`: it is, and what it says stays unknown. */
  readonly kind: 'foreign' | 'unread';
  readonly path: string;
  /** In words. */
  readonly what: string;
}

export type Tell = (trouble: Trouble) => void;

/** The submission whose document stands at a path: `undefined` for what is no document. */
export function entryAt(path: string): Entry | undefined {
  const place = readDocumentPath(path);
  if (!place) return undefined;
  const { deliveryId, ...rest } = place;
  const slash = path.lastIndexOf('/');
  // The place of the output follows the id of the submission.
  const id = submissionOf(deliveryId);
  return { ...rest, id, folder: path.slice(0, slash), document: path.slice(slash + 1) };
}

/** The id of the submission behind a delivery, also behind a requested redelivery (`<id>-2-again-mwtg2sv3`). */
export const submissionOf = (deliveryId: string): string => deliveryId.replace(/-\d+(-again-[\da-z]+)?$/, '');

/** The same, of the folder in which a submission's files are. */
export const entryOfFolder = (path: string): Entry | undefined => entryAt(`${path}.json`);

export const isChosen = (
  { form, receivedAt }: Pick<Entry, 'form' | 'receivedAt'>,
  { form: only = form, since = -Infinity, until = Infinity }: Choice,
): boolean => form === only && receivedAt >= since && receivedAt < until;
