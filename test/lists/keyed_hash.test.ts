import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HashSet } from '../../packages/spam/src/lists/hash_set.ts';
import { createKeyedHash } from '../../packages/spam/src/lists/keyed_hash.ts';

describe('the hash', () => {
  test('differs for other texts, and under other keys', () => {
    const { ofText, ofPair } = createKeyedHash(1, 2);
    const texts = ['', '\0', '\0\0', 'a', 'a\0', 'ab', 'ba', 'abc', 'ab\0c', '\uffff'];
    expect(new Set(texts.map(ofText)).size).toBe(texts.length);
    expect(createKeyedHash(1, 3).ofText('a')).not.toBe(ofText('a'));
    expect(ofPair(ofText('a'), ofText('b'))).not.toBe(ofPair(ofText('b'), ofText('a')));
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
