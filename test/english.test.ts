/** Comments and test titles say what they are about: few sentences begin with a word that names no subject. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tracked } from './support/tracked.ts';

const openings = 'of|who|whom|whose|whoever|what|whatever|nobody|one|those|such|its|they|it|so many';
const inComment = new RegExp(`^(?:${openings.replaceAll(/(?:^|\|)./g, (start) => start.toUpperCase())})\\b`);
const inTitle = new RegExp(`^(?:${openings})\\b`, 'i');
const mostShare = 0.01;

const sources = tracked.filter(
  (path) => /\.(?:[cm]?js|tsx?)$/.test(path) && !/(?:^|\/)(?:built|dist)\//.test(path),
);
const comment = /\/\*\*?(.*?)\*\/|(?:^[ \t]*\/\/[^\n]*\n)+/gms;
const title = /\b(?:test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g;

interface Words {
  readonly text: string;
  readonly isMeant: boolean;
}

const sentencesOf = (text: string) => text.split(/(?<=[.;!?:]) (?=[A-Z])/);

/** Each text that the pattern finds, with its file and line. */
function found(paths: readonly string[], pattern: RegExp, read: (match: RegExpMatchArray) => Words) {
  const bad: string[] = [];
  let count = 0;
  for (const path of paths) {
    const source = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
    for (const match of source.matchAll(pattern)) {
      const { text, isMeant } = read(match);
      count += 1;
      const line = source.slice(0, match.index).split('\n').length;
      if (!isMeant) bad.push(`${path}:${line}: ${text.slice(0, 120)}`);
    }
  }
  expect(count).toBeGreaterThan(2_000);
  return { bad, share: bad.length / count };
}

test('fewer than 1 % of the comments have a sentence without a subject at its start', () => {
  const { bad, share } = found(sources, comment, ([whole, block = whole]) => {
    const text = block
      .replaceAll(/^\s*(?:\*|\/\/) ?/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    return { text, isMeant: !sentencesOf(text).some((one) => inComment.test(one)) };
  });
  expect(share, bad.join('\n')).toBeLessThan(mostShare);
});

test('fewer than 1 % of the titles of tests have no subject at their start', () => {
  const tests = sources.filter((path) => path.includes('.test.'));
  const { bad, share } = found(tests, title, ([, , text = '']) => ({ text, isMeant: !inTitle.test(text) }));
  expect(share, bad.join('\n')).toBeLessThan(mostShare);
});
