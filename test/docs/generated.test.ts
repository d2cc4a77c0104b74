import { readdirSync, readFileSync } from 'node:fs';
import { generated } from '../../scripts/generated.ts';
import { configCases } from '../support/config_cases.ts';
import { complaints } from '../support/editor.ts';
import { exceptExamples, parseConfig } from '../support/parse_config.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const list = (path: string) => readdirSync(new URL(`../../${path}`, import.meta.url));

test.each(Object.entries(generated))('%s is what `npm run generate` writes', async (path, text) =>
  expect(read(path)).toBe(await text()),
);

// test/plugins tests the plug-in examples.
const examples = list('examples').filter((name) => name !== 'README.md' && name !== 'plugins');

test.each(examples)('examples: %s loads without a warning', async (name) => {
  const result = parseConfig(read(`examples/${name}/webform.yaml`), 'webform.yaml');
  expect(result.ok ? exceptExamples(await result.value.warnings()) : result.error).toEqual([]);
});

test.each(examples)('examples: editors accept %s', (name) =>
  expect(complaints(read(`examples/${name}/webform.yaml`))).toEqual([]),
);

test.each(examples)('examples: %s says what it is for', (name) =>
  expect(read(`examples/${name}/README.md`)).toMatch(/^# \w/),
);

test('editors accept the config in the README', () =>
  expect(complaints(/^```yaml\n(.*?)^```$/ms.exec(read('README.md'))?.[1] ?? '')).toEqual([]));

/** The same configs as in packages/config/test/cases.test.ts. */
const cases = configCases.map(({ name, config, expected }) => {
  const isUnknownType = expected.includes('is not an output type');
  return { name, config, loads: /^ok$/m.test(expected), isUnknownType };
});

describe('the JSON Schema accepts what the relay loads', () => {
  // An unknown output type loads, although an editor should complain. For the relay, 1 and 01 are two keys.
  const exceptions = /^other_words_output_type|^ok_numbers_and_flags_are_text/;
  const fits = cases.filter(
    ({ name, loads, isUnknownType }) => loads && !isUnknownType && !exceptions.test(name),
  );

  test.each(fits)('$name', ({ config }) => expect(complaints(config)).toEqual([]));
});

test.each(cases.filter(({ name, loads }) => !loads && /^(key|kind|on_error)_/.test(name)))(
  'the JSON Schema rejects unknown, missing and wrong keys as the relay does: $name',
  ({ config }) => expect(complaints(config)).not.toEqual([]),
);

const contact = (keys: string) => `forms: {contact: {${keys}}}`;
const mistyped = contact(
  'fields: [{name: email, type: email, requierd: true}], outputs: [{type: http_post, url: "https://example.com"}]',
);
const ofAnother = contact(
  'fields: [], outputs: [{type: http_post, url: "https://example.com", host: mail.example.com}]',
);
const withoutHost = contact('fields: [], outputs: [{type: smtp, to: a@example.com}]');
const flags = contact(
  'title: true, fields: [{name: 1, label: true}], outputs: [{type: smtp, host: 1, to: true, subject: true, static: {a: 1.50}}]',
);

test.each([
  ['a mistyped key', mistyped, '/fields/0 must NOT have additional properties requierd'],
  ['a key of another output type', ofAnother, '/outputs/0 must NOT have additional properties host'],
  ['the key that is missing', withoutHost, "/outputs/0 must have required property 'host' host"],
  ['nothing in a flag or a number in place of text', flags],
])('an editor complains about %s', (_, config = '', ...expected) =>
  expect(complaints(config)).toEqual(expected.map((one) => `/forms/contact${one}`)),
);
