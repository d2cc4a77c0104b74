import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Log } from '../../packages/relay/src/base/effects.ts';
import { err, ok } from '../../packages/relay/src/base/result.ts';
import { type Config, type ParseResult, parseInLanguages } from '../../packages/relay/src/config/parse.ts';
import { createDryRun } from '../../packages/relay/src/dry_run/dry_run.ts';
import { humanToken } from '../../packages/relay/src/dry_run/stand_in_captcha.ts';
import { captcha } from '../../packages/relay/src/features/captcha/captcha.ts';
import { issueToken } from '../../packages/relay/src/features/form_token/token.ts';
import { minFill } from '../../packages/relay/src/features/min_fill.ts';
import type { Form } from '../../packages/relay/src/form.ts';
import { createRelay } from '../../packages/relay/src/relay.ts';
import { answer, parseInWorker, resultOf } from '../../packages/relay/src/runtimes/parse_in_worker.ts';
import type { Story } from '../../packages/relay/src/telling/story.ts';
import { runs, sampleOf } from '../support/fuzz.ts';
import { parseConfig } from '../support/parse_config.ts';

const program = new URL('../../dist/cli/parse_worker.cjs', import.meta.url);
const file = 'webform.yaml';
const readBeside = async () => err('there is no such file');

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const examples = readdirSync(new URL('examples/', root))
  .map((name) => `examples/${name}/webform.yaml`)
  .filter((path) => existsSync(new URL(path, root)));
const cases = readdirSync(new URL('test/config-cases/', root)).map((name) => `test/config-cases/${name}`);
const configIn = (path: string) => read(path).split('----------\n')[0] ?? '';

/** What a thread with this program leads to. Throws where it is not parsed at all. */
async function parsedBy(program: URL, text: string, log: Log): Promise<ParseResult> {
  const parsed = await parseInWorker(program)(text, file, log, readBeside);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

/** What the thread would lead to, without the thread; the answer goes over as it would. */
const withoutThread = async (text: string) =>
  resultOf({ text, file }, structuredClone(await answer({ text, file })), readBeside);

test.each([...examples, ...sampleOf(cases)])('a config behaves as parsed in one go: %s', async (path) => {
  const text = configIn(path);
  const inOneGo = await parseInLanguages(text, file, readBeside);
  expect(await behaviour(await withoutThread(text))).toEqual(await behaviour(inOneGo));
});

test('what is compared are forms that render and deliver', async () => {
  const [form] = (await behaviour(parseConfig(configIn('examples/contact-form/webform.yaml'), file))).forms;
  expect(form?.page).toContain('<form');
  expect(form?.stories).toEqual([expect.objectContaining({ outcome: 'delivered' })]);
});

test.each([
  ['every key', configIn('test/config-cases/ok_every_key.txt')],
  ['no forms', configIn('test/config-cases/ok_no_forms.txt')],
  ['many problems', configIn('test/config-cases/many_problems_at_once.txt')],
  ['no YAML', 'forms: ['],
  ['with a byte-order mark', `\uFEFF${configIn('examples/studio/webform.yaml')}`],
])('a thread gives what parsing in one go gives: %s', async (_, text) => {
  const logged = vi.fn();
  const result = await parsedBy(program, text, logged);
  expect(await behaviour(result)).toEqual(await behaviour(parseConfig(text, file)));
  expect(logged).not.toHaveBeenCalled();
});

test('a thread gives the forms of a config in all their languages', async () => {
  const text = `
languages: [de, eo, en]
language_files: {eo: eo.yaml}
messages: {submit: Go, de: {submit: Los}}
classes: {button: btn}
forms:
  contact:
    title: {de: Kontakt, eo: Kontakto, en: Contact}
    fields: [{name: a, label: {de: x, eo: y, en: z}}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
  plain:
    language: fr
    fields: []
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]
`;
  const beside = async () => ok('asterisk_note: noto');
  const result = await parseInWorker(program)(text, file, vi.fn(), beside);
  const plain = await parseInLanguages(text, file, beside);
  if (!result.ok || !result.value.ok || !plain.ok) throw new Error('it does not load');
  const said = (config: Config) =>
    [...config.forms.values()].flatMap((form) =>
      [form, ...form.variants.values()].map(
        ({ language, query, title, submitLabel, say, classes, fields }) => [
          language,
          query,
          title,
          submitLabel,
          say({ code: 'asterisk_note' }),
          classes,
          fields.map(({ label }) => label),
        ],
      ),
    );
  expect(said(result.value.value)).toEqual(said(plain.value));
  expect(said(plain.value)).toContainEqual([
    'eo',
    'lang=eo',
    'Kontakto',
    'Go',
    'noto',
    { button: 'btn' },
    ['y'],
  ]);
  expect(await result.value.value.warnings()).toEqual(await plain.value.warnings());
});

test('any names and texts arrive as they were written, in their order', async () => {
  const word = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'toJSON', '10', '2', '', 'a\n"b"\\', '\u2028'),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const output = fc.record({
    type: fc.constantFrom('http_post', 'never_heard_of'),
    url: fc.constant('https://example.com'),
    mapping: fc.array(fc.tuple(word, word), { maxLength: 5 }).map((pairs) => Object.fromEntries(pairs)),
    static: fc
      .array(fc.tuple(word, fc.option(word)), { maxLength: 5 })
      .map((pairs) => Object.fromEntries(pairs)),
  });
  const form = fc.record({
    fields: fc.array(word, { maxLength: 4 }).map((names) => names.map((name) => ({ name }))),
    outputs: fc.array(output, { minLength: 1, maxLength: 2 }),
    title: word,
  });
  const forms = fc.array(fc.tuple(word, form), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs));
  let good = 0;
  await fc.assert(
    fc.asyncProperty(forms, async (forms) => {
      const text = JSON.stringify({ cache_ttl: '7s', forms });
      const plain = parseConfig(text, file);
      if (plain.ok) good += 1;
      expect(shape(await withoutThread(text))).toEqual(shape(plain));
    }),
    runs(40),
  );
  expect(good).toBeGreaterThan(0);
});

test.each([
  ['is not there', new URL('file:///nowhere/parse_worker.cjs'), /nowhere/],
  ['fails', new URL('data:text/javascript,throw new Error("no luck")'), /^no luck$/],
  ['ends without an answer', new URL('data:text/javascript,process.exit(3)'), /^it ended without/],
])(
  'where the program of the thread %s, the config is parsed all the same, and the log says so',
  async (_, broken, reason) => {
    const logged = vi.fn();
    const text = configIn('examples/contact-form/webform.yaml');
    const result = await parsedBy(broken, text, logged);
    expect(shape(result)).toEqual(shape(parseConfig(text, file)));
    const fields = { config: file, reason: expect.stringMatching(reason) };
    expect(logged.mock.calls).toEqual([['warn', 'config_parsed_without_thread', fields]]);
  },
);

test('a config that needs more memory than the process may use is not parsed at all', async () => {
  const code = 'throw Object.assign(new Error("x"),{code:"ERR_WORKER_OUT_OF_MEMORY"})';
  const hungry = new URL(`data:text/javascript,${code}`);
  const logged = vi.fn();
  const result = await parseInWorker(hungry)('forms: {}', file, logged, readBeside);
  expect(result).toEqual(err('parsing it takes more memory than there is'));
  expect(logged).not.toHaveBeenCalled();
});

test('a config that takes too long to parse is not parsed here either', async () => {
  const logged = vi.fn();
  const endless = new URL('data:text/javascript,for(;;);');
  const result = await parseInWorker(endless, 200)('forms: {}', file, logged, readBeside);
  expect(result).toEqual(err('parsing it takes more than 0.2 s'));
  expect(logged).not.toHaveBeenCalled();
});

test('aliases that unfold to more than goes through a thread are parsed without one', async () => {
  const form = 'fields: [{name: a, help: *long}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]';
  const forms = Array.from({ length: 70 }, (_, id) => `  form_${id}: {${form}}\n`).join('');
  const text = `forms:
  first:
    title: &long "${'x'.repeat(2 ** 20)}"
    ${form.replace(', outputs', '\n    outputs')}
${forms}`;
  const logged = vi.fn();
  const result = await parsedBy(program, text, logged);
  expect(result.ok && result.value.forms.size).toBe(71);
  expect(logged.mock.calls).toEqual([
    ['warn', 'config_parsed_without_thread', { config: file, reason: expect.stringContaining('aliases') }],
  ]);
});

/** All that a result holds, but for what its functions do. */
const shape = (result: ParseResult) =>
  result.ok
    ? inspect([...result.value.forms], { depth: null, maxArrayLength: null, maxStringLength: null })
    : result.error;

/** Also what its functions do: the answers to a request for each form and to a submission, and what is sent. */
async function behaviour(result: ParseResult) {
  if (!result.ok) return { problems: result.error, forms: [] };
  const { value: config } = result;
  const stories: Story[] = [];
  const { settings, effects } = createRelay({
    env: {},
    effects: { log: () => {}, now: () => 1_800_000_000_000, uuid: () => 'uuid', random: () => 0.5 },
  });
  const cache = { sourceName: 'test', current: config, state: 'fresh', get: () => config } as const;
  const onStory = (story: Story) => void stories.push(story);
  const { handle, settings: used } = createDryRun({ settings, effects, config: cache, onStory });
  const body = new Uint8Array();
  const forms = [];
  for (const form of config.forms.values()) {
    stories.length = 0;
    const id = encodeURIComponent(form.id);
    const page = await handle({ method: 'GET', path: `/api/v1/form/${id}`, query: '', headers: {}, body });
    await handle({
      method: 'POST',
      path: `/api/v1/submit/${id}`,
      query: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(submission(form, used.formTokenSecret, effects.now()).toString()),
    });
    forms.push({ page: page.body, stories: [...stories] });
  }
  return { shape: shape(result), ttl: config.cacheTtlMs, warnings: await config.warnings(), forms };
}

/** What a visitor fills in; not every form takes it. */
function submission(form: Form, secret: string, now: number): URLSearchParams {
  const byType = new Map([
    ['email', 'ada@example.org'],
    ['number', '5'],
    ['date', '2026-11-20'],
    ['url', 'https://example.org'],
    ['tel', '+49 30 1234'],
  ]);
  const body = new URLSearchParams(
    form.fields.map(({ name, type, options }): [string, string] => [
      name,
      options?.[0]?.value ?? byType.get(type) ?? 'some text',
    ]),
  );
  const timed = minFill.of(form);
  if (timed) {
    const token = { issuedAt: now - timed.minFillMs, waitedMs: 0 };
    body.set(timed.tokenField, issueToken(secret, form.id, token));
  }
  const solved = captcha.of(form);
  if (solved) body.set(solved.tokenField, humanToken);
  return body;
}
