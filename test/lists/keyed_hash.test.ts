import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HashSet } from '../../packages/relay/src/schema/lists/hash_set.ts';
import { createKeyedHash, keyedHash } from '../../packages/relay/src/schema/lists/keyed_hash.ts';

/** The reference in words of 32 bits, as https://github.com/veorq/SipHash has it (halfsiphash.c), in plain steps. */
function reference(key0: number, key1: number, words: readonly number[]): number {
  const rotate = (x: bigint, by: bigint) => ((x << by) | (x >> (32n - by))) & 0xffffffffn;
  const word = (x: number) => BigInt(x >>> 0);
  const v: [bigint, bigint, bigint, bigint] = [
    word(key0),
    word(key1) ^ 0xeen,
    0x6c796765n ^ word(key0),
    0x74656462n ^ word(key1),
  ];
  const round = () => {
    v[0] = (v[0] + v[1]) & 0xffffffffn;
    v[1] = rotate(v[1], 5n) ^ v[0];
    v[0] = rotate(v[0], 16n);
    v[2] = (v[2] + v[3]) & 0xffffffffn;
    v[3] = rotate(v[3], 8n) ^ v[2];
    v[0] = (v[0] + v[3]) & 0xffffffffn;
    v[3] = rotate(v[3], 7n) ^ v[0];
    v[2] = (v[2] + v[1]) & 0xffffffffn;
    v[1] = rotate(v[1], 13n) ^ v[2];
    v[2] = rotate(v[2], 16n);
  };
  for (const one of words.map(word)) {
    v[3] ^= one;
    round();
    round();
    v[0] ^= one;
  }
  v[2] ^= 0xeen;
  for (let turn = 0; turn < 4; turn += 1) round();
  const low = v[1] ^ v[3];
  v[1] ^= 0xddn;
  for (let turn = 0; turn < 4; turn += 1) round();
  const high = (v[1] ^ v[3]) & 0x1fffffn;
  return Number((high << 32n) | low) || 1;
}

/** Two UTF-16 units a word, and the length at the end. */
function wordsOf(text: string): readonly number[] {
  const words: number[] = [];
  for (let at = 0; at < text.length; at += 2) {
    const second = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
    words.push(text.charCodeAt(at) + second * 65_536);
  }
  return [...words, text.length];
}

describe('the hash', () => {
  const key = fc.integer();
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }));

  test('is HalfSipHash-2-4', () => {
    fc.assert(
      fc.property(key, key, text, (key0, key1, text) => {
        expect(createKeyedHash(key0, key1).ofText(text)).toBe(reference(key0, key1, wordsOf(text)));
      }),
    );
  });

  test('differs for other texts, and under other keys', () => {
    const { ofText, ofPair } = createKeyedHash(1, 2);
    const texts = ['', '\0', '\0\0', 'a', 'a\0', 'ab', 'ba', 'abc', 'ab\0c', '\uffff'];
    expect(new Set(texts.map(ofText)).size).toBe(texts.length);
    expect(createKeyedHash(1, 3).ofText('a')).not.toBe(ofText('a'));
    expect(ofPair(ofText('a'), ofText('b'))).not.toBe(ofPair(ofText('b'), ofText('a')));
  });

  test('a process has one key', () => {
    expect(keyedHash().ofText('a')).toBe(keyedHash().ofText('a'));
  });
});

describe('the table', () => {
  const hash = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

  test('has what was added, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(hash), fc.array(hash), (added, others) => {
        const table = new HashSet();
        for (const one of added) table.add(one);
        const known = new Set(added);
        for (const one of [...added, ...others]) expect(table.has(one)).toBe(known.has(one));
        expect(table.size).toBe(known.size);
      }),
    );
  });

  test('takes hashes that all want the same slot', () => {
    const table = new HashSet();
    const alike = Array.from({ length: 2_000 }, (_, index) => (index + 1) * 2 ** 41 + 7);
    for (const one of alike) table.add(one);
    expect(alike.every((one) => table.has(one))).toBe(true);
    expect(table.has(7)).toBe(false);
  });
});
