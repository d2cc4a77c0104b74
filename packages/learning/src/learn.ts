import type { ArchiveDocument } from '@form-relay/more-outputs/archive_layout';
import type { Seeds } from '@form-relay/spam/lists/features';
import type { Model } from '@form-relay/spam/lists/model';
import { freeTexts } from '@form-relay/spam/signals/typed';
import type { Lesson, Lessons } from './features.ts';
import { train } from './train.ts';
import { judged, percent, type Scored, scoredBy, scoredByOlder, type Trial } from './try_out.ts';

/** A message that its owner marked. */
export interface Marked {
  /** Names it to its owner. */
  readonly id: string;
  /** The texts typed into its fields. */
  readonly texts: readonly string[];
  readonly isSpam: boolean;
  /** When it came, in milliseconds since the epoch; 0 if nobody knows. */
  readonly at: number;
  /** When it was marked. Default: when it came. */
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

/** From marks to a model, or to the reason why it is of no use. */

interface LearnFrom {
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
      (steps.length === 0 ? 'the model cannot distinguish newer spam from messages of people' : undefined),
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

/** Why so many messages are not enough; `undefined` if they are. */
export const whyTooFew = (spam: number, ham: number): string | undefined =>
  Math.min(spam, ham) < leastMarks
    ? `needs ${leastMarks} different messages of each kind, and there are ${spam} and ${ham}`
    : undefined;

/** Fewer messages of either kind prove nothing. */
const leastMarks = 30;
const worseBy = 0.05;
/** Compares only the newest of each part. More take longer and show the same. */
const mostCompared = 10_000;

/**
 * Why the model in use should stay; `undefined` if it need not. Marks made after it may be hostile, so what they say of each other
 * proves little: a model that learns from them, too, must not catch less of what was marked before them. And of spam marked after it,
 * the model in use must not catch more than the new one.
 *
 * @param newer Of the new model (`scoredByOlder`).
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
      return `the ${after.length} marks made since the current model contradict earlier ones: with them, a new model would catch ${rate(withThem)} of earlier spam, without them ${rate(without)}`;
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

/** By so much more than chance explains (Wilson). */
const isWorse = ({ atHalf }: Trial, than: Trial): boolean =>
  atHalf.to < than.atHalf.caught / than.spam - worseBy;

const rate = ({ atHalf, spam }: Trial): string => percent(atHalf.caught / spam);
