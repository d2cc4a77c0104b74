/** From marks to a model, or to the reason why it is of no use. */
import type { Config } from '@form-relay/relay/config';
import { doubt } from '@form-relay/relay/features';
import type { Model, Seeds } from '@form-relay/relay/schema';
import { leastMarks, whyKeep } from './compare.ts';
import { type Lessons, lessonsOf } from './features.ts';
import type { Marked } from './marked.ts';
import { train } from './train.ts';
import { judged, scoredByOlder, type Trial, type TrialOptions } from './try_out.ts';

export interface LearnFrom {
  readonly marked: readonly Marked[];
  readonly seeds: Seeds;
  readonly limits: TrialOptions;
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

export function learn({ marked, seeds, limits, inUse, now }: LearnFrom): Learned {
  const { lessons, ...leftOut } = lessonsOf(marked, seeds);
  const newer = scoredByOlder(lessons);
  const trial = judged(newer, limits);
  const spam = lessons.filter(({ isSpam }) => isSpam).length;
  const ham = lessons.length - spam;
  const { people, steps, atNone } = trial;
  return {
    spam,
    ham,
    ...leftOut,
    trial,
    problem:
      whyTooFew(spam, ham) ??
      (inUse && whyKeep(inUse, lessons, newer, limits)) ??
      (steps.length === 0 ? 'it cannot tell newer spam from what people write' : undefined),
    model: () => ({
      ...train(lessons),
      ...{ check: seeds.check, spam, ham, steps, madeAt: now },
      ...{ people, tried: trial.spam, caught: atNone.caught },
    }),
  };
}

/** The largest shares of the weight that stay below the least `tag`, and the least `drop`, of all forms. */
export function limitsOf({ forms }: Pick<Config, 'forms'>): TrialOptions {
  let [tag, drop, weight] = [Infinity, Infinity, 6];
  for (const form of forms.values()) {
    const { thresholds = [], signals = [] } = doubt.of(form) ?? {};
    for (const { action, from } of thresholds) {
      if (action === 'tag') tag = Math.min(tag, from);
      if (action === 'drop') drop = Math.min(drop, from);
    }
    weight = Math.max(weight, signals.find(({ name }) => name === 'learned')?.weight ?? 0);
  }
  const below = (from: number) => Math.max(0, Math.min(1, (from - 0.1) / weight));
  return { mostBelowTag: below(Math.min(tag, drop, 4)), mostBelowDrop: below(drop) };
}

/** Why so many messages are not enough; `undefined` if they are. */
export const whyTooFew = (spam: number, ham: number): string | undefined =>
  Math.min(spam, ham) < leastMarks
    ? `needs ${leastMarks} different messages of each kind, and there are ${spam} and ${ham}`
    : undefined;
