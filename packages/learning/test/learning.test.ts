/** Training a model on synthetic messages, and the promises of its report. */
import fc from 'fast-check';
import { relayWith } from '../../../test/support/index.ts';
import { openTerminal } from '../../cli/test/terminal.ts';
import { logOdds, type Model, seedsOf, strengthOf, writeModel } from '../../spam/src/lists/model.ts';
import { readList } from '../../spam/test/lists/mistakes_as_codes.ts';
import { type Marked, whyKeep } from '../src/learn.ts';
import { spokenWords, train } from '../src/train.ts';
import { judged, scoredByOlder } from '../src/try_out.ts';
import { lessonsOf, messages, modelOf, seeds } from './messages.ts';
import { people, spam, type Written } from './shop.ts';

const learn = (marked: readonly Marked[]) => lessonsOf(marked, seeds).lessons;
const trialOf = (marked: readonly Marked[]) => judged(scoredByOlder(learn(marked)));

const read = async (text: string) => {
  const list = await readList('model', text);
  return list.ok ? list.value.list.model : undefined;
};

describe('a model', () => {
  test('separates newer messages, and is the same each time', () => {
    const [old, newer] = [messages(300, 0.1), messages(200, 0.1, 2)];
    const model = train(learn(old));
    const right = newer.filter(({ texts, isSpam }) => logOdds(model, texts, seeds) > 0 === isSpam);
    expect(right.length).toBeGreaterThan(185);
    expect(train(learn(old))).toEqual(model);
  });

  test('has the same content after writing and reading, in 24 KB at most', async () => {
    const counts = { spam: 2, ham: 3, people: 4, reached: 1, tried: 6, caught: 7, madeAt: 5 };
    const steps = [-1.5, 2].map((from) => ({ from, strength: from < 0 ? 0.25 : 1 }));
    const model = modelOf(messages(100, 0.2), { ...counts, steps });
    const text = writeModel(model);
    expect(text.length).toBeLessThan(24 * 1_024);
    const again = await read(text);
    expect(again?.weights).toEqual(model.weights);
    expect(again).toMatchObject({ ...counts, steps });
    const [{ texts } = { texts: [] }] = messages(1, 0);
    expect(logOdds(again as Model, texts, seeds)).toBeCloseTo(logOdds(model, texts, seeds), 4);
    expect([-2, -1.5, 1.9, 2].map((odds) => strengthOf(model, odds))).toEqual([0, 0.25, 0.25, 1]);
  });

  test('contains no word, and says nothing with another key', () => {
    const marked = messages(200, 0.1);
    const text = writeModel(modelOf(marked));
    for (const word of ['casino', 'robot', 'oven']) expect(text).not.toContain(word);
    const other = seedsOf('another key of a test');
    expect(other.check).not.toBe(seeds.check);
    const model = train(learn(marked));
    const right = marked.filter(({ texts, isSpam }) => logOdds(model, texts, other) > 0 === isSpam);
    expect(right.length).toBeLessThan(150);
  });

  test('scores any text', () => {
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

describe('the words with the greatest weight', () => {
  const model = modelOf(messages(400, 0.1));
  const of = (...texts: string[]) => spokenWords(model, texts, seeds);

  test('are in the text, spelled as they were typed, each once', () => {
    const { spam, ham } = of('An oven? Casino, CASINO and a robot.', 'For my bike');
    expect(spam).toEqual(expect.arrayContaining(['Casino', 'robot']));
    expect(spam).not.toContain('CASINO');
    expect(ham).toEqual(expect.arrayContaining(['bike', 'oven']));
  });

  test('are few, and are pieces in a script without spaces', () => {
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

test('the evaluation counts the newer spam that the model would have caught', () => {
  const trial = trialOf(messages(1_000, 0.1));
  expect([trial.spam, trial.people]).toEqual([300, 300]);
  expect(trial.atNone.caught).toBeGreaterThan(240);
  expect(trial.atNone.falseAlarms).toBe(0);
  expect(trial.atNone.from).toBeLessThan(trial.atNone.caught / 300);
  expect(trial.atNone.to).toBeGreaterThan(trial.atNone.caught / 300);
});

test('the evaluation counts a campaign once, in training and in the test', () => {
  const campaign = Array.from(
    { length: 300 },
    (_, nth): Marked => ({
      id: `c${nth}`,
      texts: [`Earn ${nth} dollars a day with this robot, and quit your job tomorrow, write to Ann now`],
      isSpam: true,
      at: nth,
    }),
  );
  expect(lessonsOf([...messages(100, 0.2), ...campaign], seeds).copies).toBeGreaterThanOrEqual(299);
  expect(trialOf([...messages(200, 0.2), ...campaign]).spam).toBe(61);
});

/** The effect of a model's points on a submission, whatever it learned. */

/** A model that counts with its full weight for any spam. */
const model = modelOf(messages(100, 0));
const [{ texts: ofSpam } = { texts: [] }] = messages(1, 0, 3);

/** Submits spam to a form with a model whose training data held this number of people. */
async function judge(people: number, doubt: string, headers: Record<string, string>) {
  const env = {
    SPAM_MODEL_KEY: 'a fixed key of a test',
    FORM_TOKEN_SECRET: 'a secret of a test, long enough',
  };
  const config = `forms:
  contact:
    fields: [{name: message, type: textarea}]
    spam: {doubt: ${doubt}, signals: {learned: {model: spam.model, weight: 30}}}
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*", on_error: continue}]
`;
  const files = { 'webform.yaml': config, 'spam.model': writeModel({ ...model, people }) };
  const { cwd } = await openTerminal({ env, files });
  const relay = await relayWith({
    env: { ...env, CONFIG_FILE: `${cwd}/webform.yaml` },
    effects: { http: async () => ({ status: 200, headers: {}, body: '' }) },
  });
  await relay.submit('contact', [['message', ofSpam.join('\n')]], headers);
  const line = relay.logged.findLast(({ event }) => event === 'submission');
  return [(line?.signals as Record<string, number> | undefined)?.learned, line?.doubt];
}

const browser = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'accept-language': 'en',
  accept: '*/*',
};
const program = { 'user-agent': 'curl/8' };

test.each([
  ['below every action until 600 people were tried', 599, '{tag: 4, drop: 9}', browser, 3.9, undefined],
  ['below the mildest action, whichever that is', 599, '{drop: 6}', browser, 5.9, undefined],
  ['but they add to those of other signals', 599, '{observe: 1, tag: 4, drop: 9}', program, 3.9, 'tag'],
  ['as they are, if nothing but the log has them', 599, '{observe: 4}', browser, 30, 'observe'],
  ['below `drop` always', 600, '{tag: 4, drop: 9}', browser, 8.9, 'tag'],
  ['as they are without `drop`', 600, '{tag: 4}', browser, 30, 'tag'],
] as const)('the model’s points stay %s', async (_, people, doubt, headers, points, action) =>
  expect(await judge(people, doubt, headers)).toEqual([points, action]),
);

/** Hostile marks: how far somebody with permission to mark messages can damage a model. */

const madeAt = 1_000;

const marked = (all: readonly Written[], isSpam: boolean, from: number): readonly Marked[] =>
  all.map(({ name, email, message }, nth) => ({
    id: `${email} ${from}`,
    texts: [name, message],
    isSpam,
    at: from + nth / all.length,
  }));

const learnHostile = (marks: readonly Marked[], inUse?: Model) => {
  const { lessons, copies, contradictions } = lessonsOf(marks, seeds);
  const newer = scoredByOlder(lessons);
  const { steps, people: tried } = judged(newer);
  const model: Model = {
    ...train(lessons),
    check: seeds.check,
    spam: 0,
    ham: 0,
    people: tried,
    reached: 0,
    tried: 0,
    caught: 0,
    madeAt,
    steps,
  };
  return { model, copies, contradictions, why: inUse && whyKeep(inUse, lessons, newer) };
};

/** How many new messages of each kind get points. */
const caught = (model: Model) =>
  [spam(21, 100), people(22, 200)].map(
    (all) =>
      all.filter(({ name, message }) => strengthOf(model, logOdds(model, [name, message], seeds)) > 0).length,
  );

const honest = [...marked(people(1, 120), false, 0), ...marked(spam(2, 90), true, 0)];
const inUse = learnHostile(honest).model;
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
  const { model, why } = learnHostile(marks, inUse);
  expect(why).toBeUndefined();
  expect(caught(inUse)).toEqual([100, 0]);
  expect(caught(model)[0]).toBeGreaterThan(95);
});

test.each<readonly [string, readonly Marked[]]>([
  ['200 messages of people as spam', later(people(12, 200), true)],
  ['1,000 different spams as none', later(spam(11, 1_000), false)],
  ['20 of each the wrong way', [...later(spam(11, 20), false), ...later(people(12, 20), true)]],
  ['200 of each the wrong way', [...later(spam(11, 200), false), ...later(people(12, 200), true)]],
])('the current model is kept, and the report says why, if somebody marks: %s', (_, marks) => {
  const { why } = learnHostile([...honest, ...marks], inUse);
  expect(why).toMatch(
    /^marks made since the current model \(\d+\) contradict earlier ones: with these marks, a new model would catch [\d.]+% of earlier spam; without them, 100%$/,
  );
});

test.each<readonly [string, readonly Marked[]]>([
  ['20 different spams as none', [...honest, ...later(spam(11, 20), false)]],
  ['200 different spams as none', [...honest, ...later(spam(11, 200), false)]],
  [
    'a third of the spam anew as none',
    honest.map((one, nth) =>
      one.isSpam && nth % 3 === 0 ? { ...one, isSpam: false, markedAt: 2_000 } : one,
    ),
  ],
])('the model gives no points, or far fewer, if somebody marks: %s', (_, marks) =>
  expect(learnHostile(marks, inUse).model.steps.at(-1)?.strength ?? 0).toBeLessThan(0.1),
);

test('marks of copies do not reverse the first mark', () => {
  const known = learnHostile([...honest, ...later(copiesOf(2), false)], inUse);
  expect(known.contradictions).toHaveLength(200);
  expect(known.model).toEqual(inUse);
  // A flood of copies of one new message counts as a single mark.
  const { model, copies } = learnHostile([...honest, ...later(copiesOf(5), false)], inUse);
  expect(copies).toBeGreaterThan(190);
  expect(caught(model)[0]).toBeGreaterThan(85);
});

test('hostile marks give few people points', () => {
  for (const count of [20, 100]) {
    for (const marks of [later(people(12, count), true), later(spam(11, count), false)]) {
      const { model, why } = learnHostile([...honest, ...marks], inUse);
      if (why !== undefined) continue;
      expect(caught(model)[1]).toBeLessThanOrEqual(200 * 0.05);
    }
  }
});
