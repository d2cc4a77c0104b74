/** Detects whether a text repeats another, without storing the text. */
import { expect, test } from 'vitest';
import { sketchOf } from '../../src/lists/sketch.ts';
import { Texts } from '../../src/score/texts.ts';

/** Numbers that look random, the same each time (Lehmer, 1951). */
function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const random = lehmer(16);
const vocabulary = Array.from({ length: 3_000 }, () => Math.floor(random() * 1e9).toString(36));
const word = () => vocabulary[Math.floor(random() * vocabulary.length)] ?? '';
const words = (count: number) => Array.from({ length: count }, word);

const note = (texts: Texts, text: readonly string[], client: string, form = 'contact') => {
  const sketch = sketchOf(text.join(' '));
  return sketch && texts.note({ at: 0, form, client, sketch });
};

test('a text is found among a thousand that came meanwhile, through its own form', () => {
  const texts = new Texts();
  const first = words(40);
  note(texts, first, 'one');
  for (let index = 0; index < 1_000; index += 1) {
    note(texts, words(40), 'others', `form ${index % 7}`);
  }
  expect(note(texts, first, 'two')?.against).toBe(1);
});

test('the oldest text is forgotten beyond 8,192 others, which take no more room', () => {
  const texts = new Texts();
  const [first, second] = [words(40), words(40)];
  note(texts, first, 'one');
  note(texts, second, 'one');
  const before = process.memoryUsage().arrayBuffers;
  for (let index = 0; index < 8_191; index += 1) note(texts, words(40), 'flood');
  expect(note(texts, first, 'two')?.against).toBe(0);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2e6);
});
