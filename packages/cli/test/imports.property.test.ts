import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/fuzz.ts';
import { must } from '../../../test/support/must.ts';
import { parseConfig } from '../../../test/support/parse_config.ts';
import { formats, readImport } from '../../page/src/imports/read_import.ts';
import { configText } from '../../page/src/moving_in/config_text.ts';
import { formatProblem } from '../../yaml/src/problem.ts';

/** Every word that the tables of formats know: keys of paths, types, and what only looks like one. */
const known = [...new Set(JSON.stringify(formats).match(/[A-Za-z_]{3,}/g))];
const words = fc.constantFrom(
  ...known,
  ...[
    '__proto__',
    'constructor',
    'toString',
    '_ts',
    '',
    ' ',
    '<b>x</b>',
    '{{ .fields.x }}',
    '[a](javascript:b)',
  ],
  ...[
    '\u0000',
    '\u202e',
    '\ud800',
    '😀',
    ': ',
    '- a',
    '"',
    "'",
    '#',
    '1e999',
    '-0',
    'a.b',
    'a\tb\n',
    '/[/',
    '🙂'.repeat(99),
  ],
);
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    words,
    fc.constantFrom(true, false, null, 0, 1, -1, 5, 11, 1.5, 1e21),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(words, tie('value'), { maxKeys: 5 }),
  ),
}));

/** Fields of one format, with some of what it knows in wrong places. */
const typesOf = (types: string) => fc.constantFrom(...types.split(' '));
const choices = fc.array(fc.record({ label: words, value: words, isOther: anything }, { requiredKeys: [] }), {
  maxLength: 3,
});
const typeform = fc.record({
  title: anything,
  _links: anything,
  logic: anything,
  thankyou_screens: fc.array(fc.record({ title: words, properties: anything }), { maxLength: 2 }),
  settings: fc.record({ language: words, redirect_after_submit_url: words }),
  fields: fc.array(
    fc.record({
      type: typesOf(
        'short_text email dropdown multiple_choice legal opinion_scale nps rating matrix group payment statement __proto__',
      ),
      title: words,
      properties: fc.record(
        { choices, steps: anything, fields: anything, description: words, labels: anything },
        { requiredKeys: [] },
      ),
      validations: fc.record({
        required: anything,
        min_selection: anything,
        max_length: anything,
        min_value: anything,
      }),
    }),
    { maxLength: 6 },
  ),
});
const google = fc.record({
  info: fc.record({ title: words }),
  formId: fc.constant('1'),
  items: fc.array(
    fc.oneof(
      fc.record({ title: words, pageBreakItem: anything }),
      fc.record({ title: words, description: words, textItem: fc.constant({}) }),
      fc.record({
        title: words,
        questionItem: fc.record({
          question: fc.record({ choiceQuestion: fc.record({ type: words, options: choices }) }),
        }),
      }),
      fc.record({
        title: words,
        questionItem: fc.record({
          question: fc.record({ scaleQuestion: fc.record({ low: anything, high: anything }) }),
        }),
      }),
      fc.record({
        title: words,
        questionGroupItem: fc.record({
          questions: anything,
          grid: fc.record({ columns: fc.record({ options: choices }) }),
        }),
      }),
    ),
    { maxLength: 6 },
  ),
});
const relayFields = fc.array(
  fc.dictionary(
    fc.oneof(
      words,
      typesOf('name type label show_when min_selected one_of default pattern options required'),
    ),
    anything,
    { maxKeys: 6 },
  ),
  { maxLength: 5 },
);
const webformRelay = fc.record({
  forms: fc.dictionary(
    words,
    fc.record({ fields: relayFields, outputs: anything, spam: anything, confirmation: anything }),
    { maxKeys: 3 },
  ),
});
const formspree = fc.record({
  forms: fc.dictionary(words, fc.record({ name: words, fields: anything, actions: anything }), {
    maxKeys: 3,
  }),
});
const submissions = fc.record({ fields: anything, submissions: anything });

test('any JSON gives a config that loads, or a reason', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(anything, typeform, google, webformRelay, formspree, submissions),
      async (json) => {
        const read = await readImport(JSON.stringify(json, null, 1), undefined);
        if (!read.ok) {
          expect(read.error).toMatch(/^\w/);
          return;
        }
        const config = configText(read.value, 'export.json', 'webform.schema.json');
        const parsed = parseConfig(config, 'webform.yaml');
        expect(parsed.ok ? [] : parsed.error.map(formatProblem), config).toEqual([]);
        expect(config.replaceAll('\n', '')).not.toMatch(
          /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u,
        );
      },
    ),
    runs(150),
  );
});

const short = (title: string) => ({ type: 'short_text', title });

test('a form of 10,000 fields is read at once, and each has a name of its own', async () => {
  const fields = Array.from({ length: 10_000 }, (_, at) => short(at % 2 ? 'Again' : `Question ${at}`));
  const [form] = must(await readImport(JSON.stringify({ title: 'Large', fields, _links: {} }), undefined));
  expect(new Set(form?.fields.map(({ name }) => name)).size).toBe(10_000);
});

test.each([
  ['endless lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'cannot be read'],
  ['half a file', '{"title": "x", "fields": [', 'cannot be read'],
  ['something else', '{"name": "package", "version": "1.0.0"}', 'expected a page'],
  ['no fields', '{"title": "x", "fields": [], "_links": {}}', 'no fields'],
  ['text', 'forms are fun', 'expected a page'],
  ['a list of forms', 'forms:\n  - a\n', 'expected a page'],
])('%s: an error that says why', async (_, text, why) => {
  const read = await readImport(text, undefined);
  expect(read.ok ? '' : read.error).toContain(why);
});
