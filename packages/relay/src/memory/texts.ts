/** Sketches of texts of the last days, which tell whether two are alike, and from which no text can be read. */

import type { Soon } from '../base/soon.ts';
import { keyedHash } from '../schema/lists/keyed_hash.ts';
import { wordsIn } from '../schema/lists/words.ts';

export interface Texts {
  /** `undefined` for a text that is too short to compare. */
  note(text: NewText): Soon<Noted | undefined>;
}

/** The process that compares. */
export interface OwnTexts extends Texts {
  /** `number` identifies the text. */
  note(text: NewText): (Noted & { readonly number: number }) | undefined;
  /** Forgets a text, as if it never came. */
  forget(number: number): void;
}

export interface NewText {
  /** When it came, in milliseconds since the epoch. */
  readonly at: number;
  readonly form: string;
  /** The sender; empty if unknown. */
  readonly client: string;
  readonly text: string;
  /** The form's own text, before the visitor wrote. */
  readonly given: string;
}

export interface Noted {
  /** How many of the form's earlier texts that were compared are much like it. */
  readonly similar: number;
  /** Forgets the text, as if it never came. */
  readonly undo: () => void;
}

/** Campaigns come in waves, a day or two apart. */
const windowMs = 3 * 86_400_000;
/** Visitors repeat a text this soon by mistake, to be sure that it arrived, or because nobody answered. */
const againMs = 86_400_000;
/** More repetitions are deliberate. */
const mostAgain = 2;
/** How many texts are remembered, in 1.3 MB. */
const room = 8_192;
const leastWords = 6;
/** A shorter text must be more like another: people ask short questions in the same words. */
const shortWords = 16;
/** The numbers of a sketch. Two texts share about the same part of their marks as of their pairs of words. */
const marks = 16;
/** About half of the pairs of words. */
const mostUnlike = 8;
const mostUnlikeIfShort = 5;
/** A text is found by any of its first marks. One in sixteen of those that share half of their pairs is missed. */
const chains = 4;
/** All texts of a form may share a sentence, so a text is compared with only the latest of each mark. */
const mostCompared = 16;

/** Forgets the oldest texts first. */
export function createTexts(): OwnTexts {
  const { ofText } = keyedHash();
  const pairsIn = pairReader(ofText('pairs') | 0);
  const marksOf = new Uint32Array(room * marks);
  const forms = new Float64Array(room);
  const clients = new Float64Array(room);
  const times = new Float64Array(room);
  const areShort = new Uint8Array(room);
  /** The number of each text, counted since the start. */
  const numbers = new Float64Array(room);
  /** By form and mark, the number of the latest text; `before` has that of the previous one. -1 for none. */
  const last = new Float64Array(chains * room).fill(-1);
  const before = new Float64Array(chains * room);
  let noted = 0;

  const chainOf = (chain: number, mark: number, form: number) => chain * room + ((mark ^ form) & (room - 1));

  /** The places of texts that are like it. */
  function likeIt(sketch: Uint32Array, form: number, isShort: boolean): ReadonlySet<number> {
    const found = new Set<number>();
    for (let chain = 0; chain < chains; chain += 1) {
      let number = last[chainOf(chain, sketch[chain] ?? 0, form)] ?? -1;
      for (let compared = 0; compared < mostCompared; compared += 1) {
        const place = number % room;
        // If the place has another text by now, all earlier ones are forgotten too; -1 is no place.
        if (numbers[place] !== number) break;
        const unlike = isShort || areShort[place] === 1 ? mostUnlikeIfShort : mostUnlike;
        if (forms[place] === form && isLike(sketch, marksOf, place * marks, unlike)) found.add(place);
        number = before[chain * room + place] ?? -1;
      }
    }
    return found;
  }

  function keep(sketch: Uint32Array, form: number, client: number, at: number, isShort: boolean): number {
    const number = noted;
    const place = number % room;
    noted += 1;
    marksOf.set(sketch, place * marks);
    forms[place] = form;
    clients[place] = client;
    times[place] = at;
    areShort[place] = isShort ? 1 : 0;
    numbers[place] = number;
    for (let chain = 0; chain < chains; chain += 1) {
      const key = chainOf(chain, sketch[chain] ?? 0, form);
      before[chain * room + place] = last[key] ?? -1;
      last[key] = number;
    }
    return number;
  }

  function forget(number: number): void {
    // The place may have another text by now.
    if (numbers[number % room] === number) times[number % room] = -Infinity;
  }

  return {
    note: ({ at, form, client, text, given }) => {
      const pairs = pairsIn(text);
      for (const known of pairsIn(given)) pairs.delete(known);
      if (pairs.size < leastWords - 1) return undefined;
      const isShort = pairs.size < shortWords - 1;
      const sketch = sketchOf(pairs);
      const ofForm = ofText(form);
      const ofClient = ofText(client);
      let others = 0;
      let again = 0;
      for (const place of likeIt(sketch, ofForm, isShort)) {
        const ageMs = Math.abs(at - (times[place] ?? 0));
        if (ageMs > windowMs) continue;
        if (client !== '' && clients[place] === ofClient && ageMs < againMs) again += 1;
        else others += 1;
      }
      const number = keep(sketch, ofForm, ofClient, at, isShort);
      return { similar: others + Math.max(0, again - mostAgain), number, undo: () => forget(number) };
    },
    forget,
  };
}

/**
 * Reads the pairs of neighbouring words in a text, each as a number of 32 bits. All numbers count as one, whatever their digits.
 * The key hides which texts collide. A weak hash will do: a sender who finds a collision could as well send one text twice.
 */
function pairReader(key: number): (text: string) => Set<number> {
  return (text) => {
    const pairs = new Set<number>();
    let before = 0;
    let count = 0;
    const add = (word: number) => {
      count += 1;
      if (count > 1) pairs.add((Math.imul(before, 0x9e3779b1) + word) | 0);
      before = word;
    };
    if (isAscii.test(text)) {
      // Most texts are ASCII, and read without a string for each word.
      let word = key;
      let last = 0;
      for (let at = 0; at < text.length; at += 1) {
        const code = folded[text.charCodeAt(at)] ?? 0;
        if (code === 0) {
          if (word !== key) add(word);
          word = key;
        } else if (code !== digit || last !== digit) word = mixed(word, code);
        last = code;
      }
      if (word !== key) add(word);
    } else {
      for (const one of wordsIn(text)) {
        let word = key;
        let last = 0;
        for (let at = 0; at < one.length; at += 1) {
          const code = one.charCodeAt(at);
          const now = code < 128 ? (folded[code] ?? code) : code;
          if (now !== digit || last !== digit) word = mixed(word, now);
          last = now;
        }
        add(word);
      }
    }
    return pairs;
  };
}

const isAscii = /^[\0-\x7f]*$/;

/** FNV-1a, of 32 bits. */
const mixed = (hash: number, code: number) => Math.imul(hash ^ code, 0x01000193);

const digit = 0x30;

/** ASCII letters in lower case, and one digit for all; 0 for other characters. */
const folded = Uint8Array.from({ length: 128 }, (_, code) => {
  const lower = String.fromCharCode(code).toLowerCase();
  return /[a-z]/.test(lower) ? lower.charCodeAt(0) : /\d/.test(lower) ? digit : 0;
});

/** MinHash (Broder, 1997): the first pair in each of 16 orders of all pairs. */
function sketchOf(pairs: ReadonlySet<number>): Uint32Array {
  const sketch = new Uint32Array(marks).fill(0xffffffff);
  for (const pair of pairs) {
    for (let mark = 0; mark < marks; mark += 1) {
      const mixed = Math.imul(pair ^ (pair >>> 15) ^ (mark * 0x9e3779b1), 0x85ebca6b + mark * 2);
      const place = (mixed ^ (mixed >>> 13)) >>> 0;
      if (place < (sketch[mark] ?? 0)) sketch[mark] = place;
    }
  }
  return sketch;
}

function isLike(sketch: Uint32Array, all: Uint32Array, from: number, most: number): boolean {
  let unlike = 0;
  for (let mark = 0; mark < marks; mark += 1) {
    if (sketch[mark] === all[from + mark]) continue;
    unlike += 1;
    if (unlike > most) return false;
  }
  return true;
}
