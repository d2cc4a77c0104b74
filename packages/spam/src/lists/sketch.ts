/** Sketches of texts, which tell how much two texts have in common without revealing the texts. */
import { decimalDigit } from '@form-relay/base/unicode';
import { wordsIn } from '../words.ts';

/**
 * The 32 lowest hashes of a text's pairs of neighbouring words, in order, or fewer if the text has fewer
 * pairs: Broder's MIN_s ("On the resemblance and containment of documents", 1997). Hashes have 31 bits.
 */
export interface Sketch {
  /** Padded with the largest number. */
  readonly marks: Int32Array;
  readonly size: number;
}

export const mostMarks = 32;
/** Texts with fewer words are too short to compare. */
const leastWords = 6;
/** Shorter texts must be more alike, because people ask short questions in the same words. */
const shortWords = 16;
/**
 * The minimum share of pairs that two texts have in common. If every eighth word differs, about 0.6 are
 * shared, or 0.55 in short texts.
 */
const leastShared = 0.42;
const leastSharedIfShort = 0.55;
export const mostCharacters = 20_000;

const noMark = 0x7fffffff;
const nothing: ReadonlySet<number> = new Set();

/**
 * The sketch of a text with these words; `undefined` if it is too short to compare. All numbers count as the same word.
 * The hashes need no key: a sender who finds two texts that collide could just as well send one text twice.
 *
 * @param given The pairs of the form's initial text, before the visitor wrote. The sketch ignores these pairs.
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

/**
 * Whether two texts share enough pairs of words: the text of a sketch, and the text whose `size` marks begin
 * at `start` in `others`.
 */
export function isAlike(sketch: Sketch, others: Int32Array, start: number, size: number): boolean {
  const least = isShort(sketch.size) || isShort(size) ? leastSharedIfShort : leastShared;
  const own = sketch.marks;
  let here = 0;
  let there = 0;
  // The lowest numbers of both texts together are a sample of their pairs. Has no branches, because the CPU would mispredict them.
  for (let seen = 0; seen < mostMarks; seen += 1) {
    const difference = (own[here] as number) - (others[start + there] as number);
    here += (difference - 1) >>> 31;
    there += (-difference - 1) >>> 31;
  }
  const both = here + there - mostMarks;
  // After the ends of both sketches, the padding is equal.
  const sizes = sketch.size + size;
  const shared = both - Math.max(0, (mostMarks - sizes + both) / 2);
  return shared >= least * Math.min(mostMarks, sizes - shared);
}

/** Characters of host and mailbox names. Excludes letters of scripts without spaces, which may follow a name directly. */
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

/** The words by which texts are compared. All links, sites and mail addresses become the same word, because campaigns vary them. */
export function comparedWords(text: string): readonly string[] {
  const cut = text.slice(0, mostCharacters);
  return wordsIn(hasTarget.test(cut) ? cut.replaceAll(target, ' link ') : cut);
}

/** Hashes each pair of neighbouring words to 31 bits. Some pairs occur more than once. */
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

/** The same hash, with each number in the word replaced by `0`. */
function hashOfWord(word: string): number {
  let hash = basis;
  let before = 0;
  for (let at = 0; at < word.length; at += 1) {
    let code = word.charCodeAt(at);
    if (code > 0x7f) return hashOf(word.replaceAll(digits, '0'));
    // In words, all characters up to `9` are digits.
    if (code <= nine) code = zero;
    if (code !== zero || before !== zero) hash = Math.imul(hash ^ code, prime);
    before = code;
  }
  return hash;
}

/** Two numbers in a row count as one, as in 1,000. */
const anyNumber = hashOf('0');

/** Mixes the bits well, because the lowest numbers must be a random sample of all. */
function numberOf(before: number, word: number): number {
  let pair = (Math.imul(before, 0x9e3779b1) + word) | 0;
  pair = Math.imul(pair ^ (pair >>> 16), 0x85ebca6b);
  pair = Math.imul(pair ^ (pair >>> 13), 0xc2b2ae35);
  return (pair ^ (pair >>> 16)) >>> 1;
}
