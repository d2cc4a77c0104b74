/** "Did you mean" as a change of the file: applied, it mends the problem. */
import { describe, expect, test } from 'vitest';
import { inspectInLanguages } from '../../../test/support/parse_config.ts';

/** `«wrong»` stands for the word found, which is the only mistake. */
const cases: Readonly<Record<string, readonly [yaml: string, meant: string]>> = {
  'a key': ['forms: {a: {fields: [{«nmae»: email}], outputs: $out}}', 'name'],
  'a key that other tools call so': ['forms: {a: {fields: [{name: b, «title»: B}], outputs: $out}}', 'label'],
  'a flag': ['forms: {a: {fields: [{name: b, required: «yes»}], outputs: $out}}', 'true'],
  'a duration': [
    'forms: {a: {fields: [{name: b}], outputs: [{timeout: «10 seconds», type: http_post, url: "http://localhost", mapping: "*"}]}}',
    '10s',
  ],
  'a field of a mapping': [
    'forms: {a: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost", mapping: {to: «emial»}}]}}',
    'email',
  ],
  'a field of a template, but not the same word beside it': [
    'forms: {a: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost", static: {to: "emial {{ trim .fields.«emial» }}"}}]}}',
    'email',
  ],
  'a path of a template': [
    'forms: {a: {fields: [{name: email}], outputs: [{type: http_post, url: "http://localhost", static: {to: "{{ «.filds.email» }}"}}]}}',
    '.fields.email',
  ],
};

const out = '[{type: http_post, url: "http://localhost", mapping: "*"}]';

async function problemsOf(yaml: string) {
  const parsed = await inspectInLanguages(yaml, 'webform.yaml');
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
});
