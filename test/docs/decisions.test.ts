/** Decisions are found by their number: each that is cited stands in the index, which leads to the page that holds it. */
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tracked } from '../support/tracked.ts';
import { anchorsOf, papers, pathOf, read } from './papers.ts';

const index = 'docs/decisions/README.md';
const pages = papers.filter((paper) => /^docs\/decisions\/(?!README)/.test(paper));

const numbersIn = (text: string) => [...text.matchAll(/\bD(\d+)\b/g)].map(([, number]) => Number(number));

/** The numbers in a page's headings. */
const heldBy = (page: string) =>
  [...read(page).matchAll(/^## ((?:D\d+(?:, )?)+): /gm)].flatMap(([, numbers = '']) => numbersIn(numbers));

const listed = [...read(index).matchAll(/^- D(\d+): \[.+\]\(([^()#]+)#([^()]+)\)$/gm)].map(
  ([, number, path = '', anchor = '']) => ({
    number: Number(number),
    page: posix.join('docs/decisions', path),
    anchor,
  }),
);

test('the index lists each number once, in order', () => {
  const numbers = listed.map(({ number }) => number);
  expect(numbers.length).toBeGreaterThan(100);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
  expect(read(index).match(/^- /gm)).toHaveLength(listed.length);
});

test('the index leads to the heading that names the number, or to a place in the manual', () => {
  const lost = listed.filter(({ number, page, anchor }) => {
    if (!existsSync(pathOf(page)) || !anchorsOf(page).has(anchor)) return true;
    return pages.includes(page) && !(heldBy(page).includes(number) && /^d\d/.test(anchor));
  });
  expect(lost).toEqual([]);
});

test.each(pages)('%s holds numbers that the index leads to', (page) => {
  expect(heldBy(page)).not.toEqual([]);
  expect(read(page).match(/^## /gm)).toHaveLength(read(page).match(/^## D\d+(, D\d+)*: /gm)?.length ?? 0);
  const led = listed.filter((one) => one.page === page).map(({ number }) => number);
  expect(heldBy(page).toSorted((one, other) => one - other)).toEqual(led);
});

/** Numbers are written `D42`; `MD5`, `%D0` and `00D50` are something else. */
const cited = /(?<![\w%.-])D([1-9]\d{0,2})\b/g;

const citedIn = (text: string) => [...text.matchAll(cited)].map(([, number]) => Number(number));

describe('a number that is cited', () => {
  const files = tracked.filter(
    (path) =>
      /^((packages|test|docs|deploy|examples|lab|scripts)\/.*\.(m?[jt]s|cjs|css|md|sh|ya?ml|service|socket|tf)|[^/]*\.(md|ts))$/.test(
        path,
      ) && !/_code\.ts$/.test(path),
  );

  test('stands in the index', () => {
    const known = new Set(listed.map(({ number }) => number));
    const unknown = files
      .filter((path) => path !== index && path !== 'test/docs/decisions.test.ts')
      .flatMap((path) => citedIn(read(path)).map((number) => ({ path, number })))
      .filter(({ number }) => !known.has(number));
    expect(files.length).toBeGreaterThan(1_000);
    expect(unknown).toEqual([]);
  });

  test.each([
    ['// Patterns (D63).', [63]],
    ['D7, D39 and [D76](http-client.md)', [7, 39, 76]],
    ['MD5, %D0%BA, 00D50, D1000 and D0', []],
  ])('is found in %j', (text, numbers) => {
    expect(citedIn(text)).toEqual(numbers);
  });
});
