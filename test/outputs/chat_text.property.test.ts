import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitted, jsonBytes } from '../../src/outputs/chat_text.ts';

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

function cutTo(value: string, most: number, sizeOf = jsonBytes): string | undefined {
  const text = { title: 't', isTitleSubmitted: false, entries: [{ label: 'l', value }], footer: [] };
  const limits = { title: 10, label: 10, value: most, entries: 10, total: 100_000, sizeOf };
  return fitted(text, limits).entries[0]?.value;
}

test('a cut text fits, ends between two characters, and loses no more than it must', () => {
  const words = fc.string({
    unit: fc.constantFrom('x', 'é', '"', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '👩‍👩‍👧', 'a\u0301', '🇦🇹', '\u05d0'),
    maxLength: 120,
  });
  fc.assert(
    fc.property(words, fc.integer({ min: 3, max: 300 }), (value, most) => {
      const shown = cutTo(value, most) ?? '';
      expect(jsonBytes(shown)).toBeLessThanOrEqual(most);
      if (jsonBytes(value) <= most) {
        expect(shown).toBe(value);
        return;
      }
      const kept = shown.slice(0, -1);
      const all = [...characters.segment(value)].map(({ segment }) => segment);
      const count = [...characters.segment(kept)].length;
      expect(all.slice(0, count).join('')).toBe(kept);
      expect(jsonBytes(`${kept}${all[count]}…`)).toBeGreaterThan(most);
    }),
    { examples: [['🇦🇹xéx', 11]] },
  );
});

test('a long text is not measured character by character', () => {
  let measured = 0;
  const sizeOf = (text: string) => {
    measured++;
    return jsonBytes(text);
  };
  expect(cutTo('x'.repeat(10_000), 5_003, sizeOf)).toBe(`${'x'.repeat(5_000)}…`);
  expect(measured).toBeLessThan(100);
});
