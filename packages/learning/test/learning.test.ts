/** Lessons of a model of made-up messages, and the promises of its report. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seedsOf } from '../../spam/src/lists/features.ts';
import { logOdds, type Model, strengthOf, writeModel } from '../../spam/src/lists/model.ts';
import { readList } from '../../spam/test/lists/mistakes_as_codes.ts';
import { spokenWords } from '../src/learned_words.ts';
import type { Marked } from '../src/marked.ts';
import { train } from '../src/train.ts';
import { judged, scoredByOlder } from '../src/try_out.ts';
import { lessonsOf, messages, seeds } from './messages.ts';

const learn = (marked: readonly Marked[]) => lessonsOf(marked, seeds).lessons;
const trialOf = (marked: readonly Marked[]) => judged(scoredByOlder(learn(marked)));

const modelOf = (marked: readonly Marked[]): Model => ({
  ...train(learn(marked)),
  ...{ check: seeds.check, spam: 2, ham: 3, people: 4, reached: 1, tried: 6, caught: 7, madeAt: 5 },
  steps: [
    { from: -1.5, strength: 0.25 },
    { from: 2, strength: 1 },
  ],
});

const read = async (text: string) => {
  const list = await readList('model', text);
  return list.ok ? list.value.list.model : undefined;
};

describe('a model', () => {
  test('tells newer messages apart, and is the same each time', () => {
    const [old, newer] = [messages(300, 0.1), messages(200, 0.1, 2)];
    const model = train(learn(old));
    const right = newer.filter(({ texts, isSpam }) => logOdds(model, texts, seeds) > 0 === isSpam);
    expect(right.length).toBeGreaterThan(185);
    expect(train(learn(old))).toEqual(model);
  });

  test('is read as it was written, in 24 KB at most', async () => {
    const model = modelOf(messages(100, 0.2));
    const text = writeModel(model);
    expect(text.length).toBeLessThan(24 * 1_024);
    const again = await read(text);
    expect(again?.weights).toEqual(model.weights);
    expect(again).toMatchObject({ spam: 2, ham: 3, people: 4, reached: 1, tried: 6, caught: 7, madeAt: 5 });
    expect(again?.steps).toEqual(model.steps);
    const [{ texts } = { texts: [] }] = messages(1, 0);
    expect(logOdds(again as Model, texts, seeds)).toBeCloseTo(logOdds(model, texts, seeds), 4);
    expect([-2, -1.5, 1.9, 2].map((odds) => strengthOf(model, odds))).toEqual([0, 0.25, 0.25, 1]);
  });

  test('holds no word, and says nothing under another key', () => {
    const marked = messages(200, 0.1);
    const text = writeModel(modelOf(marked));
    for (const word of ['casino', 'robot', 'oven']) expect(text).not.toContain(word);
    const other = seedsOf('another key of a test');
    expect(other.check).not.toBe(seeds.check);
    const model = train(learn(marked));
    const right = marked.filter(({ texts, isSpam }) => logOdds(model, texts, other) > 0 === isSpam);
    expect(right.length).toBeLessThan(150);
  });

  test('weighs any text', () => {
    const model = modelOf(messages(60, 0.2));
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 300 })), (texts) =>
        Number.isFinite(logOdds(model, texts, seeds)),
      ),
    );
    for (const text of ['', '😀', '\ud800', 'a'.repeat(1e6), '\ufdfa'.repeat(30_000)])
      expect(logOdds(model, [text], seeds)).toBeTypeOf('number');
  });
});

describe('the words that a model weighs most', () => {
  const model = modelOf(messages(400, 0.1));
  const of = (...texts: string[]) => spokenWords(model, texts, seeds);

  test('are those of the text, as they were typed, each once', () => {
    const { spam, ham } = of('An oven? Casino, CASINO and a robot.', 'For my bike');
    expect(spam).toEqual(expect.arrayContaining(['Casino', 'robot']));
    expect(spam).not.toContain('CASINO');
    expect(ham).toEqual(expect.arrayContaining(['bike', 'oven']));
  });

  test('are few, and pieces of a script without spaces', () => {
    const many = messages(100, 0.5).flatMap(({ texts }) => texts);
    expect([of(...many).spam.length, of(...many).ham.length]).toEqual([8, 4]);
    const chinese = '免费提供贷款服务请立即联系我们的客服人员获得更多优惠信息谢谢您的支持与信任祝您生活愉快';
    const marked = messages(60, 0).map((one) => (one.isSpam ? { ...one, texts: [chinese + one.id] } : one));
    const { spam } = spokenWords(modelOf(marked), [chinese], seeds);
    expect(spam.length).toBeGreaterThan(0);
    for (const piece of spam) expect([chinese.includes(piece), piece.length <= 8]).toEqual([true, true]);
  });

  test('are found in any text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 300 })), (texts) => {
        const { spam, ham } = of(...texts);
        return [...spam, ...ham].every((word) => texts.some((text) => text.includes(word)));
      }),
    );
    for (const text of ['', '😀', '\ud800', 'a'.repeat(1e6), '\ufdfa'.repeat(30_000)])
      expect(of(text).spam.length).toBeLessThanOrEqual(8);
  });
});

describe('the trial', () => {
  test('counts what newer spam it would have caught', () => {
    const trial = trialOf(messages(1_000, 0.1));
    expect([trial.spam, trial.people]).toEqual([300, 300]);
    expect(trial.atNone.caught).toBeGreaterThan(240);
    expect(trial.atNone.falseAlarms).toBe(0);
    expect(trial.atNone.from).toBeLessThan(trial.atNone.caught / 300);
    expect(trial.atNone.to).toBeGreaterThan(trial.atNone.caught / 300);
  });

  test('a campaign counts once, as a lesson and as a test', () => {
    const campaign = Array.from(
      { length: 300 },
      (_, nth): Marked => ({
        id: `c${nth}`,
        texts: [`Earn ${nth} dollars a day with this robot, and quit your job tomorrow, write to Ann now`],
        isSpam: true,
        at: nth,
      }),
    );
    const { copies } = lessonsOf([...messages(100, 0.2), ...campaign], seeds);
    expect(copies).toBeGreaterThanOrEqual(299);
    expect(trialOf([...messages(200, 0.2), ...campaign]).spam).toBe(61);
  });
});
