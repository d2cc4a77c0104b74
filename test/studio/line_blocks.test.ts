/** Two texts beside each other: no line is missing, and lines that both have are not marked. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blocksOf } from '../../packages/studio/app/shell/line_blocks.ts';
import { runs } from '../support/fuzz.ts';

const text = fc.array(fc.constantFrom('a', 'b', 'ab', 'c: d', ''), { maxLength: 12 });

test('has every line of both texts, in order, and lines of same blocks are the same', () => {
  fc.assert(
    fc.property(text, text, (theirs, mine) => {
      const blocks = blocksOf(theirs.join('\n'), mine.join('\n'));
      for (const [side, lines] of [
        ['theirs', theirs],
        ['mine', mine],
      ] as const) {
        const all = blocks.flatMap((block) => block[side]);
        expect(all.map((line) => line.text)).toEqual(lines.length === 0 ? [''] : lines);
        expect(all.map(({ at }) => at)).toEqual(all.map((_, nth) => nth + 1));
      }
      for (const [nth, { isSame, theirs, mine }] of blocks.entries()) {
        if (isSame) expect(theirs.map((line) => line.text)).toEqual(mine.map((line) => line.text));
        expect(isSame).not.toBe(blocks[nth + 1]?.isSame);
      }
    }),
    runs(2000),
  );
});
