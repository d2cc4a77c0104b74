/** Held submissions, which wait in the store until a feature releases them, for example after a payment. */
import { createHash } from 'node:crypto';
import { noFiles } from '@form-relay/base/values';
import type { Form, Settings, Submission, Withdrawing } from '@form-relay/core/index';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import { feature } from '@form-relay/core/plugin';
import type { HeldSubmissions, Queued } from '@form-relay/stores/store';
import { type ContentKeys, openContent } from './content.ts';
import type { QueueConfig } from './open_stores.ts';
import type { Queue } from './queue.ts';

const code = 'held';
const lapsedCode = 'hold_lapsed';

/** The mark of the entries of a submission that is held under this key. The store sees only the hash of the key. */
export const holdMark = (key: string): string =>
  `${code} ${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;

/** Whether the entry is still held. A held entry is delivered only after a feature releases it. */
export const isHeld = ({ why }: Pick<Queued, 'why'>): boolean => why?.code.startsWith(`${code} `) === true;

/** Whether the entry was never released: it is held, or its hold expired. */
export const isUnreleased = (kept: Pick<Queued, 'why'>): boolean =>
  isHeld(kept) || kept.why?.code === lapsedCode;

/** The submission of an entry, without its files; `undefined` if its form is gone or its content cannot be read. */
export function submissionOf(
  kept: Queued,
  forms: ReadonlyMap<string, Form> | undefined,
  keys: ContentKeys,
  settings: Settings,
): Submission | undefined {
  const form = forms?.get(kept.form);
  if (!form) return undefined;
  const opened = openContent(kept, keys);
  return opened.ok ? restoreSubmission(form, { ...opened.value, files: noFiles }, settings) : undefined;
}

/** Lets features undo what they did for a submission that will not be delivered, such as reserving a place. */
export async function withdraw(submission: Submission): Promise<void> {
  for (const provided of submission.form.provided.values())
    await (provided as Partial<Withdrawing> | undefined)?.withdraw?.(submission);
}

/** When the entry started to wait. */
export const waitingSince = (kept: Queued): number => (isHeld(kept) ? kept.receivedAt : kept.keptAt);

/** The entry as if it had just been queued, ready for its first attempt. */
export const released = (kept: Queued, now: number): Queued => ({ ...kept, keptAt: now, why: undefined });

/** The reason of a dead letter whose hold was neither released nor dropped in time. */
export const lapsed = ({ why }: Pick<Queued, 'why'>) => ({
  code: lapsedCode,
  words: `${why?.words ?? 'it was held'}, but was neither released nor dropped in time`,
});

/** The indexes of the outputs that accept a submission. */
export const outputsOf = (submission: Submission): readonly number[] =>
  submission.form.outputs.flatMap(({ accepts }, place) => (!accepts || accepts(submission) ? place : []));

type HoldingQueue = Pick<Queue, 'hold' | 'release' | 'drop' | 'listHeld'>;

export const heldFeature = (queue: () => Promise<HoldingQueue>) =>
  feature({
    name: 'held',
    configure: ({ sharedBy }) => {
      const where = sharedBy.get('keep');
      return where && !where.in.type.hidesWaiting ? { provides: heldIn(where, queue) } : undefined;
    },
  });

const heldIn = (where: QueueConfig, queue: () => Promise<HoldingQueue>): HeldSubmissions => ({
  // A dry run does not open the store.
  hold: async (submission, how) =>
    submission.services.isDryRun
      ? (how.outputs ?? outputsOf(submission)).length
      : (await queue()).hold(submission, where, how),
  release: async (key) => (await queue()).release(where, key),
  drop: async (key, takesBack) => (await queue()).drop(where, key, takesBack),
  list: async function* (form, keyOf) {
    yield* (await queue()).listHeld(where, form, keyOf);
  },
});
