import { ClientError } from '@form-relay/base/client_error';
import { isBucket } from '@form-relay/stored/archive/open';
import { appendVerdict, verdictFileOf, verdictLine } from '@form-relay/stored/marks/verdicts';
import type { ActionDone, Mark } from '../api.ts';
import type { IndexedEntry } from '../entry_index.ts';
import { type ActionContext, done, type Located, locate, refused, rootOf } from './context.ts';

/** Notes that a submission is spam or not, as `relay rules mark` does. */
export async function mark(entry: IndexedEntry, verdict: Mark, context: ActionContext): Promise<ActionDone> {
  const places = locate(entry, context);
  if (places.length === 0) return refused('no archive has it, so that there is nothing to learn from');
  if (!(await note(entry, verdict, places, context)))
    return refused(
      'it is in a bucket, which has no file for marks; relay rules mark takes one with --verdicts FILE',
    );
  return done(verdict === 'spam' ? 'Marked as spam.' : 'Marked as not spam.');
}

/** Adds a mark to the file of each archive that has it. `false`: none of them has such a file. Throws a `ClientError`. */
export async function note(
  { id }: IndexedEntry,
  verdict: Mark,
  places: readonly Located[],
  context: ActionContext,
): Promise<boolean> {
  // A dropped submission is marked in the file of its archive. Buckets have no such file.
  const inFolders = places.filter((one) => !isBucket(one.in.place));
  const files = new Set(inFolders.map((one) => verdictFileOf(rootOf(one.in))));
  const line = verdictLine(id, verdict, context.services.now());
  for (const file of files) {
    try {
      await appendVerdict(file, line);
    } catch (error) {
      throw new ClientError(
        `${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
      );
    }
  }
  return files.size > 0;
}
