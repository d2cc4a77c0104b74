/** Texts with parameters, by codes that name them. */
import { expect, test } from 'vitest';
import clientErrors from '../../packages/relay/src/base/client_error_words.json' with { type: 'json' };
import findings from '../../packages/relay/src/schema/finding_words.json' with { type: 'json' };
import { failed } from '../core/client_error.ts';
import { say } from '../core/misread.ts';

test.each(Object.entries({ ...findings, ...clientErrors }))('%s', (key, text) => {
  const [, code = '', names] = /^([a-z\d_]+)(?:\((\w+(?:, \w+)*)\))?$/.exec(key) ?? [];
  expect(code).not.toBe('');
  const known = names?.split(', ') ?? [];
  // Braces that are no parameters stand in examples.
  const read = [...text.matchAll(/\{(\w+)(\|\w+)?\}/g)].filter(
    ([, name = '', form]) => form || known.includes(name),
  );
  for (const [, name = ''] of read) expect(known).toContain(name);
});

test('parameters are filled in, in their forms', () => {
  expect(say({ code: 'not_a_size', params: { found: '5XB', near: '5KB' } })).toBe(
    'found "5XB"; expected a size such as 500KB or 5MB (did you mean 5KB?)',
  );
  expect(say({ code: 'not_a_size', params: { found: 'hunter2', near: undefined } }, true)).toBe(
    'found text; expected a size such as 500KB or 5MB',
  );
  expect(say({ code: 'worth_missing', params: { value: '{name}' } })).toBe(
    'a formula needs the number that this stands for: {value: {name}, worth: 10}',
  );
  expect(failed('sqs_too_large', { size: 300_000, most: 262_144 }).message).toMatch(/: 293 KB, .* have 256;/);
  expect(failed('ses_status', { status: 400, name: '' }).message).toBe('SES answered 400');
});
