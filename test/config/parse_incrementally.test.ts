/** Some forms at a time, a config is what it is as a whole. */
import { readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { err, ok } from '../../packages/relay/src/base/result.ts';
import type { Forms } from '../../packages/relay/src/config/forms.ts';
import { notesOn } from '../../packages/relay/src/config/needed_variables.ts';
import { type Config, type ParseResult, parseInLanguages } from '../../packages/relay/src/config/parse.ts';
import {
  createIncrementalParser,
  problemsOf,
  splitForms,
} from '../../packages/relay/src/config/parse_incrementally.ts';
import { formatProblem } from '../../packages/relay/src/config/problem.ts';
import type { ReadBeside } from '../../packages/relay/src/config/source.ts';
import { sampleOf } from '../support/fuzz.ts';

const oneByOne = { characters: 1, timesAround: 0 };
const noneBeside = async () => err('there is none');

async function inPieces(
  text: string,
  parse = createIncrementalParser(oneByOne),
  read: ReadBeside = noneBeside,
): Promise<ParseResult> {
  const parsed = await parse(text, 'webform.yaml', () => {}, read);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

/** With all forms built. */
const whole = async (config: Config) => ({
  ...config,
  forms: new Map(config.forms),
  notes: notesOn(config.forms),
  said: await config.warnings(),
});

/** All that can be seen of it. Who writes it twice made two of it. */
const shown = async (result: ParseResult) =>
  inspect(result.ok ? await whole(result.value) : result.error, {
    depth: 12,
    maxArrayLength: null,
    maxStringLength: null,
    breakLength: 120,
  });

async function expectTheSame(text: string): Promise<ParseResult> {
  const result = await inPieces(text);
  expect(await shown(await inPieces(text, createIncrementalParser()))).toBe(await shown(result));
  expect(await shown(result)).toBe(await shown(await parseInLanguages(text, 'webform.yaml', noneBeside)));
  return result;
}

const cases = new URL('../config-cases/', import.meta.url);

const configOf = (name: string) => readFileSync(new URL(name, cases), 'utf8').split('----------\n')[0] ?? '';

/** Several forms, among them one that is to be looked at. */
const around = (form: string, indent = '  ') => `# A config
cache_ttl: 1m
forms:
  # The first.
${indent}first: {fields: [{name: a}], outputs: [{type: http_post, url: "https://example.com/1", mapping: "*"}]}
${form}
${indent}last:
${indent}  fields: [{name: a}]
${indent}  outputs:
${indent}    - {type: http_post, url: "https://example.com/2", mapping: "*"}
messages: {submit: Go}
`;
const form = (name: string, title: string) =>
  `  ${name}:\n    title: ${title}\n    fields: [{name: a}]\n    outputs: [{type: http_post, url: "https://example.com/", mapping: "*"}]\n`;

describe('is split', () => {
  test.each([
    [
      'a block of text with lines that look like keys',
      form('a', '|\n      forms:\n      last: x\n\n      # no comment\n      end'),
    ],
    ['folded text', form('a', '>-\n      one\n\n      two')],
    ['quotes over several lines', form('a', '"one\n      two: three\n      four"')],
    ['brackets over several lines', form('a', 'x').replace('[{name: a}]', '[\n      {name: a}\n      ]')],
    ['comments at any indentation', form('a', 'x\n# here\n # there\n          # and there')],
    ['a quoted name', form('"a: b"', 'x')],
    ['a name in other letters', form('Grüße an uns', 'x')],
    ['Windows line ends', form('a', 'x').replaceAll('\n', '\r\n')],
    ['an ampersand in a text', form('a', 'Fish & chips, https://example.com/?a=1&b=2')],
  ])('%s', async (_, one) => {
    const text = around(one);
    const { forms = [], around: [before, after] = [] } = splitForms(text) ?? {};
    expect(forms.length).toBe(3);
    expect([before, ...forms, after].join('')).toBe(text);
    expect([before, after]).toEqual([expect.stringMatching(/forms:/), expect.stringMatching(/^messages:/)]);
    const result = await expectTheSame(text);
    expect(result.ok).toBe(true);
  });
});

test('a text with Windows line ends is split', async () => {
  const text = around(form('a', 'x\n    # here')).replaceAll('\n', '\r\n');
  expect(splitForms(text)?.forms).toHaveLength(3);
  await expectTheSame(text);
});

describe('is not split, and the same all the same', () => {
  test.each([
    ['forms in brackets', 'forms: {a: {fields: [{name: a}], outputs: []}}\n'],
    ['no forms', 'cache_ttl: 1m\n'],
    ['forms twice', `${around(form('a', 'x'))}forms: {}\n`],
    ['an anchor and its alias', around(`${form('a', '&t x')}${form('b', '*t')}`)],
    [
      'a closing bracket where a form could begin',
      around(form('a', 'x').replace('[{name: a}]', '[\n      {name: a}\n  ]')),
    ],
    ['a list', 'forms:\n  - a\n  - b\n'],
    ['a form less indented than the first', `forms:\n    a: {}\n  b: {}\n`],
    ['a tab', `forms:\n  a: {}\n\tb: {}\n`],
    ['a second document', `${around(form('a', 'x'))}---\nforms: {}\n`],
    ['names that are numbers', around(`${form('b', 'x')}${form('2', 'x')}${form('1', 'x')}`)],
    ['a complex key', around('  ? a\n  : {}')],
    ['nothing', ''],
  ])('%s', async (_, text) => {
    expect(splitForms(text)).toBeUndefined();
    await expectTheSame(text);
  });
});

/** The beginnings of forms, and the rest of a line above and below them. */
const split = (name: string, { head = 'forms:', below = 'messages: {}' } = {}) =>
  splitForms(`${head}\n  ${name} {}\n\r\n  other: {}\n${below}\n`)?.forms.length;

test.each(['a:', 'a b:', '2a:', 'a2 :', '"2 a":', "'it''s':".replace("''", ''), '"a:b#c":', 'ü-_.:'])(
  'a form called %s begins a piece',
  (name) => {
    expect(split(name)).toBe(2);
  },
);

test.each([
  ...[
    '2:',
    '12:',
    '"12":',
    "'12':",
    '12 :',
    '"12" :',
    '- a:',
    '? a:',
    '& a:',
    '* a:',
    '!a b:',
    '| a:',
    '> a:',
    '% a:',
  ],
  ...[
    '@a:',
    '`a:',
    ', a:',
    '[a]:',
    ']a:',
    '{a}:',
    '}a:',
    ': a:',
    '#a:',
    'a#b:',
    'a',
    'a:b',
    '"a\\"b":',
    '"a:',
    "'a:",
    '"a" b:',
  ],
])('what begins with %s is left to the parser', (name) => {
  expect(split(name)).not.toBe(2);
});

test.each(['forms: # all of them', 'forms:  ', 'forms:\t# all', 'forms:\r'])('%j is above forms', (head) => {
  expect(split('a:', { head })).toBe(2);
});

test.each([
  'forms: {',
  'forms: &a',
  '"forms":',
  "'forms':",
  'forms :',
  'forms: x # all',
  'a: 1\nforms: *b',
  'x: forms:',
])('%j is left to the parser', (head) => {
  expect(split('a:', { head })).toBeUndefined();
});

test.each([
  ['---', undefined],
  ['...', undefined],
  ['%YAML 1.2', undefined],
  ['a: 1\n---', undefined],
  ['forms: {}', undefined],
  ['"forms" : {}', undefined],
  ['&a b: 1', undefined],
  ['b: [&a 1]', undefined],
  ['b: {x: 1,&a y: 1}', undefined],
  ['a: ---', 2],
  ['a: b...c%', 2],
  ['a: R&D, a&b', 2],
  ['# forms:', 2],
])('with %j below, there are %s pieces', (below, pieces) => {
  expect(split('a:', { below })).toBe(pieces);
});

test('without any form, nothing is split', () => {
  expect(splitForms('forms:\nmessages: {}\n')).toBeUndefined();
  expect(splitForms('forms:\n  # none\n')).toBeUndefined();
  expect(splitForms('forms:')).toBeUndefined();
  expect(splitForms('forms:\n  a: {}')?.forms).toEqual(['  a: {}']);
});

test('of many forms, those that are wrong are told of as of the whole', async () => {
  const many = Array.from({ length: 200 }, (_, index) =>
    form(`form_${index}`, index % 61 === 60 ? 'x\n    titel: y' : 'x'),
  );
  const result = await expectTheSame(around(many.join('')));
  expect(result.ok ? [] : result.error.map(formatProblem)).toHaveLength(3);
});

test.each([
  ['a form twice', around(`${form('a', 'x')}${form('a', 'y')}`)],
  ['a form twice, once in quotes', around(`${form('a', 'x')}${form('"a"', 'y')}`)],
  ['a quote that is never closed', around(form('a', '"x'))],
  ['an alias without an anchor', around(form('a', '*x'))],
  ['wrong keys in several forms', around(`${form('a', 'x\n    titel: y')}${form('b', 'x\n    feilds: y')}`)],
  ['a wrong key above the forms', `cache_tll: 1m\n${around(form('a', 'x'))}`],
  ['a wrong key below the forms', `${around(form('a', 'x'))}mesages: {}\n`],
  ['a form with nothing', around('  a:')],
])('%s is told as of the whole', async (_, text) => {
  const result = await expectTheSame(text);
  expect(result.ok).toBe(false);
});

describe('what is wrong with one form', () => {
  const told = (text: string, ...fine: string[]) => {
    const pieces = splitForms(text);
    if (!pieces) throw new Error('it is not split');
    return problemsOf(pieces, new Set([1]), new Set(fine), 'webform.yaml');
  };
  const wrong = form('a', 'x\n    titel: y');

  test('is told without the others', async () => {
    const text = around(wrong);
    expect((await told(text, 'first', 'last'))?.map(formatProblem)).toEqual([
      'webform.yaml:8:5: forms.a.titel: unknown key (did you mean title?)',
    ]);
    const whole = await parseInLanguages(text, 'webform.yaml', noneBeside);
    expect(await told(text, 'first', 'last')).toEqual(whole.ok ? [] : whole.error);
  });

  test.each([
    ['it is called like another', around(wrong.replace('a:', 'last:'))],
    ['it is a key of the form above, one level too high', around('  title: x\n')],
    ['something beside the forms is wrong, too', `cache_tll: 1m\n${around(wrong)}`],
    ['a quote goes on in the next form', around(form('a', '"x'))],
    ['nothing is wrong with it alone', around(form('a', 'x'))],
  ])('is told of the whole where %s', async (_, text) => {
    expect(await told(text, 'first', 'last')).toBeUndefined();
  });
});

/** Parses one text after the other. */
function parser(read: ReadBeside = noneBeside) {
  const parse = createIncrementalParser(oneByOne);
  return async (text: string): Promise<Forms> => {
    const result = await inPieces(text, parse, read);
    if (!result.ok) throw new Error(result.error.map(formatProblem).join('\n'));
    return result.value.forms;
  };
}

test('forms that have not changed are not parsed again', async () => {
  const forms = parser();
  const noted = (of: Forms, id: string) => of.late?.notes.find((one) => one.id === id);
  const before = await forms(around(`${form('a', 'x')}${form('b', 'x')}`));
  const after = await forms(around(`${form('a', 'x')}${form('b', 'y')}`));
  expect([...after.keys()]).toEqual(['first', 'a', 'b', 'last']);
  expect(noted(after, 'a')).toBe(noted(before, 'a'));
  expect(noted(after, 'b')).not.toBe(noted(before, 'b'));
  expect(after.get('b')?.title).toBe('y');
  // What stands around them is said of each.
  const other = await forms(around(`${form('a', 'x')}${form('b', 'y')}`).replace('Go', 'Send'));
  expect(noted(other, 'a')).not.toBe(noted(after, 'a'));
  expect(other.get('a')?.submitLabel).toBe('Send');
  // A text that does not load changes nothing.
  await expect(forms(around(form('a', 'x\n    titel: y')))).rejects.toThrow('titel');
  const again = await forms(around(`${form('a', 'x')}${form('b', 'y')}`).replace('Go', 'Send'));
  expect(noted(again, 'a')).toBe(noted(other, 'a'));
});

test('forms that speak different languages are split', async () => {
  const of = (id: string, tag: string) => form(id, 'x').replace('title', `language: ${tag}\n    title`);
  const forms = await parser()(around(`${of('a', 'de')}${of('b', 'fr')}`));
  expect(forms.late).toBeDefined();
  expect(['first', 'a', 'b'].map((id) => forms.get(id)?.confirmation)).toEqual([
    'Thank you.',
    'Vielen Dank.',
    'Merci.',
  ]);
});

test('a file beside an unchanged text is read again', async () => {
  let word = 'Bonvole sendu';
  const forms = parser(async () => ok(`submit: ${word}\n`));
  const text = around(form('a', 'x').replace('title', 'language: eo\n    title')).replace(
    /messages: .*/,
    'language_files: {eo: esperanto.yaml}',
  );
  expect((await forms(text)).get('a')?.submitLabel).toBe('Bonvole sendu');
  word = 'Sendu';
  expect((await forms(text)).get('a')?.submitLabel).toBe('Sendu');
});

test.each(sampleOf(readdirSync(cases)))('%s', async (name) => {
  await expectTheSame(configOf(name));
});

test.each(sampleOf(readdirSync(cases).filter((name) => splitForms(configOf(name)))))(
  '%s, between forms that are fine',
  async (name) => {
    const { around: [before, after] = ['', ''], forms = [] } = splitForms(configOf(name)) ?? {};
    const [indent = ''] = /^ +(?=[^\s#])/m.exec(forms[0] ?? '') ?? [];
    const fine = (id: string) => form(id, id).replaceAll(/^ {2}/gm, indent);
    const text = [before, fine('above'), ...forms, fine('below'), after].join('');
    expect(await shown(await inPieces(text))).toBe(
      await shown(await parseInLanguages(text, 'webform.yaml', noneBeside)),
    );
  },
);
