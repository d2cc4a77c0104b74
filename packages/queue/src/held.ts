/** Submissions that wait in the store until a feature releases them, such as for a payment. */
import { createHash } from 'node:crypto';
import type { Submission } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import type { HeldSubmissions, Queued } from '@form-relay/stores/store';
import type { QueueConfig } from './open_stores.ts';
import type { Queue } from './queue.ts';

const code = 'held';

/** Marks the entries of a submission under this key. The store gets only its hash. */
export const holdMark = (key: string): string =>
  `${code} ${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;

/** Whether nothing released it yet. Such an entry is never delivered by itself. */
export const isHeld = ({ why }: Pick<Queued, 'why'>): boolean => why?.code.startsWith(`${code} `) === true;

/** Since when an entry waits. */
export const waitingSince = (kept: Queued): number => (isHeld(kept) ? kept.receivedAt : kept.keptAt);

/** The entry as if it was kept just now, for its first try. */
export const released = (kept: Queued, now: number): Queued => ({ ...kept, keptAt: now, why: undefined });

/** A hold that nothing released or dropped in time: its owner decides. */
export const lapsed = ({ why }: Pick<Queued, 'why'>) => ({
  code: 'hold_lapsed',
  words: `${why?.words ?? 'it was held'}, but was neither released nor dropped in time`,
});

/** The places of the outputs that accept a submission. */
export const outputsOf = (submission: Submission): readonly number[] =>
  submission.form.outputs.flatMap(({ accepts }, place) => (!accepts || accepts(submission) ? place : []));

export const heldFeature = (queue: () => Promise<Pick<Queue, 'hold' | 'release' | 'drop'>>) =>
  feature({
    name: 'held',
    configure: ({ sharedBy }) => {
      const where = sharedBy.get('keep');
      return where && !where.in.type.hidesWaiting ? { provides: heldIn(where, queue) } : undefined;
    },
  });

const heldIn = (
  where: QueueConfig,
  queue: () => Promise<Pick<Queue, 'hold' | 'release' | 'drop'>>,
): HeldSubmissions => ({
  // A dry run opens no store.
  hold: async (submission, how) =>
    submission.services.isDryRun
      ? outputsOf(submission).length
      : (await queue()).hold(submission, where, how),
  release: async (key) => (await queue()).release(where, key),
  drop: async (key) => (await queue()).drop(where, key),
});
