/** Two texts beside each other: no line is missing, and lines that both have are not marked. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blocksOf } from '../../packages/studio/app/shell/line_blocks.ts';
import { runs } from '../support/fuzz.ts';

const shown = (theirs: string, mine: string) =>
  blocksOf(theirs, mine).map((block) => {
    const [gone, come] = [block.theirs, block.mine].map((lines) =>
      lines.map(({ text, changed: [from, to] }) =>
        from < to ? `${text.slice(0, from)}[${text.slice(from, to)}]${text.slice(to)}` : text,
      ),
    );
    return block.isSame ? come : { gone, come };
  });

test('marks the part of a line that was changed, and lines that only one text has', () => {
  expect(shown('a: 1\nb: yes\nc: 3\n', 'a: 1\nb: no\nc: 3\nd: 4\n')).toEqual([
    ['a: 1'],
    { gone: ['b: [yes]'], come: ['b: [no]'] },
    ['c: 3'],
    { gone: [], come: ['d: 4'] },
    [''],
  ]);
  expect(shown('a\r\nb', 'b')).toEqual([{ gone: ['a'], come: [] }, ['b']]);
});

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

test('takes two files of 20,000 other lines each as one change', () => {
  const file = (word: string) => Array.from({ length: 20_000 }, (_, nth) => `${word} ${nth}`).join('\n');
  expect(blocksOf(file('a'), file('b')).map(({ isSame }) => isSame)).toEqual([false]);
});
