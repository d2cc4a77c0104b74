/** Sketches of texts of the last days, which tell whether two are alike. */
import { isAlike, type Sketch } from '../lists/sketch.ts';

interface Text {
  /** When it came, in milliseconds since the epoch. */
  readonly at: number;
  readonly form: string;
  /** The sender; empty if unknown. */
  readonly client: string;
  readonly sketch: Sketch;
}

export interface Noted {
  /** How many of the form's earlier texts are much like it and speak against it. */
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
/** How many texts are remembered, in some 3 MB. */
const mostTexts = 8_192;

export class Texts {
  /** The oldest first. */
  readonly #all: Text[] = [];

  note(text: Text): Noted {
    const { at, form, client, sketch } = text;
    const isWithin = (other: Text, ms: number) => Math.abs(at - other.at) <= ms;
    const alike = this.#all.filter(
      (other) => other.form === form && isWithin(other, windowMs) && isAlike(sketch, other.sketch),
    );
    const again =
      client === '' ? 0 : alike.filter((one) => one.client === client && isWithin(one, againMs)).length;
    this.#all.push(text);
    if (this.#all.length > mostTexts) this.#all.shift();
    return {
      against: alike.length - again + Math.max(0, again - mostAgain),
      undo: () => this.#forget(text),
    };
  }

  #forget(text: Text): void {
    const place = this.#all.lastIndexOf(text);
    if (place >= 0) this.#all.splice(place, 1);
  }
}
