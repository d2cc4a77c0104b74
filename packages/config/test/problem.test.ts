import { expect, test } from 'vitest';
import { parseConfig } from '../../../test/support/parse_config.ts';

/** The problems of a config with this many of them, one a line. */
function problemsOf(count: number) {
  const keys = Array.from({ length: count }, (_, index) => `wrong${index}: 1\n`);
  const result = parseConfig(`forms: {}\n${keys.join('')}`, 'webform.yaml');
  return result.ok ? [] : result.error;
}

test.each([202, 1000])('the last of %i reported problems counts the rest', (count) => {
  const problems = problemsOf(count);
  expect(problems).toHaveLength(201);
  expect(problems.slice(0, 200).map(({ path }) => path)).toEqual(
    Array.from({ length: 200 }, (_, index) => `wrong${index}`),
  );
  expect(problems.at(-1)).toMatchObject({ line: 202, message: `${count - 200} more problems from here on` });
});
