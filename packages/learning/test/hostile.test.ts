/** Hostile marks: what somebody who may mark, and means harm, can do to a model. */
import { describe, expect, test } from 'vitest';
import { logOdds, type Model, strengthOf } from '../../spam/src/lists/model.ts';
import { whyKeep } from '../src/learn.ts';
import type { Marked } from '../src/marked.ts';
import { train } from '../src/train.ts';
import { judged, scoredByOlder } from '../src/try_out.ts';
import { lessonsOf, seeds } from './messages.ts';
import { people, spam, type Written } from './shop.ts';

const madeAt = 1_000;

const marked = (all: readonly Written[], isSpam: boolean, from: number): readonly Marked[] =>
  all.map(({ name, email, message }, nth) => ({
    id: `${email} ${from}`,
    texts: [name, message],
    isSpam,
    at: from + nth / all.length,
  }));

const learn = (marks: readonly Marked[], inUse?: Model) => {
  const { lessons, copies, contradictions } = lessonsOf(marks, seeds);
  const newer = scoredByOlder(lessons);
  const { steps, people: tried } = judged(newer);
  const model: Model = {
    ...train(lessons),
    ...{ check: seeds.check, spam: 0, ham: 0, people: tried, reached: 0, tried: 0, caught: 0, madeAt, steps },
  };
  return { model, copies, contradictions, why: inUse && whyKeep(inUse, lessons, newer) };
};

/** How many of new messages get points, of both kinds. */
const caught = (model: Model) =>
  [spam(21, 100), people(22, 200)].map(
    (all) =>
      all.filter(({ name, message }) => strengthOf(model, logOdds(model, [name, message], seeds)) > 0).length,
  );

const honest = [...marked(people(1, 120), false, 0), ...marked(spam(2, 90), true, 0)];
const inUse = learn(honest).model;
const later = (all: readonly Written[], isSpam: boolean) => marked(all, isSpam, 2_000);

const copiesOf = (seed: number): readonly Written[] => {
  const [one = { name: '', email: '', message: '' }] = spam(seed, 1);
  return Array.from({ length: 200 }, (_, nth) => ({
    ...one,
    message: one.message.replaceAll(/\d+/g, String(nth)),
  }));
};

test('honest marks are learned', () => {
  const marks = [...honest, ...later(people(3, 60), false), ...later(spam(4, 60), true)];
  const { model, why } = learn(marks, inUse);
  expect(why).toBeUndefined();
  expect(caught(inUse)).toEqual([100, 0]);
  expect(caught(model)[0]).toBeGreaterThan(95);
});

describe('the model in use stays, and it is said why, if somebody marks', () => {
  test.each<readonly [string, readonly Marked[]]>([
    ['200 messages of people as spam', later(people(12, 200), true)],
    ['1,000 different spams as none', later(spam(11, 1_000), false)],
    ['20 of each the wrong way', [...later(spam(11, 20), false), ...later(people(12, 20), true)]],
    ['200 of each the wrong way', [...later(spam(11, 200), false), ...later(people(12, 200), true)]],
  ])('%s', (_, marks) => {
    const { why } = learn([...honest, ...marks], inUse);
    expect(why).toMatch(
      /^the \d+ marks made after the model in use contradict those before it: with them, it would catch [\d.]+ % of earlier spam, and 100 % without$/,
    );
  });
});

describe('there are no points, or far fewer, if somebody marks', () => {
  test.each<readonly [string, readonly Marked[]]>([
    ['20 different spams as none', [...honest, ...later(spam(11, 20), false)]],
    ['200 different spams as none', [...honest, ...later(spam(11, 200), false)]],
    [
      'a third of the spam anew as none',
      honest.map((one, nth) =>
        one.isSpam && nth % 3 === 0 ? { ...one, isSpam: false, markedAt: 2_000 } : one,
      ),
    ],
  ])('%s', (_, marks) => {
    const { model } = learn(marks, inUse);
    expect(model.steps.at(-1)?.strength ?? 0).toBeLessThan(0.1);
  });
});

test('marks of copies do not turn the mark of the first round', () => {
  const known = learn([...honest, ...later(copiesOf(2), false)], inUse);
  expect(known.contradictions).toHaveLength(200);
  expect(known.model).toEqual(inUse);
  // A flood of copies of a new one is a single mark.
  const { model, copies } = learn([...honest, ...later(copiesOf(5), false)], inUse);
  expect(copies).toBeGreaterThan(190);
  expect(caught(model)[0]).toBeGreaterThan(85);
});

test('hostile marks give few people points', () => {
  for (const count of [20, 100]) {
    for (const marks of [later(people(12, count), true), later(spam(11, count), false)]) {
      const { model, why } = learn([...honest, ...marks], inUse);
      if (why !== undefined) continue;
      expect(caught(model)[1]).toBeLessThanOrEqual(200 * 0.05);
    }
  }
});
