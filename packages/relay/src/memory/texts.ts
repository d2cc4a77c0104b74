/** Sketches of texts of the last hour, which tell whether two are alike, and from which no text can be read. */

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

const hourMs = 3_600_000;
/** Visitors repeat a text this soon by mistake or to be sure that it arrived. */
const againMs = 900_000;
/** More repetitions are deliberate. */
const mostAgain = 2;
/** How many texts are remembered, in 0.6 MB. */
const room = 4_096;
const leastWords = 16;
/** The numbers of a sketch. Two texts share about the same part of their marks as of their phrases. */
const marks = 16;
/** About half of the phrases. */
const mostUnlike = 8;
/** A text is found by any of its first marks. One in sixteen of those that share half of their phrases is missed. */
const chains = 4;
/** All texts of a form may share a sentence, so a text is compared with only the latest of each mark. */
const mostCompared = 16;

/** Forgets the oldest texts first. */
export function createTexts(): OwnTexts {
  const { ofText } = keyedHash();
  const phrasesIn = phraseReader(ofText('phrases') | 0);
  const marksOf = new Uint32Array(room * marks);
  const forms = new Float64Array(room);
  const clients = new Float64Array(room);
  const times = new Float64Array(room);
  /** The number of each text, counted since the start. */
  const numbers = new Float64Array(room);
  /** By form and mark, the number of the latest text; `before` has that of the previous one. -1 for none. */
  const last = new Float64Array(chains * room).fill(-1);
  const before = new Float64Array(chains * room);
  let noted = 0;

  const chainOf = (chain: number, mark: number, form: number) => chain * room + ((mark ^ form) & (room - 1));

  /** The places of texts that are like it. */
  function likeIt(sketch: Uint32Array, form: number): ReadonlySet<number> {
    const found = new Set<number>();
    for (let chain = 0; chain < chains; chain += 1) {
      let number = last[chainOf(chain, sketch[chain] ?? 0, form)] ?? -1;
      for (let compared = 0; compared < mostCompared; compared += 1) {
        const place = number % room;
        // If the place has another text by now, all earlier ones are forgotten too; -1 is no place.
        if (numbers[place] !== number) break;
        if (forms[place] === form && isLike(sketch, marksOf, place * marks)) found.add(place);
        number = before[chain * room + place] ?? -1;
      }
    }
    return found;
  }

  function keep(sketch: Uint32Array, form: number, client: number, at: number): number {
    const number = noted;
    const place = number % room;
    noted += 1;
    marksOf.set(sketch, place * marks);
    forms[place] = form;
    clients[place] = client;
    times[place] = at;
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
      const phrases = phrasesIn(text);
      for (const known of phrasesIn(given)) phrases.delete(known);
      if (phrases.size < leastWords - 2) return undefined;
      const sketch = sketchOf(phrases);
      const ofForm = ofText(form);
      const ofClient = ofText(client);
      let others = 0;
      let again = 0;
      for (const place of likeIt(sketch, ofForm)) {
        const ageMs = Math.abs(at - (times[place] ?? 0));
        if (ageMs > hourMs) continue;
        if (clients[place] === ofClient && ageMs < againMs) again += 1;
        else others += 1;
      }
      const number = keep(sketch, ofForm, ofClient, at);
      return { similar: others + Math.max(0, again - mostAgain), number, undo: () => forget(number) };
    },
    forget,
  };
}

/**
 * Reads the phrases of three words in a text, each as a number of 32 bits. The key hides which texts collide. A weak hash will
 * do: a sender who finds a collision could as well send one text twice.
 */
function phraseReader(key: number): (text: string) => Set<number> {
  return (text) => {
    const phrases = new Set<number>();
    let first = 0;
    let second = 0;
    let count = 0;
    const add = (word: number) => {
      count += 1;
      if (count > 2) phrases.add((Math.imul(first, 0x9e3779b1) + Math.imul(second, 0x85ebca77) + word) | 0);
      first = second;
      second = word;
    };
    if (isAscii.test(text)) {
      // Most texts are ASCII, and read without a string for each word.
      let word = key;
      for (let at = 0; at < text.length; at += 1) {
        const code = folded[text.charCodeAt(at)] ?? 0;
        if (code !== 0) word = mixed(word, code);
        else if (word !== key) {
          add(word);
          word = key;
        }
      }
      if (word !== key) add(word);
    } else {
      for (const one of wordsIn(text)) {
        let word = key;
        for (let at = 0; at < one.length; at += 1) word = mixed(word, one.charCodeAt(at));
        add(word);
      }
    }
    return phrases;
  };
}

const isAscii = /^[\0-\x7f]*$/;

/** FNV-1a, of 32 bits. */
const mixed = (hash: number, code: number) => Math.imul(hash ^ code, 0x01000193);

/** ASCII letters in lower case and digits; 0 for other characters. */
const folded = Uint8Array.from({ length: 128 }, (_, code) => {
  const lower = String.fromCharCode(code).toLowerCase();
  return /[a-z\d]/.test(lower) ? lower.charCodeAt(0) : 0;
});

/** MinHash (Broder, 1997): the first phrase in each of 16 orders of all phrases. */
function sketchOf(phrases: ReadonlySet<number>): Uint32Array {
  const sketch = new Uint32Array(marks).fill(0xffffffff);
  for (const phrase of phrases) {
    for (let mark = 0; mark < marks; mark += 1) {
      const mixed = Math.imul(phrase ^ (phrase >>> 15) ^ (mark * 0x9e3779b1), 0x85ebca6b + mark * 2);
      const place = (mixed ^ (mixed >>> 13)) >>> 0;
      if (place < (sketch[mark] ?? 0)) sketch[mark] = place;
    }
  }
  return sketch;
}

function isLike(sketch: Uint32Array, all: Uint32Array, from: number): boolean {
  let unlike = 0;
  for (let mark = 0; mark < marks; mark += 1) {
    if (sketch[mark] === all[from + mark]) continue;
    unlike += 1;
    if (unlike > mostUnlike) return false;
  }
  return true;
}
