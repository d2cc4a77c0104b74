import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asInFile, plainText } from '../../packages/studio/src/line_ends.ts';

const end = fc.constantFrom('\n', '\r\n', '\r');
/** Few words, so that many lines are the same; always an own one among them. */
const word = fc.constantFrom('', 'a: 1', '  - b', '# c', 'own');
const lines = fc.array(fc.tuple(word, end), { maxLength: 40 });

const splitLines = (text: string) => text.split(/(?<=\r\n|\n|\r(?!\n))/);

test('a text that nobody changed comes back as it is in the file', () => {
  fc.assert(
    fc.property(lines, fc.boolean(), (all, hasMark) => {
      // A carriage return and the line feed of an empty line would be one end.
      const file = (hasMark ? '\uFEFF' : '') + all.map(([text, at]) => `${text};${at}`).join('');
      expect(asInFile(plainText(file), file)).toBe(file);
    }),
  );
});

test('lines that were not changed keep their ends, whatever becomes of the others', () => {
  fc.assert(
    fc.property(lines, fc.array(fc.nat(3), { minLength: 1 }), (all, deeds) => {
      // Each has a number, so that it is known again.
      const file = all.map(([text, at], index) => `${index} ${text}${at}`).join('');
      const before = plainText(file).split('\n');
      const kept: number[] = [];
      const typed = before.flatMap((line, index) => {
        const deed = deeds[index % deeds.length];
        if (deed === 1) return [];
        if (deed === 2) return [`new ${line}`];
        kept.push(index);
        return deed === 3 ? ['new', line] : [line];
      });
      const after = splitLines(asInFile(typed.join('\n'), file));
      const inFile = splitLines(file);
      // The last line has no end to keep.
      for (const index of kept.filter((one) => one < all.length && before[one] !== typed.at(-1)))
        expect(after).toContain(inFile[index]);
      expect(plainText(after.join(''))).toBe(typed.join('\n'));
    }),
  );
});
