/** Texts that came within the hour, as what tells whether two are alike: no text can be read out of it. */
import { keyedHash } from '../lists/keyed_hash.ts';
import { wordsIn } from '../lists/words.ts';

export interface Texts {
  /** `undefined` for a text that is too short to be told from others. */
  note(text: NewText): Noted | undefined;
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
  /** How many that came before through the form are much like it. */
  readonly similar: number;
  /** It never came. */
  readonly undo: () => void;
}

const hourMs = 3_600_000;
/** Who sends a text again so soon may have made a mistake, or be unsure whether it came. */
const againMs = 900_000;
/** Who sends it more often means it. */
const mostAgain = 2;
/** So many are remembered: 0.3 MB. */
const room = 4_096;
const leastWords = 16;
/** Numbers that stand for a text: of two texts, the share of equal ones is that of the phrases that they share. */
const marks = 16;
/** Half of the phrases, give or take. */
const mostUnlike = 8;

/** Beyond what it remembers, it forgets those first that came first. */
export function createTexts(): Texts {
  const { ofText } = keyedHash();
  const marksOf = new Uint32Array(room * marks);
  const forms = new Float64Array(room);
  const clients = new Float64Array(room);
  const times = new Float64Array(room).fill(-Infinity);
  /** How many came before each, ever. */
  const numbers = new Float64Array(room);
  let noted = 0;

  /** Phrases of three words, each as a number of 32 bits. */
  function phrasesIn(text: string): ReadonlySet<number> {
    const phrases = new Set<number>();
    let before = 0;
    let last = 0;
    let count = 0;
    for (const word of wordsIn(text)) {
      const next = ofText(word) | 0;
      count += 1;
      // Words are hashed with a key, so what follows need not be hard to foresee.
      if (count > 2) phrases.add((Math.imul(before, 0x9e3779b1) + Math.imul(last, 0x85ebca77) + next) | 0);
      before = last;
      last = next;
    }
    return phrases;
  }

  return {
    note: ({ at, form, client, text, given }) => {
      const own = [...phrasesIn(text)];
      const known: ReadonlySet<number> = given === '' ? new Set() : phrasesIn(given);
      const phrases = own.filter((phrase) => !known.has(phrase));
      if (phrases.length < leastWords - 2) return undefined;
      const sketch = sketchOf(phrases);
      const ofForm = ofText(form);
      const ofClient = ofText(client);
      let others = 0;
      let again = 0;
      for (let place = 0; place < room; place += 1) {
        const ageMs = Math.abs(at - (times[place] ?? 0));
        if (forms[place] !== ofForm || ageMs > hourMs || !isLike(sketch, marksOf, place * marks)) continue;
        if (clients[place] === ofClient && ageMs < againMs) again += 1;
        else others += 1;
      }
      const number = noted;
      const place = number % room;
      noted += 1;
      marksOf.set(sketch, place * marks);
      forms[place] = ofForm;
      clients[place] = ofClient;
      times[place] = at;
      numbers[place] = number;
      const undo = () => {
        // Another one may stand there by now.
        if (numbers[place] === number) times[place] = -Infinity;
      };
      return { similar: others + Math.max(0, again - mostAgain), undo };
    },
  };
}

/** MinHash (Broder, 1997): of each of 16 orders in which phrases can stand, the first one. */
function sketchOf(phrases: readonly number[]): Uint32Array {
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
  // Most share nothing, which is seen soonest so. Of those that share half, one in sixteen is missed.
  if (
    sketch[0] !== all[from] &&
    sketch[1] !== all[from + 1] &&
    sketch[2] !== all[from + 2] &&
    sketch[3] !== all[from + 3]
  ) {
    return false;
  }
  let unlike = 0;
  for (let mark = 0; mark < marks; mark += 1) {
    if (sketch[mark] === all[from + mark]) continue;
    unlike += 1;
    if (unlike > mostUnlike) return false;
  }
  return true;
}
