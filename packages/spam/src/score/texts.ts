/** Sketches of texts of the last days, which tell whether two are alike. */

import { keyedHash } from '../lists/keyed_hash.ts';
import { isAlike, mostMarks, type Sketch } from '../lists/sketch.ts';
import type { Similar } from './marks.ts';

export interface Texts {
  note(text: NewText): Noted;
}

interface NewText {
  /** When it came, in milliseconds since the epoch. */
  readonly at: number;
  /** Names the submission. */
  readonly id: string;
  readonly form: string;
  /** The sender; empty if unknown. */
  readonly client: string;
  readonly sketch: Sketch;
}

export interface Noted {
  /** How many of the form's earlier texts that were compared are much like it and speak against it. */
  readonly against: number;
  /** The earlier texts that are much like it, if there are some. */
  readonly similar?: Similar | undefined;
  /** Forgets the text, as if it never came. */
  readonly undo: () => void;
}

/** Campaigns come in waves, a day or two apart. */
const windowMs = 3 * 86_400_000;
/** Visitors repeat a text this soon by mistake, to be sure that it arrived, or because nobody answered. */
const againMs = 86_400_000;
/** More repetitions are deliberate. */
const mostAgain = 2;
/** How many texts are remembered, in 2.2 MB. */
const mostTexts = 8_192;
/** A text is found by any of its first marks. One in fifty of those that share six tenths of their pairs is missed. */
const chains = 4;
/** All texts of a form may share a sentence, so a text is compared with only the latest of each mark. */
const mostCompared = 16;
/** How many earlier texts are named. */
const mostNamed = 16;

/** Forgets the oldest texts first. */
export function createTexts(): Texts {
  const { ofText } = keyedHash();
  const marks = new Uint32Array(mostTexts * mostMarks);
  const counts = new Uint8Array(mostTexts);
  const forms = new Float64Array(mostTexts);
  const clients = new Float64Array(mostTexts);
  const times = new Float64Array(mostTexts);
  const ids: string[] = Array(mostTexts).fill('');
  /** How many texts like it came before each, and when the first did: more than those that are remembered. */
  const earlier = new Uint32Array(mostTexts);
  const since = new Float64Array(mostTexts);
  /** The number of each text, counted from 1 since the start. */
  const numbers = new Uint32Array(mostTexts);
  /** By form and mark, the number of the latest text; `before` that of the one before, by place and nth mark. 0 for none. */
  const last = new Uint32Array(chains * mostTexts);
  const before = new Uint32Array(chains * mostTexts);
  let noted = 0;

  /** The lowest mark of one text may be the second of another, so all chains begin in one table. */
  const chainOf = (mark: number, form: number) => (mark ^ form) & (chains * mostTexts - 1);

  /** The place of a text in the chain: it is in one for each of its first marks. */
  function linkOf(place: number, chain: number): number {
    for (let nth = 0; nth < chains; nth += 1) {
      if (chainOf(marks[place * mostMarks + nth] ?? 0, forms[place] ?? 0) === chain)
        return place * chains + nth;
    }
    return -1;
  }

  /** The places of texts that are like it. */
  function likeIt(sketch: Sketch, form: number): ReadonlySet<number> {
    const found = new Set<number>();
    for (const mark of sketch.slice(0, chains)) {
      const chain = chainOf(mark, form);
      let number = last[chain] ?? 0;
      for (let compared = 0; compared < mostCompared && number > 0; compared += 1) {
        const place = number % mostTexts;
        // If the place has another text by now, all earlier ones are forgotten too.
        if (numbers[place] !== number) break;
        if (forms[place] === form && isAlike(sketch, marks, place * mostMarks, counts[place] ?? 0))
          found.add(place);
        number = before[linkOf(place, chain)] ?? 0;
      }
    }
    return found;
  }

  function keep({ sketch, at, id }: NewText, form: number, client: number, similar?: Similar): number {
    noted += 1;
    const place = noted % mostTexts;
    marks.set(sketch, place * mostMarks);
    counts[place] = sketch.length;
    forms[place] = form;
    clients[place] = client;
    times[place] = at;
    ids[place] = id;
    earlier[place] = similar?.count ?? 0;
    since[place] = similar?.since ?? at;
    numbers[place] = noted;
    for (const [nth, mark] of sketch.slice(0, chains).entries()) {
      const chain = chainOf(mark, form);
      before[place * chains + nth] = last[chain] ?? 0;
      last[chain] = noted;
    }
    return noted;
  }

  /** @param places Of texts that are like one, in any order. */
  function similarOf(places: readonly number[]): Similar | undefined {
    if (places.length === 0) return undefined;
    const latest = places.toSorted((one, other) => (numbers[other] ?? 0) - (numbers[one] ?? 0));
    return {
      count: Math.max(places.length, ...places.map((place) => (earlier[place] ?? 0) + 1)),
      since: Math.min(...places.map((place) => since[place] ?? 0)),
      ids: latest.slice(0, mostNamed).map((place) => ids[place] ?? ''),
    };
  }

  function forget(number: number): void {
    // The place may have another text by now.
    if (numbers[number % mostTexts] === number) times[number % mostTexts] = -Infinity;
  }

  return {
    note: (text) => {
      const { at, client, sketch } = text;
      const form = ofText(text.form);
      const ofClient = ofText(client);
      const isRecent = (place: number) => Math.abs(at - (times[place] ?? 0)) <= windowMs;
      const places = [...likeIt(sketch, form)].filter(isRecent);
      const isAgain = (place: number) =>
        client !== '' && clients[place] === ofClient && Math.abs(at - (times[place] ?? 0)) < againMs;
      const again = places.filter(isAgain).length;
      const similar = similarOf(places);
      const number = keep(text, form, ofClient, similar);
      return {
        against: places.length - again + Math.max(0, again - mostAgain),
        similar,
        undo: () => forget(number),
      };
    },
  };
}
