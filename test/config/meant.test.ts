/** "Did you mean" as a change of the file: applied, it mends the problem. */
import { describe, expect, test } from 'vitest';
import { err } from '../../packages/relay/src/base/result.ts';
import { inspectInLanguages } from '../../packages/relay/src/config/parse.ts';

/** `«wrong»` stands for the word found, which is the only mistake. */
const cases: Readonly<Record<string, readonly [yaml: string, meant: string]>> = {
  'a key': ['forms: {a: {fields: [{«nmae»: email}], outputs: $out}}', 'name'],
  'a key that other tools call so': ['forms: {a: {fields: [{name: b, «title»: B}], outputs: $out}}', 'label'],
  'a type of field': ['forms: {a: {fields: [{name: b, type: «emial»}], outputs: $out}}', 'email'],
  'a type in quotes': ['forms: {a: {fields: [{name: b, type: "«emial»"}], outputs: $out}}', 'email'],
  'a type of output': [
    'forms: {a: {fields: [{name: b}], outputs: [{type: «http_psot», url: "http://localhost", mapping: "*"}]}}',
    'http_post',
  ],
  'a choice': [
    'forms: {a: {fields: [{name: b}], outputs: [{on_error: «contineu», type: http_post, url: "http://localhost", mapping: "*"}]}}',
    'continue',
  ],
  'a flag': ['forms: {a: {fields: [{name: b, required: «yes»}], outputs: $out}}', 'true'],
  'a duration': [
    'forms: {a: {fields: [{name: b}], outputs: [{timeout: «10 seconds», type: http_post, url: "http://localhost", mapping: "*"}]}}',
    '10s',
  ],
  'a field of a mapping': [
    'forms: {a: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost", mapping: {to: «emial»}}]}}',
    'email',
  ],
  'a field of a condition': [
    'forms: {a: {fields: [{name: email, required: true}], outputs: [{when: {field: «emial», filled: true}, type: http_post, url: "http://localhost", mapping: "*"}]}}',
    'email',
  ],
  'a field of a template, but not the same word beside it': [
    'forms: {a: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost", static: {to: "emial {{ trim .fields.«emial» }}"}}]}}',
    'email',
  ],
  'a field of a template of several lines': [
    'forms:\n  a:\n    fields: [{name: email}]\n    outputs:\n      - type: http_post\n        url: http://localhost\n        static:\n          to: |\n            emial\n            {{ .fields.«emial» }}\n',
    'email',
  ],
  'a path of a template': [
    'forms: {a: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost", static: {to: "{{ «.filds.email» }}"}}]}}',
    '.fields.email',
  ],
  'a path that lacks its start': [
    'forms: {a: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost", static: {to: "{{ «form.email» }}"}}]}}',
    '.fields.email',
  ],
  'a function of a template': [
    'forms: {a: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost", static: {to: "{{ «uper» .fields.email }}"}}]}}',
    'upper',
  ],
};

const out = '[{type: http_post, url: "http://localhost", mapping: "*"}]';

async function problemsOf(yaml: string) {
  const parsed = await inspectInLanguages(yaml, 'webform.yaml', async () => err('no file is beside it'));
  return parsed.ok ? await parsed.value.warnings() : parsed.error;
}

describe('a word that was probably meant mends', () => {
  test.each(Object.entries(cases))('%s', async (_, [marked, near]) => {
    const [before = '', found = '', after = ''] = marked.replace('$out', out).split(/[«»]/);
    const problems = await problemsOf(before + found + after);
    const lines = before.split('\n');
    expect(problems.map(({ meant }) => meant)).toEqual([
      { text: near, line: lines.length, column: (lines.at(-1) ?? '').length + 1, length: found.length },
    ]);
    expect(await problemsOf(before + near + after)).toEqual([]);
  });

  test.each([
    [
      'but is not offered where the key belongs elsewhere',
      'forms: {a: {fields: [{name: b, on_error: fail}], outputs: $out}}',
    ],
    [
      'nor where an escape hides the word',
      'forms: {a: {fields: [{name: b, type: "\\x65mial"}], outputs: $out}}',
    ],
    [
      'nor for a secret',
      'forms: {a: {fields: [{name: b}], captcha: {provider: turnstile, secret: "{{ uper \\"x\\" }}"}, outputs: $out}}',
    ],
  ])('%s', async (_, yaml) => {
    const problems = await problemsOf(yaml.replace('$out', out));
    expect(problems).not.toEqual([]);
    expect(problems.filter(({ meant }) => meant)).toEqual([]);
  });
});
