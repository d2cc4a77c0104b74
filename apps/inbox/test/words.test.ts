import { describe, expect, test } from 'vitest';
import { wantedWords, wordsOf } from '../src/words.ts';

/** Whether a search finds a text, as each index has it. */
function finds(search: string, text: string): boolean {
  const words = wordsOf(text);
  return wantedWords(search).every(({ word, also, isPrefix }) =>
    words.some((each) => (isPrefix ? each.startsWith(word) : each === word) || each === also),
  );
}

describe('a search finds a text', () => {
  test.each([
    ['cafe', 'Café'],
    ['CAFÉ', 'cafe\u0301'],
    ['strasse', 'Große Straße 1'],
    ['istanbul', 'İstanbul'],
    ['orsted', 'Ørsted'],
    ['σοφος', 'ΣΟΦΌΣ'],
    ['hello wor', 'Hello, World!'],
    ['ada@example.org', 'Ada <Ada@Example.ORG>'],
    ['@example.org', 'Ada <Ada@Example.ORG>'],
    ['"ada@example.org"', 'Write to ada@example.org.'],
    ['ada@example.org', 'https://example.org/?to=ada@example.org'],
    ['ada+news@example.org', 'ada+news@example.org, bob@example.org'],
    ["o'neil@mail-1.example.org", "O'Neil@mail-1.example.org"],
    ['info@bücher.example', 'info@xn--bcher-kva.example'],
    ['info@xn--bcher-kva.example', 'info@bücher.example'],
    ['jörg@example.org', 'JÖRG@example.org'],
    ['offer ada@example.org', 'Ada <ada@example.org> asks for an offer'],
    ['1815', 'born in 1815'],
    ['fi', 'ﬁle'],
    ['検索', '全文検索の例'],
    ['全文検', '全文検索'],
    ['검', '검색어'],
    ['ガイド', 'ｶﾞｲﾄﾞ'],
    ['𠮷野', '𠮷野家'],
    ['สวัส', 'สวัสดีครับ'],
    ['नमस्ते', 'नमस्ते दुनिया'],
    ['東京 ada', 'Ada lives in 東京'],
  ])('%s: %s', (search, text) => {
    expect(finds(search, text)).toBe(true);
  });

  test.each([
    ['hell world', 'hello world'],
    ['索検', '全文検索'],
    ['world ada', 'hello world'],
    ['ada@example.org', 'org, example and ada'],
    ['ada@example.org', 'lady.ada@example.org'],
    ['ada@example.org', 'ada+news@example.org'],
    ['"ada@example.org"', 'ada@example.org.evil'],
    ['jorg@example.org', 'jörg@example.org'],
  ])('but not %s: %s', (search, text) => {
    expect(finds(search, text)).toBe(false);
  });
});

test('a search without words wants none, and encoded data is cut', () => {
  expect(wantedWords(' "…" ')).toEqual([]);
  expect(wordsOf('x'.repeat(100_000))).toEqual(['x'.repeat(64)]);
  expect(finds('x'.repeat(90), 'x'.repeat(100))).toBe(true);
});
