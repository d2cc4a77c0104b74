import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitted, jsonBytes } from '../src/chat_text.ts';

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

function cutTo(value: string, most: number, sizeOf = jsonBytes): string | undefined {
  const text = { title: 't', entries: [{ label: 'l', value }], footer: [] };
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

const sizeOf = (text: string) => text.length;
const sum = (sizes: readonly number[]) => sizes.reduce((all, size) => all + size, 0);
const leftOut = (count: number) =>
  count === 1 ? '1 more field is left out' : `${count} more fields are left out`;
const entry = fc.record({
  label: fc.nat(9).map((length) => 'l'.repeat(length + 1)),
  value: fc.nat(150).map((length) => 'v'.repeat(length + 1)),
});

test('a message fits, and uses the room it has: what is short loses nothing, what is long as much as the others', () => {
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1, maxLength: 12 }),
      fc.array(fc.constant('a page below'), { maxLength: 2 }),
      fc.integer({ min: 100, max: 1_500 }),
      fc.nat(20),
      (entries, footer, total, perEntry) => {
        const limits = { title: 10, label: 10, value: 100, entries: 10, total, sizeOf, perEntry };
        const shown = fitted({ title: 't', entries, footer }, limits);
        const missing = entries.length - shown.entries.length;
        expect(shown.footer).toEqual([...(missing > 0 ? [leftOut(missing)] : []), ...footer]);

        const around = [...footer, leftOut(entries.length)].map((line) => perEntry + line.length);
        const left =
          total -
          sum(['t'.length, ...around]) -
          sum(shown.entries.map(({ label, value }) => perEntry + label.length + value.length));
        if (shown.entries.length > 0) expect(left).toBeGreaterThanOrEqual(0);

        const isCut = ({ value }: { value: string }) => value.endsWith('…');
        const cuts = shown.entries.filter(isCut).map(({ value }) => value.length);
        const wholes = shown.entries.filter((one) => !isCut(one)).map(({ value }) => value.length);
        const [mostKept = 0] = cuts;
        expect(new Set(cuts).size).toBeLessThanOrEqual(1);
        for (const [index, { label, value }] of shown.entries.entries()) {
          expect(label).toBe(entries[index]?.label);
          if (!isCut({ value })) expect(value).toBe(entries[index]?.value);
        }
        if (cuts.length > 0) {
          expect(mostKept).toBeGreaterThanOrEqual(Math.max(40, ...wholes));
          if (mostKept < limits.value) expect(left).toBeLessThan(cuts.length);
        }
        const next = entries[shown.entries.length];
        if (next && shown.entries.length < limits.entries) {
          const others = shown.entries.map(
            (_, index) =>
              perEntry +
              sizeOf(entries[index]?.label ?? '') +
              Math.min(40, sizeOf(entries[index]?.value ?? '')),
          );
          const needed = sum([...others, perEntry + next.label.length + Math.min(40, next.value.length)]);
          expect(needed).toBeGreaterThan(total - sum(['t'.length, ...around]));
        }
      },
    ),
  );
});
