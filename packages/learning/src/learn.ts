/** From marks to a model, or to the reason why it is of no use. */

import type { Seeds } from '@form-relay/spam/lists/features';
import type { Model } from '@form-relay/spam/lists/model';
import { leastMarks, whyKeep } from './compare.ts';
import type { Lessons } from './features.ts';
import { train } from './train.ts';
import { judged, scoredByOlder, type Trial } from './try_out.ts';

export interface LearnFrom {
  readonly learnFrom: Lessons;
  readonly seeds: Seeds;
  /** The model that it would replace, if that was made with the same key. */
  readonly inUse: Model | undefined;
  /** Milliseconds since the epoch: when the marks were read. */
  readonly now: number;
}

export interface Learned extends Omit<Lessons, 'lessons'> {
  /** Different messages, without copies. */
  readonly spam: number;
  readonly ham: number;
  readonly trial: Trial;
  /** In words, for the owner: why the model should not be written. */
  readonly problem: string | undefined;
  /** Trains on all messages. */
  model(): Model;
}

export function learn({ learnFrom, seeds, inUse, now }: LearnFrom): Learned {
  const { lessons, ...leftOut } = learnFrom;
  const newer = scoredByOlder(lessons);
  const trial = judged(newer);
  const spam = lessons.filter(({ isSpam }) => isSpam).length;
  const ham = lessons.length - spam;
  const { people, steps, reached } = trial;
  return {
    spam,
    ham,
    ...leftOut,
    trial,
    problem:
      whyTooFew(spam, ham) ??
      (inUse && whyKeep(inUse, lessons, newer)) ??
      (steps.length === 0 ? 'it cannot tell newer spam from what people write' : undefined),
    model: () => ({
      ...train(lessons),
      ...{ check: seeds.check, spam, ham, steps, madeAt: now },
      ...{ people, reached: reached.people, tried: trial.spam, caught: reached.spam },
    }),
  };
}

/** Why so many messages are not enough; `undefined` if they are. */
export const whyTooFew = (spam: number, ham: number): string | undefined =>
  Math.min(spam, ham) < leastMarks
    ? `needs ${leastMarks} different messages of each kind, and there are ${spam} and ${ham}`
    : undefined;
