import { readDocumentPath } from '@form-relay/more-outputs/archive_layout';
import type { Choice, Entry } from './archive.ts';

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

/** Names the submission of a delivery, also of one that was asked for again (`<id>-2-again-mwtg2sv3`). */
export const submissionOf = (deliveryId: string): string => deliveryId.replace(/-\d+(-again-[\da-z]+)?$/, '');

/** The same, of the folder in which a submission's files are. */
export const entryOfFolder = (path: string): Entry | undefined => entryAt(`${path}.json`);

export const isChosen = (
  { form, receivedAt }: Pick<Entry, 'form' | 'receivedAt'>,
  { form: only = form, since = -Infinity, until = Infinity }: Choice,
): boolean => form === only && receivedAt >= since && receivedAt < until;
