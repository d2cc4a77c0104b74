/**
 * The signal `repeated`: `npx tsx lab/bench/repeated.ts`. How long it takes to sketch a text of 10,000 characters, by its script, and
 * to look for texts like it among 8,192 others.
 */
import { createTexts, mostTexts } from '../../packages/relay/src/memory/texts.ts';
import { sketchOf } from '../../packages/relay/src/schema/lists/sketch.ts';
import { randomFrom } from './inbox_documents.ts';
import { middle } from './process.ts';

const random = randomFrom(32);
const pick = (letters: readonly string[]) => letters[Math.floor(random() * letters.length)] ?? '';

/** @param longest Characters in a word; 0 for a script without spaces. */
function textOf(letters: readonly string[], longest: number, characters = 10_000): string {
  let text = '';
  while (text.length < characters) {
    for (let left = 1 + Math.floor(random() * (longest || 40)); left > 0; left -= 1) text += pick(letters);
    text += longest > 0 ? ' ' : '';
  }
  return text.slice(0, characters);
}

const from = (first: number, count: number) =>
  Array.from({ length: count }, (_, nth) => String.fromCharCode(first + nth));

const latin = [...'abcdefghijklmnopqrstuvwxyz'];
const texts = {
  ASCII: textOf(latin, 9),
  'ASCII with links': `${textOf(latin, 9, 9_000)} ${'see https://shop.example/a?b=1 now '.repeat(30)}`.slice(
    0,
    10_000,
  ),
  German: textOf([...latin, ...'äöüß'], 9),
  Cyrillic: textOf(from(0x430, 32), 9),
  Arabic: textOf(from(0x627, 20), 9),
  Korean: textOf(from(0xac00, 2_000), 4),
  Thai: textOf(from(0xe01, 40), 0),
  Chinese: textOf(from(0x4e00, 2_000), 0),
};

const took = (work: () => void, times: number) =>
  middle(
    Array.from({ length: times }, () => {
      const start = performance.now();
      work();
      return performance.now() - start;
    }),
  ).toFixed(3);

for (const [name, text] of Object.entries(texts))
  console.log(`${text.length} characters, ${name}: ${took(() => sketchOf(text), 2_000)} ms`);

const known = createTexts();
const noteOf = (sketch: readonly number[], nth: number) =>
  known.note({ at: 0, id: `${nth}`, form: 'contact', client: `${nth}`, sketch });
for (let nth = 0; nth < mostTexts; nth += 1) noteOf(sketchOf(textOf(latin, 9, 400)) ?? [], nth);
const sketch = sketchOf(texts.ASCII) ?? [];
console.log(`a comparison with ${mostTexts} texts: ${took(() => noteOf(sketch, 0), 2_000)} ms`);
