import { expect, test } from 'vitest';
import { ageInWords } from '../packages/relay/src/keeping/age_words.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

test.each([
  [-5, '0 s'],
  [0, '0 s'],
  [1_499, '1 s'],
  [59 * second, '59 s'],
  [59.6 * second, '1 min'],
  [minute, '1 min'],
  [59 * minute, '59 min'],
  [59.6 * minute, '1 h'],
  [90 * minute, '2 h'],
  [36 * hour, '36 h'],
  [47.9 * hour, '48 h'],
  [48 * hour, '2 days'],
  [14 * 24 * hour, '14 days'],
])('%i ms are %s', (ms, words) => {
  expect(ageInWords(ms)).toBe(words);
});
