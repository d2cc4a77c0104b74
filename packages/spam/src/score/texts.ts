/** Sketches of texts of the last days, which tell whether two are alike. */
import { hashOf, isAlike, type Sketch } from '../lists/sketch.ts';

interface Text {
  /** When it came, in milliseconds since the epoch. */
  readonly at: number;
  readonly form: string;
  /** The sender; empty if unknown. */
  readonly client: string;
  readonly sketch: Sketch;
}

export interface Noted {
  /** How many of the form's earlier texts that were compared are much like it and speak against it. */
  readonly against: number;
  /** Forgets the text, as if it never came. */
  readonly undo: () => void;
}

/** Campaigns come in waves, a day or two apart. */
const windowMs = 3 * 86_400_000;
/** Visitors repeat a text this soon by mistake, to be sure that it arrived, or because nobody answered. */
const againMs = 86_400_000;
/** More repetitions are deliberate. */
const mostAgain = 2;
/** How many texts are remembered, in some 5 MB. */
const mostTexts = 8_192;
/** A text is found by any of its lowest marks. This misses 1 % of the texts that share 60 % of their pairs. */
const indexedMarks = 6;
/** All texts of a form may share a sentence, so a text is compared with only the latest of each mark. */
const mostCompared = 12;
const slots = 2 ** 16;

/** Comparing a text costs the same however many came before. */
export class Texts {
  /** The latest texts, each at its number modulo `mostTexts`. */
  readonly #all: { readonly number: number; readonly text: Text; isForgotten: boolean }[] = [];
  /** Counted from 1, so that 0 is no link. */
  #number = 1;
  /** By form and mark: the latest text with that mark, as its number times `indexedMarks` plus which of its marks it is. */
  readonly #latest = new Float64Array(slots);
  /** By text and mark: the text before, in the same way. */
  readonly #before = new Float64Array(mostTexts * indexedMarks);

  note(text: Text): Noted {
    const { at, client, sketch } = text;
    const isWithin = (other: Text, ms: number) => Math.abs(at - other.at) <= ms;
    const alike = [...this.#candidates(text)].filter(
      (other) => other.form === text.form && isWithin(other, windowMs) && isAlike(sketch, other.sketch),
    );
    const again =
      client === '' ? 0 : alike.filter((one) => one.client === client && isWithin(one, againMs)).length;
    const entry = this.#add(text);
    return {
      against: alike.length - again + Math.max(0, again - mostAgain),
      undo: () => {
        entry.isForgotten = true;
      },
    };
  }

  #candidates(text: Text): ReadonlySet<Text> {
    const found = new Set<Text>();
    for (const slot of slotsOf(text)) {
      let link = this.#latest[slot] as number;
      for (let compared = 0; compared < mostCompared && link > 0; compared += 1) {
        const number = Math.floor(link / indexedMarks);
        const entry = this.#all[number % mostTexts];
        // A newer text took the place, and those of all texts before.
        if (entry?.number !== number) break;
        if (!entry.isForgotten) found.add(entry.text);
        link = this.#before[link % this.#before.length] as number;
      }
    }
    return found;
  }

  #add(text: Text) {
    const number = this.#number++;
    const entry = { number, text, isForgotten: false };
    this.#all[number % mostTexts] = entry;
    for (const [nth, slot] of slotsOf(text).entries()) {
      const link = number * indexedMarks + nth;
      this.#before[link % this.#before.length] = this.#latest[slot] as number;
      this.#latest[slot] = link;
    }
    return entry;
  }
}

function slotsOf({ form, sketch: { marks, size } }: Text): Int32Array {
  const key = hashOf(form);
  return marks.subarray(0, Math.min(indexedMarks, size)).map((mark) => (mark ^ key) & (slots - 1));
}
