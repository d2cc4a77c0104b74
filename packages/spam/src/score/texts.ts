/** Sketches of the texts of the last days, to tell whether two are alike. */
import { hashOf, isAlike, mostMarks, type Sketch } from '../lists/sketch.ts';

interface Text {
  /** When the text arrived, in milliseconds since the epoch. */
  readonly at: number;
  readonly form: string;
  /** The sender; empty if unknown. */
  readonly client: string;
  readonly sketch: Sketch;
}

export interface Noted {
  /** How many of the compared earlier texts resemble this one and count against it. */
  readonly against: number;
  /** How many earlier texts it was compared with. */
  readonly compared: number;
  /** Forgets the text, as if it had never arrived. */
  readonly undo: () => void;
}

/** Campaigns come in waves, a day or two apart. */
const windowMs = 3 * 86_400_000;
/** Within this time, visitors may repeat a text by mistake, to be sure that it arrived, or because they got no reply. */
const againMs = 86_400_000;
/** More repetitions are deliberate. */
const mostAgain = 2;
/** How many texts are remembered. The memory is some 2 MB. */
const mostTexts = 8_192;
/** Texts are looked up by any of their lowest marks. This misses 1% of the texts that share 60% of their pairs. */
const indexedMarks = 6;
/** All texts of a form may share a sentence, so each mark finds only the latest texts. */
const mostCompared = 12;
const slots = 2 ** 16;
/** After this, numbers start over. */
const mostNumbers = 2 ** 28;

/** Comparing a text takes the same time, however many came before. Typed arrays keep the garbage collector out of the way. */
export class Texts {
  /** Each text is stored at its number modulo `mostTexts`. Numbers start at 1, so 0 means no link; links fit in 31 bits. */
  #number = 0;
  readonly #numbers = new Int32Array(mostTexts);
  readonly #times = new Float64Array(mostTexts);
  readonly #marks = new Int32Array(mostTexts * mostMarks);
  /** 0: the text is forgotten. */
  readonly #sizes = new Uint8Array(mostTexts);
  readonly #senders: Pick<Text, 'form' | 'client'>[] = [];
  /** For each text, the number of the latest text that was compared with it. */
  readonly #comparedWith = new Int32Array(mostTexts);
  /** By form and mark, the latest text with that mark: its number times `indexedMarks`, plus the index of the mark. */
  readonly #latest = new Int32Array(slots);
  /** By text and mark, the previous text with that mark, encoded in the same way. */
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
        // A newer text overwrote this one, and all texts before it.
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
