/** Texts that came within the hour, as what tells whether two are alike: no text can be read out of it. */

import type { Soon } from '../base/soon.ts';
import { keyedHash } from '../schema/lists/keyed_hash.ts';
import { wordsIn } from '../schema/lists/words.ts';

export interface Texts {
  /** `undefined` for a text that is too short to be told from others. */
  note(text: NewText): Soon<Noted | undefined>;
}

/** Where they are compared. */
export interface OwnTexts extends Texts {
  /** `number`: which one it is. */
  note(text: NewText): (Noted & { readonly number: number }) | undefined;
  /** That one never came. */
  forget(number: number): void;
}

export interface NewText {
  /** When it came, in milliseconds since the epoch. */
  readonly at: number;
  readonly form: string;
  /** Whoever sends it; empty where nobody knows. */
  readonly client: string;
  readonly text: string;
  /** What stood in the form before anybody wrote anything. */
  readonly given: string;
}

export interface Noted {
  /** How many that came before through the form are much like it, as far as it was compared with them. */
  readonly similar: number;
  /** It never came. */
  readonly undo: () => void;
}

const hourMs = 3_600_000;
/** Visitors repeat a text this soon by mistake or to be sure that it arrived. */
const againMs = 900_000;
/** More repetitions are deliberate. */
const mostAgain = 2;
/** So many are remembered: 0.6 MB. */
const room = 4_096;
const leastWords = 16;
/** Numbers that stand for a text: of two texts, the share of equal ones is that of the phrases that they share. */
const marks = 16;
/** Half of the phrases, give or take. */
const mostUnlike = 8;
/** A text is found by any of its first marks. Of those that share half of their phrases, one in sixteen is missed. */
const chains = 4;
/** Texts of one form may all share a sentence. So a text is compared with as many at most as came last with one mark. */
const mostCompared = 16;

/** Beyond what it remembers, it forgets those first that came first. */
export function createTexts(): OwnTexts {
  const { ofText } = keyedHash();
  const phrasesIn = phraseReader(ofText('phrases') | 0);
  const marksOf = new Uint32Array(room * marks);
  const forms = new Float64Array(room);
  const clients = new Float64Array(room);
  const times = new Float64Array(room);
  /** How many came before each, ever. */
  const numbers = new Float64Array(room);
  /** By form and mark: the number of the text that came last; and for each text, of the one before it. -1: of none. */
  const last = new Float64Array(chains * room).fill(-1);
  const before = new Float64Array(chains * room);
  let noted = 0;

  const chainOf = (chain: number, mark: number, form: number) => chain * room + ((mark ^ form) & (room - 1));

  /** The places of those that are like it. */
  function likeIt(sketch: Uint32Array, form: number): ReadonlySet<number> {
    const found = new Set<number>();
    for (let chain = 0; chain < chains; chain += 1) {
      let number = last[chainOf(chain, sketch[chain] ?? 0, form)] ?? -1;
      for (let compared = 0; compared < mostCompared; compared += 1) {
        const place = number % room;
        // Where another one stands by now, all before it are forgotten, too; and at -1 there is none.
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
    // Another one may stand there by now.
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
 * Reads the phrases of three words in a text, each as a number of 32 bits. The key keeps others from knowing which texts
 * are taken for one; whoever finds two could as well send one twice, so that a weak hash will do.
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
      // Most texts, read without a string for each word.
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

/** ASCII letters in lower case, and digits; 0 for all else. */
const folded = Uint8Array.from({ length: 128 }, (_, code) => {
  const lower = String.fromCharCode(code).toLowerCase();
  return /[a-z\d]/.test(lower) ? lower.charCodeAt(0) : 0;
});

/** MinHash (Broder, 1997): of each of 16 orders in which phrases can stand, the first one. */
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
