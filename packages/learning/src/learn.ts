import type { ArchiveDocument } from '@form-relay/more-outputs/archive_layout';
import type { Model, Seeds } from '@form-relay/spam/lists/model';
import { freeTexts } from '@form-relay/spam/signals/typed';
import { type Lesson, type Lessons, train } from './train.ts';
import { judged, percent, type Scored, scoredBy, scoredByOlder, type Trial } from './try_out.ts';

/** A message that its owner marked. */
export interface Marked {
  /** Identifies the message to its owner. */
  readonly id: string;
  /** The texts entered in its fields. */
  readonly texts: readonly string[];
  readonly isSpam: boolean;
  /** When the message was received, in milliseconds since the epoch; 0 if unknown. */
  readonly at: number;
  /** When the owner marked it. Default: when it was received. */
  readonly markedAt?: number;
}

/**
 * The texts of a stored submission that a model learns from. @param fields The fields of its form; `undefined` if the
 * form is gone.
 */
export function textsToLearn(
  document: Pick<ArchiveDocument, 'fields'>,
  fields: Parameters<typeof freeTexts>[0]['fields'] | undefined,
): readonly string[] {
  const values = new Map(document.fields.map(({ name, values }) => [name, values]));
  return fields ? freeTexts({ fields, values }) : [...values.values()].flat();
}

/** The input for a new model. */

interface LearnFrom {
  readonly learnFrom: Lessons;
  readonly seeds: Seeds;
  /** The current model, if it was made with the same key. */
  readonly inUse: Model | undefined;
  /** When the marks were read, in milliseconds since the epoch. */
  readonly now: number;
}

export interface Learned extends Omit<Lessons, 'lessons'> {
  /** Different messages, without near copies. */
  readonly spam: number;
  readonly ham: number;
  readonly trial: Trial;
  /** A sentence for the owner: why the model should not be written. */
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
      (steps.length === 0 ? 'the model cannot distinguish newer spam from messages from people' : undefined),
    model: () => ({
      ...train(lessons),
      check: seeds.check,
      spam,
      ham,
      steps,
      madeAt: now,
      people,
      reached: reached.people,
      tried: trial.spam,
      caught: reached.spam,
    }),
  };
}

/** Why there are too few messages; `undefined` if there are enough. */
export const whyTooFew = (spam: number, ham: number): string | undefined =>
  Math.min(spam, ham) < leastMarks
    ? `needs ${leastMarks} different messages of each kind, and there are ${spam} and ${ham}`
    : undefined;

/** Fewer messages of either kind prove nothing. */
const leastMarks = 30;
const worseBy = 0.05;
/** Compares only the newest messages of each part: more take longer and show the same. */
const mostCompared = 10_000;

/**
 * Why to keep the current model; `undefined` if it can be replaced. Marks made after it may be hostile, so
 * they prove little about each other. A model that learns from them, too, must not catch less of the spam
 * marked before them. If the current model catches more of the spam marked after it, it is kept, too.
 *
 * @param newer The results of the new model (`scoredByOlder`).
 */
export function whyKeep(
  inUse: Model,
  lessons: readonly Lesson[],
  newer: readonly Scored[],
): string | undefined {
  const isAfter = ({ markedAt }: { readonly markedAt: number }) => markedAt > inUse.madeAt;
  const before = lessons.filter((one) => !isAfter(one)).slice(-mostCompared);
  const after = lessons.filter(isAfter).slice(-mostCompared);
  if (after.length > 0 && isEnough(before)) {
    const without = judged(scoredByOlder(before));
    const withThem = judged(scoredByOlder(before, after));
    if (isWorse(withThem, without))
      return `marks made since the current model (${after.length}) contradict earlier ones: with these marks, a new model would catch ${rate(withThem)} of earlier spam; without them, ${rate(without)}`;
  }
  const since = newer.filter(isAfter);
  if (!isEnough(since)) return undefined;
  const old = judged(scoredBy(inUse, since));
  const own = judged(since);
  return isWorse(own, old)
    ? `the model in use catches ${rate(old)} of the spam marked after it, and this one ${rate(own)}`
    : undefined;
}

const isEnough = (messages: readonly { readonly isSpam: boolean }[]): boolean => {
  const spam = messages.filter(({ isSpam }) => isSpam).length;
  return Math.min(spam, messages.length - spam) >= leastMarks;
};

/** Whether the difference is larger than chance explains (Wilson). */
const isWorse = ({ atHalf }: Trial, than: Trial): boolean =>
  atHalf.to < than.atHalf.caught / than.spam - worseBy;

const rate = ({ atHalf, spam }: Trial): string => percent(atHalf.caught / spam);
