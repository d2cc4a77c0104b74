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

const mostMarks = 32;
/** Fewer words are too few to tell. */
const leastWords = 6;
/** A shorter text must be more like another: people ask short questions in the same words. */
const shortWords = 16;
/** The part of the pairs of two texts that both have. If every eighth word differs, it is 0.6, and 0.55 in short ones. */
const leastShared = 0.42;
const leastSharedIfShort = 0.55;
const mostCharacters = 20_000;

/**
 * The sketch of a text; `undefined` if it is too short to compare. All numbers are one word, and so are all links, sites and mail
 * addresses, since campaigns change them. There is no key: a sender who finds two texts that collide could as well send one of
 * them twice.
 *
 * @param given The form's own text, before the visitor wrote. Ignores its pairs.
 */
export function sketchOf(text: string, given = ''): Sketch | undefined {
  const known = new Set(pairsIn(given));
  const pairs = new Set([...pairsIn(text)].filter((pair) => !known.has(pair)));
  if (pairs.size < leastWords - 1) return undefined;
  const lowest = Int32Array.from(pairs).sort().subarray(0, mostMarks);
  const marks = new Int32Array(mostMarks).fill(0x7fffffff);
  marks.set(lowest);
  return { marks, size: lowest.length };
}

const isShort = ({ size }: Sketch) => size < shortWords - 1;

/** Whether two texts have enough pairs of words in common. */
export function isAlike(sketch: Sketch, other: Sketch): boolean {
  const least = isShort(sketch) || isShort(other) ? leastSharedIfShort : leastShared;
  const [own, others] = [sketch.marks, other.marks];
  let here = 0;
  let there = 0;
  // The lowest numbers of both texts together are a sample of their pairs. Without branches, which would be guessed wrongly.
  for (let seen = 0; seen < mostMarks; seen += 1) {
    const difference = (own[here] as number) - (others[there] as number);
    here += (difference - 1) >>> 31;
    there += (-difference - 1) >>> 31;
  }
  const both = here + there - mostMarks;
  // Behind the ends of both, all numbers are equal.
  const size = sketch.size + other.size;
  const shared = both - Math.max(0, (mostMarks - size + both) / 2);
  return shared >= least * Math.min(mostMarks, size - shared);
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

/** Pairs of neighbouring words, as numbers of 31 bits. Some come more than once. */
function* pairsIn(text: string): Iterable<number> {
  const cut = text.slice(0, mostCharacters);
  const plain = hasTarget.test(cut) ? cut.replaceAll(target, ' link ') : cut;
  let before: number | undefined;
  for (const written of wordsIn(plain)) {
    const word = hashOf(written.replaceAll(digits, '0'));
    if (word === anyNumber && before === anyNumber) continue;
    if (before !== undefined) yield numberOf(before, word);
    before = word;
  }
}

const digits = new RegExp(`${decimalDigit}+`, 'gu');

/** FNV-1a, over UTF-16 units. */
export function hashOf(word: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
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
