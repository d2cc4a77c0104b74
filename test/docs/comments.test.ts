/** Claims about speed in the comments of `packages` can be looked up. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../packages/', import.meta.url));

const claims = (code: string): readonly string[] =>
  [...code.matchAll(/\/\*\*.*?\*\/|^\s*\/\/[^\n]*/gms)]
    .map(([comment]) => comment.trim())
    .filter((comment) => /\d ?%(?= (?:of|more|less|slower|faster)\b|[.,;])/.test(comment));

test('a comment that claims a percentage names the bench that shows it', () => {
  const unproven = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => claims(readFileSync(source + path, 'utf8')).map((comment) => ({ path, comment })))
    .filter(({ comment }) => !comment.includes('lab/bench/'));
  expect(unproven).toEqual([]);
});

test.each([
  ['// To spread them takes 2 % of a submission.', 1],
  ['/**\n * It costs\n * 3 % more.\n */', 1],
  ['// Half of `100%25`, and `fe80::1%eth0`.', 0],
])('%j has so many claims', (code, count) => {
  expect(claims(code)).toHaveLength(count);
});
