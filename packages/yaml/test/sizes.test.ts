/** How large a config may be. */
import { expect, test } from 'vitest';
import { readDocument } from '../src/document.ts';
import { misreadOf } from '../src/misread.ts';

const codeOf = (yaml: string) => {
  const read = readDocument(yaml);
  return read.ok ? undefined : misreadOf(read.error).code;
};

test('a text has at most 16 MB', () => {
  const comment = (characters: number) => `a: b #${'-'.repeat(characters - 6)}`;
  expect(codeOf(comment(16 * 1024 * 1024))).toBeUndefined();
  expect(codeOf(comment(16 * 1024 * 1024 + 1))).toBe('config_too_large');
});

test('aliases may make ten times what is written, and 100,000 nodes more', () => {
  const list = `a: &a [${'x,'.repeat(34)}]\n`;
  const withAliases = (count: number) => `${list}b: [${'*a,'.repeat(count)}]`;
  // The 44 and 4,016 parser events yield 40 and 4,016 * 35 nodes, which is 10 * (44 + 4,016) + 100,000.
  expect(codeOf(withAliases(4_016))).toBeUndefined();
  expect(codeOf(withAliases(4_017))).toBe('yaml_aliases_too_large');
});
