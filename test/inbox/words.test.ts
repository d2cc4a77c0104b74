import { describe, expect, test } from 'vitest';
import { wantedWords, wordsOf } from '../../packages/inbox/src/words.ts';

/** Whether a search finds a text, as each index has it. */
function finds(search: string, text: string): boolean {
  const words = wordsOf(text);
  return wantedWords(search).every(({ word, isPrefix }) =>
    words.some((each) => (isPrefix ? each.startsWith(word) : each === word)),
  );
}

describe('a search finds a text', () => {
  test.each([
    ['cafe', 'Café'],
    ['CAFÉ', 'cafe\u0301'],
    ['strasse', 'Große Straße 1'],
    ['STRASSE', 'straẞe'],
    ['Straße', 'STRASSE'],
    ['istanbul', 'İstanbul'],
    ['lodz', 'Łódź'],
    ['orsted', 'Ørsted'],
    ['σοφος', 'ΣΟΦΌΣ'],
    ['йод', 'Йод'],
    ['hello wor', 'Hello, World!'],
    ['ada@example.org', 'Ada <Ada@Example.ORG>'],
    ['1815', 'born in 1815'],
    ['fi', 'ﬁle'],
    ['検索', '全文検索の例'],
    ['索', '全文検索'],
    ['全文検', '全文検索'],
    ['검', '검색어'],
    ['ガイド', 'ｶﾞｲﾄﾞ'],
    ['データ', 'このデータは'],
    ['𠮷野', '𠮷野家'],
    ['สวัส', 'สวัสดีครับ'],
    ['नमस्ते', 'नमस्ते दुनिया'],
    ['東京 ada', 'Ada lives in 東京'],
    ['東京ada', 'Ada lives in 東京'],
  ])('%s: %s', (search, text) => {
    expect(finds(search, text)).toBe(true);
  });

  test.each([
    ['hell world', 'hello world'],
    ['か', 'が'],
    ['索検', '全文検索'],
    ['world ada', 'hello world'],
  ])('but not %s: %s', (search, text) => {
    expect(finds(search, text)).toBe(false);
  });
});

test('a search without words wants none, and encoded data is cut', () => {
  expect(wantedWords(' "…" ')).toEqual([]);
  expect(wordsOf('x'.repeat(100_000))).toEqual(['x'.repeat(64)]);
  expect(finds('x'.repeat(90), 'x'.repeat(100))).toBe(true);
});
