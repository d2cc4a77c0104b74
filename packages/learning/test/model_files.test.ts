/** All kinds of model files: a running relay keeps the last valid model, and reports what is wrong with the new file. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { holds, sampleOf } from '../../../test/support/fuzz.ts';
import { relayWith } from '../../../test/support/index.ts';
import { openTerminal } from '../../cli/test/terminal.ts';
import { logOdds, strengthOf, writeModel } from '../../spam/src/lists/model.ts';
import { readList } from '../../spam/test/lists/mistakes_as_codes.ts';
import { messages, modelOf, seeds } from './messages.ts';

const [quarter, half] = [
  { from: 1, strength: 0.25 },
  { from: 2.5, strength: 0.5 },
] as const;
const good = writeModel(modelOf(messages(100, 0), { steps: [quarter, half] }));
const [{ texts: ofSpam } = { texts: [] }] = messages(1, 0, 3);

const config = `forms:
  contact:
    fields: [{name: message, type: textarea}]
    spam: {doubt: observe, signals: {learned: {model: spam.model}}}
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*", on_error: continue}]
`;

/** A running relay, and its owner's shell. */
async function stage() {
  const env = { SPAM_MODEL_KEY: 'a fixed key of a test' };
  const { cwd, run } = await openTerminal({ env, files: { 'webform.yaml': config, 'spam.model': good } });
  const relay = await relayWith({
    env: { ...env, CONFIG_FILE: join(cwd, 'webform.yaml') },
    // Nothing is delivered.
    effects: { http: async () => ({ status: 200, headers: {}, body: '' }) },
  });
  const file = join(cwd, 'spam.model');
  /** Replaces the model file. Returns what the relay logs about the new file, and the points that a spam message then gets. */
  const replace = async (content: string | Uint8Array | (() => Promise<unknown>)) => {
    await rm(file, { recursive: true });
    await (typeof content === 'function' ? content() : writeFile(file, content));
    const before = relay.logged.length;
    const news = () => relay.logged.slice(before).filter(({ event }) => /^config_/.test(event));
    relay.advance(30_000);
    await relay.get('/readyz');
    await vi.waitFor(() => expect(news()).not.toEqual([]), { interval: 1 });
    const [event] = news();
    const problem = (event?.problems as string[] | undefined)?.[0]?.replace(`${cwd}/`, '');
    return { event: event?.event, problem, points: await points() };
  };
  const points = async () => {
    await relay.submit('contact', [['message', ofSpam.join('\n')]]);
    const line = relay.logged.findLast(({ event }) => event === 'submission');
    return (line?.signals as Record<string, number> | undefined)?.learned;
  };
  return { file, run, points, replace };
}

const lines = good.split('\n');
const withLine = (start: string, line: string) =>
  lines.map((one) => (one.startsWith(start) ? line : one)).join('\n');
const weights = lines.filter((one) => one.startsWith('weights'));
const rest = weights.slice(46);

const numbers = [
  'NaN',
  'Infinity',
  '-Infinity',
  '1e400',
  '0x10',
  '1e99',
  '9'.repeat(300),
  '',
  '1 2 3',
  '--1',
];
const damaged = 'this line is not valid in a model; write a new one with relay rules learn';
const bad: readonly (readonly [what: string, content: string | Uint8Array, why: string])[] = [
  ['nothing', '', '1:1: this model is incomplete: it has no line `format`'],
  ['a format to come', withLine('format', 'format 2'), 'has format 2, and this relay reads format 1'],
  ['half of the weights', lines.filter((one) => !rest.includes(one)).join('\n'), 'of 16384 weights'],
  ['twice the weights', good + weights.join('\n'), damaged],
  ...['format', 'marks', 'people', 'caught', 'made', 'step', 'bias', 'scale'].flatMap((name, line) =>
    numbers
      .filter((_, nth) => nth % 3 === line % 3)
      .map((value) => [`${name} ${value.slice(0, 9)}`, withLine(name, `${name} ${value}`), damaged] as const),
  ),
  ['people below 0', withLine('people', 'people -3'), damaged],
  ['a scale below 0', withLine('scale', 'scale -0.5'), damaged],
  ['a strength below 0', withLine('step 1', 'step 1 -0.1'), damaged],
  ['a strength above 1', withLine('step 2', 'step 2 1.1'), damaged],
  ['steps that fall', withLine('step 2', 'step 0 0.5'), damaged],
  ['strengths that fall', withLine('step 2', 'step 2 0.1'), damaged],
  ['too many steps', good + 'step 9 0.9\n'.repeat(63), damaged],
  ['two keys', good + lines.find((one) => one.startsWith('key')), damaged],
  ['two biases', `${good}bias 1`, damaged],
  ['half a key', withLine('key', `key ${seeds.check.slice(8)}`), damaged],
  ['no key', withLine('key', ''), 'it has no line `key`'],
  ['a line of JavaScript', `${good}constructor 1`, damaged],
  ['bytes', Uint8Array.from({ length: 5_000 }, (_, nth) => (nth * 7_919) % 256), 'is zero'],
  ['a compressed file', Uint8Array.from([0x1f, 0x8b, 8, 0, ...rest.join('')].map(Number)), 'is zero'],
];

test('each damaged file is reported with its name, and the last valid model stays in use', async () => {
  const { file, run, points, replace } = await stage();
  expect(await points()).toBe(3);
  for (const [what, content, why] of bad) {
    const found = await replace(content);
    expect({ what, ...found }).toEqual({
      what,
      event: 'config_invalid',
      problem: expect.stringMatching(new RegExp(`(^|: )spam\\.model:.*${why}`)),
      points: 3,
    });
  }
  const places = Array.from({ length: Math.floor(good.length / 97) }, (_, nth) => nth * 97);
  for (const end of sampleOf(places)) {
    const found = await replace(good.slice(0, end));
    expect({ end, ...found }).toEqual({
      end,
      event: 'config_invalid',
      problem: expect.stringMatching(/: this (model is incomplete: it has|line is not valid in a model)/),
      points: 3,
    });
  }
  const unreadable = (why: string) => ({
    event: 'config_invalid',
    problem: expect.stringMatching(
      new RegExp(`^webform\\.yaml:.*signals\\.learned\\.model: spam\\.model: .*${why}`),
    ),
    points: 3,
  });
  expect(await replace(good + '# more\n'.repeat(3e6))).toEqual(unreadable('the file is over 16 MB'));
  expect(await replace(() => mkdir(file))).toEqual(unreadable(''));
  // Root can read every file.
  if (process.getuid?.() !== 0)
    expect(await replace(() => writeFile(file, good, { mode: 0 }))).toEqual(unreadable(''));
  await replace(withLine('bias', 'bias NaN'));
  const result = await run('relay config validate');
  expect(result.code).toBe(1);
  expect(result.stdout + result.stderr).toMatch(new RegExp(`spam\\.model:.*${damaged}`));

  // Other valid models are loaded.
  const loaded = { event: 'config_loaded', problem: undefined };
  expect(await replace(good.replaceAll('\n', '\r\n'))).toEqual({ ...loaded, points: 3 });
  expect(await replace(good.replace('step 2.5000 0.500', 'step 2.5000 0.750'))).toEqual({
    ...loaded,
    points: 4.5,
  });
  expect(await run('relay config validate')).toMatchObject({ code: 0 });
});

const read = async (text: string) => {
  const list = await readList('model', text);
  return list.ok ? list.value.list.model : undefined;
};

/** Changes, removes, doubles or moves a character, a line or a longer part of the file. */
const change = fc.tuple(
  fc.constantFrom('replace', 'insert', 'remove', 'double'),
  fc.nat(),
  fc.nat({ max: 300 }),
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom('\n', '=', ' ', '-', 'e+9', '9'.repeat(20), ...numbers, ...lines.slice(1, 10)),
  ),
);
const changed = (text: string, [how, place, length, other]: [string, number, number, string]): string => {
  // Most of the file is weights. The part before them is changed equally often.
  const at = place % (place % 2 === 0 ? text.length + 1 : Math.min(text.length + 1, 300));
  const [head, part, rest] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
  if (how === 'replace') return head + other + rest;
  if (how === 'insert') return head + other + part + rest;
  return how === 'remove' ? head + rest : head + part + part + rest;
};

test('a changed file is read as a complete model with finite odds, or not at all', () =>
  holds(200, [fc.array(change, { minLength: 1, maxLength: 3 })], async (changes) => {
    const found = await read(changes.reduce(changed, good));
    if (!found) return;
    expect(found.weights).toHaveLength(16_384);
    const odds = logOdds(found, ofSpam, seeds);
    expect(odds).toSatisfy(Number.isFinite);
    expect(strengthOf(found, odds)).toBeGreaterThanOrEqual(0);
    expect(strengthOf(found, odds)).toBeLessThanOrEqual(1);
    expect(found.scale).toBeGreaterThan(0);
  }));
