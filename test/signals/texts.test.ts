/** What tells whether a text repeats another, without the text. */
import { describe, expect, test } from 'vitest';
import { createTexts, type Texts } from '../../packages/relay/src/memory/texts.ts';
import { sketchOf } from '../../packages/relay/src/schema/lists/sketch.ts';
import { wordsIn } from '../../packages/relay/src/schema/lists/words.ts';

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
const changed = (text: readonly string[], share: number) =>
  text.map((one) => (random() < share ? word() : one));

interface Sent {
  readonly text: readonly string[];
  readonly client: string;
  readonly at?: number;
  readonly id?: string;
  readonly form?: string;
  readonly given?: string;
}

function send(texts: Texts, { text, given, ...sent }: Sent) {
  const sketch = sketchOf(text.join(' '), given);
  return sketch && texts.note({ at: 0, id: '', form: 'contact', ...sent, sketch });
}

const note = (texts: Texts, text: readonly string[], client: string, at = 0) =>
  send(texts, { text, client, at });

test('five words are too few to tell, six are enough, in any script', () => {
  const texts = createTexts();
  for (const one of ['roof', 'Dächer', 'крыша']) {
    const six = [...'abcdef'].map((letter) => one + letter);
    expect(note(texts, six.slice(1), 'one')).toBeUndefined();
    expect(note(texts, six, 'one')?.against).toBe(0);
    expect(note(texts, six, 'two')?.against).toBe(1);
    // The same words in another order say something else.
    expect(note(texts, six.toReversed(), 'three')?.against).toBe(0);
  }
});

test.each(['order', 'Bestellung ü'])('numbers make no other text: %s', (one) => {
  const texts = createTexts();
  const text = (number: string) => [one, number, ...'abcdefgh', `no${number}`];
  note(texts, text('1'), 'one');
  expect(note(texts, text('98765'), 'two')?.against).toBe(1);
});

test('fancy letters make no other text, and an emoji ends a word', () => {
  const texts = createTexts();
  const words = 'earn money with our new robot today'.split(' ');
  note(texts, words, 'one');
  const fancy = (one: string) =>
    one.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(0x1d41a + letter.charCodeAt(0) - 97));
  expect(note(texts, words.map(fancy), 'two')?.against).toBe(1);
  expect(note(texts, [words.join('🚀')], 'three')?.against).toBe(2);
});

test('marks between words and capitals make no other text', () => {
  const texts = createTexts();
  const first = words(30);
  note(texts, first, 'one');
  const [start = '', ...others] = first;
  const again = [`«${start.toUpperCase()}»`, ...others.map((one) => `${one},`), '…'];
  expect(note(texts, again, 'two')?.against).toBe(1);
  expect(note(texts, [...first, 'x'], 'three')?.against).toBe(2);
  const spaced = first.map((one) => `(${one.toUpperCase()}) -- `);
  expect(note(texts, spaced, 'four')?.against).toBe(3);
});

test('a text is found among a thousand that came meanwhile, through its own form', () => {
  const texts = createTexts();
  const first = words(40);
  note(texts, first, 'one');
  for (let index = 0; index < 1_000; index += 1) {
    send(texts, { form: `form ${index % 7}`, client: 'others', text: words(40) });
  }
  expect(note(texts, first, 'two')?.against).toBe(1);
});

test('what stood in the form before says nothing', () => {
  const texts = createTexts();
  const given = words(60);
  const noteWith = (own: readonly string[], client: string) =>
    send(texts, { client, text: [...given, ...own], given: given.join(' ') });
  expect(noteWith([], 'one')).toBeUndefined();
  expect(noteWith(words(4), 'one')).toBeUndefined();
  const own = words(30);
  expect(noteWith(own, 'one')?.against).toBe(0);
  expect(noteWith(words(30), 'two')?.against).toBe(0);
  expect(noteWith(own, 'three')?.against).toBe(1);
});

test('each form is by itself, and what never came is not counted', () => {
  const texts = createTexts();
  const first = words(40);
  const through = (form: string, client: string) => send(texts, { at: 5, form, client, text: first });
  const one = through('contact', 'one');
  expect(through('jobs', 'two')?.against).toBe(0);
  expect(through('contact', 'two')?.against).toBe(1);
  one?.undo();
  const three = through('contact', 'three');
  expect(three?.against).toBe(1);
  three?.undo();
  expect(through('contact', 'four')?.against).toBe(1);
});

test('who sends it again within a day may do so twice; others count for three days', () => {
  const texts = createTexts();
  const first = words(40);
  const hours = (count: number) => count * 3_600_000;
  const ofOne = [0, 1, 2, 3, 4].map((hour) => note(texts, first, 'one', hours(hour))?.against);
  expect(ofOne).toEqual([0, 0, 0, 1, 2]);
  // All five, whoever they are from, and once a day is over, those of the same sender, too.
  expect(note(texts, first, 'two', hours(5))?.against).toBe(5);
  expect(note(texts, first, 'one', hours(24))?.against).toBe(1 + 1 + 2);
  expect(note(texts, first, 'three', hours(72))?.against).toBe(7);
  expect(note(texts, first, 'three', hours(96) + 1)?.against).toBe(1);
  const late = createTexts();
  note(late, first, 'one', 0);
  expect(note(late, first, 'one', hours(24))?.against).toBe(1);
  // An unknown sender may be anybody.
  expect(note(late, first, '', hours(25))?.against).toBe(2);
  expect(note(late, first, '', hours(25))?.against).toBe(3);
});

/** How often the second of two texts is taken for the first again, in percent. */
function found(share: number, length: number): number {
  let times = 0;
  for (let round = 0; round < 200; round += 1) {
    const texts = createTexts();
    const first = words(length);
    note(texts, first, 'one');
    times += note(texts, changed(first, share), 'two')?.against ?? 0;
  }
  return times / 2;
}

describe('a text in which some words are others', () => {
  test.each([12, 15])('of %i words must be more alike', (length) => {
    expect(found(0, length)).toBe(100);
    expect(found(0.5, length)).toBeLessThan(10);
  });

  test.each([30, 80, 200])('of %i words', (length) => {
    expect(found(0, length)).toBe(100);
    expect(found(0.03, length)).toBeGreaterThan(90);
    expect(found(0.5, length)).toBeLessThan(3);
  });
});

test('of 4,000 texts of the same words in other orders, none is like another', () => {
  const texts = createTexts();
  const similar = Array.from({ length: 4_000 }, (_, index) => note(texts, words(60), `${index}`)?.against);
  expect(similar.filter((count) => count !== 0)).toEqual([]);
});

test('what was sent longest ago is forgotten beyond 8,192 others, which take no more room', () => {
  const texts = createTexts();
  const [first, second] = [words(40), words(40)];
  note(texts, first, 'one');
  note(texts, second, 'one');
  const before = process.memoryUsage().arrayBuffers;
  for (let index = 0; index < 8_191; index += 1) note(texts, words(40), 'flood');
  expect(note(texts, first, 'two')?.against).toBe(0);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2e6);
});

test('taking back one text leaves another in its place alone', () => {
  const texts = createTexts();
  const first = words(40);
  const noted = note(texts, first, 'one');
  for (let index = 0; index < 8_192; index += 1) note(texts, first, 'flood');
  noted?.undo();
  // It is compared with the last 16 alone, of which the one in that place is the last.
  expect(note(texts, first, 'two', 1)?.against).toBe(16);
});

test('clocks that jump make nobody a crowd for longer than three days', () => {
  const texts = createTexts();
  const first = words(40);
  note(texts, first, 'one', 1e12);
  expect(note(texts, first, 'two', 1e12 - 259_200_001)?.against).toBe(0);
  expect(note(texts, first, 'three', 1e12 + 259_200_001)?.against).toBe(0);
});

test('accents, capitals and what nobody sees make no other text', () => {
  expect(wordsIn('Ｃaf\u00ad\u00e9 DE\u0301J\u00c0')).toEqual(wordsIn('cafe deja'));
});
