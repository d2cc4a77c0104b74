/** Sketches of texts of the last days, which tell whether two are alike. */
import { isAlike, type Sketch } from '../lists/sketch.ts';
import type { Similar } from './marks.ts';

interface Text {
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
  /** How many of the form's earlier texts are much like it and speak against it. */
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
/** How many texts are remembered, in some 3 MB. */
const mostTexts = 8_192;
/** How many earlier texts are named. */
const mostNamed = 16;

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
      similar: similarOf(alike),
      undo: () => this.#forget(text),
    };
  }

  #forget(text: Text): void {
    const place = this.#all.lastIndexOf(text);
    if (place >= 0) this.#all.splice(place, 1);
  }
}

/** @param texts The oldest first. */
function similarOf(texts: readonly Text[]): Similar | undefined {
  if (texts.length === 0) return undefined;
  return {
    count: texts.length,
    since: Math.min(...texts.map(({ at }) => at)),
    ids: texts
      .slice(-mostNamed)
      .map(({ id }) => id)
      .reverse(),
  };
}
