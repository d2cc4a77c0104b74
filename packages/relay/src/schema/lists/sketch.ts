/** Sketches of texts, which tell how much two texts have in common, and from which no text can be read. */
import { decimalDigit, format, letter, mark, number } from '../../base/unicode.ts';
import { unspaced } from './words.ts';

/**
 * The 32 lowest numbers of a text's pairs of neighbouring words, in order; fewer of a text with fewer pairs: Broder's MIN_s ("On the
 * resemblance and containment of documents", 1997). Numbers are integers of 32 bits.
 */
export type Sketch = readonly number[];

export const mostMarks = 32;
/** Fewer words are too few to tell. */
const leastWords = 6;
/** A shorter text must be more like another: people ask short questions in the same words. */
const shortWords = 16;
/** The part of the pairs of two texts that both have. If every eighth word differs, it is 0.6, and 0.55 in short ones. */
const leastShared = 0.42;
const leastSharedIfShort = 0.55;
/** More of a text is not read. */
const mostCharacters = 20_000;
const mostPairs = 20_000;

/**
 * The sketch of a text; `undefined` if it is too short to compare.
 *
 * Letter case, accents, wide letters and signs between words do not differ. All numbers are one word, and so are all links, sites
 * and mail addresses, since campaigns change them. There is no key: a sender who finds two texts that collide could as well send
 * one of them twice.
 *
 * @param given The form's own text, before the visitor wrote. Its pairs do not count.
 */
export function sketchOf(text: string, given = ''): Sketch | undefined {
  const known = given === '' ? undefined : new Set(pairsIn(given));
  const lowest = new Uint32Array(mostMarks);
  let count = 0;
  for (const pair of pairsIn(text)) {
    if (count === mostMarks && pair >= (lowest[mostMarks - 1] as number)) continue;
    if (known?.has(pair)) continue;
    let place = count;
    while (place > 0 && (lowest[place - 1] as number) > pair) place -= 1;
    if (place > 0 && lowest[place - 1] === pair) continue;
    lowest.copyWithin(place + 1, place, mostMarks - 1);
    lowest[place] = pair;
    if (count < mostMarks) count += 1;
  }
  return count < leastWords - 1 ? undefined : Array.from(lowest.subarray(0, count));
}

const isShort = (count: number) => count < shortWords - 1;

/** Whether two texts have enough pairs of words in common. @param all Holds the `count` marks of the other from `from` on. */
export function isAlike(sketch: Sketch, all: Uint32Array, from: number, count: number): boolean {
  const least = isShort(sketch.length) || isShort(count) ? leastSharedIfShort : leastShared;
  const most = sketch.length;
  let [shared, seen, here, there] = [0, 0, 0, 0];
  // The lowest numbers of both texts together are a sample of their pairs.
  for (; seen < mostMarks && here + there < most + count; seen += 1) {
    const own = here < most ? (sketch[here] as number) : Infinity;
    const others = there < count ? (all[from + there] as number) : Infinity;
    if (own <= others) here += 1;
    if (others <= own) there += 1;
    if (own === others) shared += 1;
  }
  return shared >= least * seen;
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
/** Most texts have none, which is told sooner. */
const hasTarget = /[./@][a-z\u00c0-\u052f]/i;

/** The pairs of the text that was read last. Made when somebody asks: most relays compare no texts. */
let room: Uint32Array | undefined;

/** Pairs of neighbouring words, as numbers of 32 bits, until the next call. Some come more than once. */
function pairsIn(text: string): Uint32Array {
  room ??= new Uint32Array(mostPairs);
  const pairs = room;
  const cut = text.slice(0, mostCharacters);
  const plain = hasTarget.test(cut) ? cut.replaceAll(target, ' link ') : cut;
  let count = 0;
  let before = 0;
  let word = start;
  let last = 0;
  // The end of the text ends its last word.
  for (let at = 0; at <= plain.length && count < mostPairs; at += 1) {
    const code = at < plain.length ? plain.charCodeAt(at) : 0;
    let fold = code < 128 ? (ascii[code] as number) : foldOf(code);
    if (fold === invisible) continue;
    if (fold === several) {
      const point = plain.codePointAt(at) as number;
      if (point > 0xffff) at += 1;
      const units = severalOf(point);
      last = 0;
      if (units.length > 0 && !units.includes(separator)) {
        for (const unit of units) word = Math.imul(word ^ unit, prime);
        continue;
      }
      fold = separator;
    }
    if (fold > separator && fold < lone) {
      // A run of digits is one digit.
      if (fold !== digit || last !== digit) word = Math.imul(word ^ fold, prime);
      last = fold;
      continue;
    }
    last = 0;
    // 1,000 is one number.
    if (word !== start && (word !== anyNumber || before !== anyNumber)) {
      if (before !== 0) pairs[count++] = numberOf(before, word);
      before = word;
    }
    word = start;
    if (fold >= lone) {
      const letter = Math.imul(start ^ fold, prime);
      if (before !== 0) pairs[count++] = numberOf(before, letter);
      before = letter;
    }
  }
  return pairs.subarray(0, Math.min(count, mostPairs));
}

/** Mixed well, since the lowest are a sample of all. */
function numberOf(before: number, word: number): number {
  let pair = (Math.imul(before, 0x9e3779b1) + word) | 0;
  pair = Math.imul(pair ^ (pair >>> 16), 0x85ebca6b);
  pair = Math.imul(pair ^ (pair >>> 13), 0xc2b2ae35);
  return (pair ^ (pair >>> 16)) >>> 0;
}

const prime = 0x01000193;
const start = 0x811c9dc5 | 0;
const digit = 0x30;
const anyNumber = Math.imul(start ^ digit, prime);

/** How a character is read: as this lower-case letter or digit without its accents, or in one of these ways. */
const separator = 0;
/** It stands for several characters, or for none that has 16 bits. */
const several = 1;
/** An accent by itself, or a format character. */
const invisible = 2;
/** Added to a letter that is a word by itself. */
const lone = 0x10000;

const ascii = Uint8Array.from({ length: 128 }, (_, code) => {
  const lower = String.fromCharCode(code).toLowerCase();
  return /[a-z]/.test(lower) ? lower.charCodeAt(0) : /\d/.test(lower) ? digit : separator;
});

/** By UTF-16 unit, how it is read plus 1; 0 until it first comes. Made for the first text that is not ASCII. */
let folds: Uint32Array | undefined;

function foldOf(code: number): number {
  folds ??= new Uint32Array(0x10000);
  const known = folds[code] as number;
  if (known !== 0) return known - 1;
  const fold = newFold(code);
  folds[code] = fold + 1;
  return fold;
}

function newFold(code: number): number {
  if ((code & 0xf800) === 0xd800) return several;
  const [only, ...others] = unitsOf(code);
  if (only === undefined) return invisible;
  if (others.length > 0) return several;
  return loneLetters.test(String.fromCharCode(only)) ? only + lone : only;
}

const unitsBefore = new Map<number, readonly number[]>();
const mostBefore = 1_000;

function severalOf(point: number): readonly number[] {
  const before = unitsBefore.get(point);
  if (before) return before;
  if (unitsBefore.size >= mostBefore) unitsBefore.clear();
  const units = unitsOf(point);
  unitsBefore.set(point, units);
  return units;
}

const loneLetters = new RegExp(`[${unspaced}]`, 'u');
const inWords = new RegExp(`[${letter}${number}]`, 'u');
const hidden = new RegExp(`[${mark}${format}]`, 'gu');
const digits = new RegExp(decimalDigit, 'u');

/** The letters and digits of a character, and `separator` for what is neither; nothing for an accent. */
function unitsOf(point: number): readonly number[] {
  const plain = (text: string) => text.normalize('NFKD').replaceAll(hidden, '');
  // By way of upper case: ß is SS, and a Greek sigma looks the same wherever it stands. Korean syllables stay whole.
  const lower = plain(plain(String.fromCodePoint(point)).toUpperCase().toLowerCase()).normalize('NFC');
  return Array.from(lower).flatMap((one) => {
    if (digits.test(one)) return digit;
    return inWords.test(one) ? Array.from({ length: one.length }, (_, at) => one.charCodeAt(at)) : separator;
  });
}
