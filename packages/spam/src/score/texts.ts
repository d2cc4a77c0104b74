/** Sketches of texts of the last days, which tell whether two are alike. */
import { hashOf, isAlike, mostMarks, type Sketch } from '../lists/sketch.ts';

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
  /** With how many it was compared. */
  readonly compared: number;
  /** Forgets the text, as if it never came. */
  readonly undo: () => void;
}

/** Campaigns come in waves, a day or two apart. */
const windowMs = 3 * 86_400_000;
/** Visitors repeat a text this soon by mistake, to be sure that it arrived, or because nobody answered. */
const againMs = 86_400_000;
/** More repetitions are deliberate. */
const mostAgain = 2;
/** How many texts are remembered, in some 2 MB. */
const mostTexts = 8_192;
/** A text is found by any of its lowest marks. This misses 1 % of the texts that share 60 % of their pairs. */
const indexedMarks = 6;
/** All texts of a form may share a sentence, so a text is compared with only the latest of each mark. */
const mostCompared = 12;
const slots = 2 ** 16;
/** Then numbers start over. */
const mostNumbers = 2 ** 28;

/** Comparing a text costs the same however many came before. Numbers stand in arrays, which take the collector of garbage no time. */
export class Texts {
  /** Each text stands at its number modulo `mostTexts`. Counted from 1, so that 0 is no link; links of the highest fit in 31 bits. */
  #number = 0;
  readonly #numbers = new Int32Array(mostTexts);
  readonly #times = new Float64Array(mostTexts);
  readonly #marks = new Int32Array(mostTexts * mostMarks);
  /** 0: the text is forgotten. */
  readonly #sizes = new Uint8Array(mostTexts);
  readonly #senders: Pick<Text, 'form' | 'client'>[] = [];
  /** The number of the text with which each was last compared. */
  readonly #comparedWith = new Int32Array(mostTexts);
  /** By form and mark: the latest text with that mark, as its number times `indexedMarks` plus which of its marks it is. */
  readonly #latest = new Int32Array(slots);
  /** By text and mark: the text before, in the same way. */
  readonly #before = new Int32Array(mostTexts * indexedMarks);

  note(text: Text): Noted {
    const { at, form, client, sketch } = text;
    this.#number = (this.#number % mostNumbers) + 1;
    const number = this.#number;
    const place = number % mostTexts;
    const key = hashOf(form);
    let [alike, again, compared] = [0, 0, 0];
    const indexed = Math.min(indexedMarks, sketch.size);
    for (let nth = 0; nth < indexed; nth += 1) {
      let link = this.#latest[slotOf(sketch, nth, key)] as number;
      for (let seen = 0; seen < mostCompared && link > 0; seen += 1) {
        const other = (link / indexedMarks) | 0;
        const otherPlace = other % mostTexts;
        // A newer text took the place, and those of all texts before.
        if (this.#numbers[otherPlace] !== other) break;
        link = this.#before[link % this.#before.length] as number;
        if (this.#comparedWith[otherPlace] === number) continue;
        this.#comparedWith[otherPlace] = number;
        compared += 1;
        const ms = Math.abs(at - (this.#times[otherPlace] as number));
        const sender = this.#senders[otherPlace];
        if (ms > windowMs || sender?.form !== form || !this.#isAlike(sketch, otherPlace)) continue;
        alike += 1;
        if (client !== '' && sender.client === client && ms <= againMs) again += 1;
      }
    }
    this.#add(text, number, place, key);
    return {
      against: alike - again + Math.max(0, again - mostAgain),
      compared,
      undo: () => {
        if (this.#numbers[place] === number) this.#sizes[place] = 0;
      },
    };
  }

  #isAlike(sketch: Sketch, place: number): boolean {
    const size = this.#sizes[place] as number;
    return size > 0 && isAlike(sketch, this.#marks, place * mostMarks, size);
  }

  #add({ at, form, client, sketch }: Text, number: number, place: number, key: number): void {
    this.#numbers[place] = number;
    this.#times[place] = at;
    this.#marks.set(sketch.marks, place * mostMarks);
    this.#sizes[place] = sketch.size;
    this.#senders[place] = { form, client };
    for (let nth = 0; nth < Math.min(indexedMarks, sketch.size); nth += 1) {
      const slot = slotOf(sketch, nth, key);
      const link = number * indexedMarks + nth;
      this.#before[link % this.#before.length] = this.#latest[slot] as number;
      this.#latest[slot] = link;
    }
  }
}

const slotOf = ({ marks }: Sketch, nth: number, key: number): number =>
  ((marks[nth] as number) ^ key) & (slots - 1);
