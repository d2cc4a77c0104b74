/** Sketches of texts, which tell how much two texts have in common, and from which no text can be read. */
import { decimalDigit } from '@form-relay/base/unicode';
import { wordsIn } from '../words.ts';

/**
 * The 32 lowest numbers of a text's pairs of neighbouring words, in order; fewer of a text with fewer pairs: Broder's MIN_s ("On the
 * resemblance and containment of documents", 1997). Numbers have 31 bits.
 */
export interface Sketch {
  /** Filled up with the largest number. */
  readonly marks: Int32Array;
  readonly size: number;
}

export const mostMarks = 32;
/** Fewer words are too few to tell. */
const leastWords = 6;
/** A shorter text must be more like another: people ask short questions in the same words. */
const shortWords = 16;
/** The part of the pairs of two texts that both have. If every eighth word differs, it is 0.6, and 0.55 in short ones. */
const leastShared = 0.42;
const leastSharedIfShort = 0.55;
export const mostCharacters = 20_000;

const noMark = 0x7fffffff;
const nothing: ReadonlySet<number> = new Set();

/**
 * The sketch of a text by its words; `undefined` if it is too short to compare. All numbers are one word. There is no key: a sender
 * who finds two texts that collide could as well send one of them twice.
 *
 * @param given The pairs of the form's own text, before the visitor wrote. Ignores them.
 */
export function sketchOf(words: readonly string[], given = nothing): Sketch | undefined {
  const marks = new Int32Array(mostMarks).fill(noMark);
  let size = 0;
  eachPair(words, (pair) => {
    if (size === mostMarks && pair >= (marks[mostMarks - 1] as number)) return;
    if (given.size > 0 && given.has(pair)) return;
    let at = Math.min(size, mostMarks - 1);
    while (at > 0 && (marks[at - 1] as number) > pair) at -= 1;
    if (at > 0 && marks[at - 1] === pair) return;
    marks.copyWithin(at + 1, at, mostMarks - 1);
    marks[at] = pair;
    if (size < mostMarks) size += 1;
  });
  return size < leastWords - 1 ? undefined : { marks, size };
}

export function pairsOf(words: readonly string[]): ReadonlySet<number> {
  const pairs = new Set<number>();
  eachPair(words, (pair) => pairs.add(pair));
  return pairs;
}

const isShort = (size: number) => size < shortWords - 1;

/** Whether two texts have enough pairs of words in common: that of a sketch, and one of `size` marks, which stand in `others` from there on. */
export function isAlike(sketch: Sketch, others: Int32Array, start: number, size: number): boolean {
  const least = isShort(sketch.size) || isShort(size) ? leastSharedIfShort : leastShared;
  const own = sketch.marks;
  let here = 0;
  let there = 0;
  // The lowest numbers of both texts together are a sample of their pairs. Without branches, which would be guessed wrongly.
  for (let seen = 0; seen < mostMarks; seen += 1) {
    const difference = (own[here] as number) - (others[start + there] as number);
    here += (difference - 1) >>> 31;
    there += (-difference - 1) >>> 31;
  }
  const both = here + there - mostMarks;
  // Behind the ends of both, all numbers are equal.
  const sizes = sketch.size + size;
  const shared = both - Math.max(0, (mostMarks - sizes + both) / 2);
  return shared >= least * Math.min(mostMarks, sizes - shared);
}

/** Characters of names of hosts and mailboxes: no letters of scripts without spaces, which may follow at once. */
const named = String.raw`[\w\u00c0-\u052f-]`;
const path = String.raw`[^\s<>"'[\]\u0e00-\u109f\u1780-\u17ff\u2e80-\uffff]`;
const target = new RegExp(
  [
    String.raw`\b(?:https?:\/\/|www\.)${path}+`,
    String.raw`(?<!${named}|[.+%~])(?:${named}|[.+%~]){1,64}@(?:${named}|\.){1,255}`,
    String.raw`(?<!${named}|\.)(?:${named}{1,63}\.){1,4}[a-z\u00c0-\u052f]{2,24}(?!${named})(?:\/${path}*)?`,
  ].join('|'),
  'gi',
);
const hasTarget = /[./@][a-z\u00c0-\u052f]/i;

/** The words of a text by which it is compared. All links, sites and mail addresses are one word, since campaigns change them. */
export function comparedWords(text: string): readonly string[] {
  const cut = text.slice(0, mostCharacters);
  return wordsIn(hasTarget.test(cut) ? cut.replaceAll(target, ' link ') : cut);
}

/** Pairs of neighbouring words, as numbers of 31 bits. Some come more than once. */
function eachPair(words: readonly string[], take: (pair: number) => void): void {
  let before: number | undefined;
  for (const written of words) {
    const word = hashOfWord(written);
    if (word === anyNumber && before === anyNumber) continue;
    if (before !== undefined) take(numberOf(before, word));
    before = word;
  }
}

/** FNV-1a, over UTF-16 units. */
export function hashOf(word: string): number {
  let hash = basis;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), prime);
  return hash;
}

const [basis, prime] = [0x811c9dc5 | 0, 0x01000193];
const digits = new RegExp(`${decimalDigit}+`, 'gu');
const [zero, nine] = [0x30, 0x39];

/** The same of a word whose numbers are each `0`. */
function hashOfWord(word: string): number {
  let hash = basis;
  let before = 0;
  for (let at = 0; at < word.length; at += 1) {
    let code = word.charCodeAt(at);
    if (code > 0x7f) return hashOf(word.replaceAll(digits, '0'));
    // Before the letters, words have only digits.
    if (code <= nine) code = zero;
    if (code !== zero || before !== zero) hash = Math.imul(hash ^ code, prime);
    before = code;
  }
  return hash;
}

/** Two in a row are one, as in 1,000. */
const anyNumber = hashOf('0');

/** Mixed well, since the lowest are a sample of all. */
function numberOf(before: number, word: number): number {
  let pair = (Math.imul(before, 0x9e3779b1) + word) | 0;
  pair = Math.imul(pair ^ (pair >>> 16), 0x85ebca6b);
  pair = Math.imul(pair ^ (pair >>> 13), 0xc2b2ae35);
  return (pair ^ (pair >>> 16)) >>> 1;
}
