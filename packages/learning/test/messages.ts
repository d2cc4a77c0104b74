/** Synthetic messages made of plain words, so that the tests know what a model can learn from them. */

import { type Model, type Seeds, seedsOf } from '../../spam/src/lists/model.ts';
import type { Marked } from '../src/learn.ts';
import { LessonCollector, type Lessons, train } from '../src/train.ts';

export const seeds = seedsOf('a fixed key of a test');

/** Repeatable pseudorandom numbers (Lehmer, 1951). */
export function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Words made of syllables, so that no message is a near copy of another. */
const vocabulary = (syllables: string, count: number): readonly string[] => {
  const random = lehmer(syllables.length + count);
  const parts = syllables.split(' ');
  const part = () => parts[Math.floor(random() * parts.length)] ?? '';
  return Array.from({ length: count }, () => part() + part() + part());
};

const shared = vocabulary('the and wi ha fro li ple tha se wou abo', 60);
const ofSpam = ['casino', 'robot', ...vocabulary('ran tra pro loa goo mar bo che web off', 300)];
const ofPeople = ['oven', 'bike', ...vocabulary('ov rep del tab ord inv bro gar roo spa', 300)];

/** @param confused The share of words taken from the other kind. */
export function messages(count: number, confused: number, seed = 1): readonly Marked[] {
  const random = lehmer(seed);
  const oneOf = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? '';
  return Array.from({ length: count }, (_, nth) => {
    const isSpam = nth % 2 === 0;
    const words = Array.from({ length: 14 }, () => {
      if (random() < 0.5) return oneOf(shared);
      return oneOf(isSpam === random() >= confused ? ofSpam : ofPeople);
    });
    return { id: `m${nth}`, texts: [words.join(' ')], isSpam, at: nth };
  });
}

/** A model trained on synthetic messages, half of which are spam. */
export const modelOf = (marked: Iterable<Marked>, more: Partial<Model> = {}): Model => ({
  ...train(lessonsOf(marked, seeds).lessons),
  check: seeds.check,
  spam: 50,
  ham: 50,
  people: 30,
  reached: 0,
  tried: 30,
  caught: 29,
  madeAt: 1_790_000_000_000,
  steps: [{ from: 0, strength: 1 }],
  ...more,
});

export function lessonsOf(marked: Iterable<Marked>, seeds: Seeds): Lessons {
  const collector = new LessonCollector(seeds);
  for (const one of marked) collector.add(one);
  return collector.lessons();
}
