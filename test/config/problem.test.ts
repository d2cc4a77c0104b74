import { expect, test } from 'vitest';
import { inspectConfig, parseConfig, warningsIn } from '../support/parse_config.ts';

/** The problems of a config with this many of them, one a line. */
function problemsOf(count: number) {
  const keys = Array.from({ length: count }, (_, index) => `wrong${index}: 1\n`);
  const result = parseConfig(`forms: {}\n${keys.join('')}`, 'webform.yaml');
  return result.ok ? [] : result.error;
}

test.each([1, 200, 201])('%i problems are all told, in the order of the text', (count) => {
  const problems = problemsOf(count);
  const lines = problems.map(({ line, path }) => [line, path]);
  expect(lines).toEqual(Array.from({ length: count }, (_, index) => [index + 2, `wrong${index}`]));
  expect(problems.filter(({ message }) => !message.startsWith('unknown key'))).toEqual([]);
});

test.each([202, 1000])('of %i problems the last one told counts those that are not', (count) => {
  const problems = problemsOf(count);
  expect(problems).toHaveLength(201);
  expect(problems.slice(0, 200).map(({ path }) => path)).toEqual(
    Array.from({ length: 200 }, (_, index) => `wrong${index}`),
  );
  expect(problems.at(-1)).toMatchObject({ line: 202, message: `${count - 200} more problems from here on` });
});

test('what is counted beyond 200 is an error if one of it is', () => {
  const fields = Array.from({ length: 201 }, (_, index) => `{name: a${index}, value: '', max_length: 99999}`);
  const config = (last: string) =>
    `forms: {a: {fields: [${fields.join(', ')}], outputs: [{type: x}], confirmation: "", ${last}}}`;
  const last = (text: string) => {
    const result = inspectConfig(text, 'webform.yaml');
    return (result.ok ? warningsIn(result.value, text, 'webform.yaml') : result.error).at(-1);
  };
  expect(last(config('title: x'))).toMatchObject({ code: 'more_problems', severity: 'warning' });
  expect(last(config('titel: x'))).toMatchObject({ code: 'more_problems', severity: 'error' });
});

test.each([
  [992, 1_000],
  [993, 1_001],
  [5_000, 1_001],
])('a path of a name of %i characters shows at most 1,000, and an ellipsis', (length, shown) => {
  const result = parseConfig(`forms: {? ${'x'.repeat(length)} : {x: y}}`, 'webform.yaml');
  if (result.ok) expect.unreachable();
  const path = result.error.at(-1)?.path ?? '';
  expect(path).toHaveLength(shown);
  expect(path.startsWith(`forms.${'x'.repeat(900)}`)).toBe(true);
  expect(path.endsWith('…')).toBe(shown > 1_000);
});
