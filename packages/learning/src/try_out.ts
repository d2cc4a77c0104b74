/** Tries what can be learned from marks on newer messages than it was learned from. */
import { oddsOf, type Step, strengthOf } from '@form-relay/relay/schema';
import type { Lesson } from './features.ts';
import { type Trained, train } from './train.ts';

/** How many of the newer spams were caught, while at most so many people were taken for spam. */
export interface Caught {
  readonly caught: number;
  readonly falseAlarms: number;
  /** Of the share caught: Wilson's interval of 95 % (1927). */
  readonly from: number;
  readonly to: number;
}

export interface Trial {
  /** Newer messages, without those that are much like another. */
  readonly spam: number;
  readonly people: number;
  readonly atNone: Caught;
  /** With one in 200 of the people, rounded down. */
  readonly atHalf: Caught;
  readonly steps: readonly Step[];
  /** Spam that gets no points, and people who get some: the worst first. */
  readonly wrong: readonly { readonly id: string; readonly isSpam: boolean }[];
}

export interface TrialOptions {
  /** The largest share of the weight that keeps its points below each action. */
  readonly mostBelowTag: number;
  readonly mostBelowDrop: number;
}

/** Of each kind, the older part that it learns from. */
const older = 0.7;
/** No false alarm among so many bounds their rate at half a percent. */
export const enoughPeople = 600;
const mostSteps = 24;
/** The share of people who may get points at all. */
const mostPeople = 0.02;

/** @param lessons The oldest first. Copies among them would be lesson and test at once. */
export function tryOut(lessons: readonly Lesson[], options: TrialOptions): Trial {
  const learnFrom: Lesson[] = [];
  const newer: Lesson[] = [];
  for (const kind of [true, false]) {
    const own = lessons.filter(({ isSpam }) => isSpam === kind);
    const cut = Math.floor(own.length * older);
    for (const [nth, one] of own.entries()) (nth < cut ? learnFrom : newer).push(one);
  }
  return judged(train(learnFrom), newer, options);
}

/** Judges a model by messages that it did not learn from. */
export function judged(
  model: Trained,
  newer: readonly Lesson[],
  { mostBelowTag, mostBelowDrop }: TrialOptions,
): Trial {
  const scored = newer.map(({ id, isSpam, features }) => ({ id, isSpam, odds: oddsOf(model, features) }));
  const spam = scored
    .filter(({ isSpam }) => isSpam)
    .map(({ odds }) => odds)
    .toSorted((a, b) => b - a);
  const people = scored
    .filter(({ isSpam }) => !isSpam)
    .map(({ odds }) => odds)
    .toSorted((a, b) => b - a);
  const most = people.length < enoughPeople ? mostBelowTag : mostBelowDrop;
  const steps = stepsOf(spam, people, most);
  const points = (odds: number) => strengthOf({ steps }, odds);
  return {
    spam: spam.length,
    people: people.length,
    atNone: caughtAt(spam, people, 0),
    atHalf: caughtAt(spam, people, Math.floor(people.length * 0.005)),
    steps,
    wrong: scored
      .filter(({ isSpam, odds }) => isSpam === (points(odds) === 0))
      .toSorted((one, other) => Math.abs(other.odds) - Math.abs(one.odds))
      .map(({ id, isSpam }) => ({ id, isSpam })),
  };
}

function caughtAt(spam: readonly number[], people: readonly number[], falseAlarms: number): Caught {
  const limit = people[falseAlarms] ?? -Infinity;
  const caught = spam.filter((odds) => odds > limit).length;
  return { caught, falseAlarms, ...wilson(caught, spam.length) };
}

/**
 * How much each score counts: by how much more often spam reaches it than people do, as far as so few messages can show. A
 * score that 3 times as much spam reaches counts nothing, and 300 times as much counts in full.
 */
function stepsOf(spam: readonly number[], people: readonly number[], most: number): readonly Step[] {
  const steps: Step[] = [];
  let best = 0;
  const every = Math.max(1, Math.floor(spam.length / mostSteps));
  for (let nth = spam.length; nth > 0; nth -= every) {
    const from = spam[nth - 1] as number;
    const reached = people.filter((odds) => odds >= from).length;
    if (reached > people.length * mostPeople) continue;
    const ratio = wilson(nth, spam.length).from / wilson(reached, people.length).to;
    const strength = Math.min(most, Math.max(0, (Math.log10(ratio) - 0.5) / 2));
    if (strength < best + 0.01) continue;
    best = strength;
    steps.push({ from, strength });
  }
  return steps;
}

/** The bounds of a share, with 95 % certainty. */
export function wilson(count: number, of: number): { readonly from: number; readonly to: number } {
  if (of === 0) return { from: 0, to: 1 };
  const z = 1.96;
  const share = count / of;
  const middle = (share + (z * z) / (2 * of)) / (1 + (z * z) / of);
  const reach = (z / (1 + (z * z) / of)) * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  return { from: Math.max(0, middle - reach), to: Math.min(1, middle + reach) };
}
