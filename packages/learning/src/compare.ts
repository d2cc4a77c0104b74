/** Whether a new model would do worse than the one in use. */
import type { Model } from '@form-relay/spam/lists/model';
import type { Lesson } from './features.ts';
import { percent } from './percent.ts';
import { judged, type Scored, scoredBy, scoredByOlder, type Trial } from './try_out.ts';

/** Fewer messages of either kind prove nothing. */
export const leastMarks = 30;
const worseBy = 0.05;
/** Of each part, the newest. More take longer and show the same. */
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
      return `the ${after.length} marks made after the model in use contradict those before it: with them, it would catch ${rate(withThem)} of earlier spam, and ${rate(without)} without`;
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
