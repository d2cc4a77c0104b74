import { type SinkName, sinkNames, submission } from './submission.ts';

/** A sink's report. The arrays have an element a submission. */
export interface BookReport {
  /** How often it was read to its end. */
  readonly read: Uint8Array;
  /** How often it was taken: read whole, and answered with a success. */
  readonly taken: Uint8Array;
  /** The first digits of its `Idempotency-Key` or Message-ID, as a number; 0 before the first. */
  readonly keys: Float64Array;
  /** How often each way to treat a request was gone. */
  readonly ways: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

/** A record of all deliveries to a sink, in a few bytes a submission. */
export class Book {
  readonly sink: SinkName;
  readonly seed: number;
  /** From then on, all is taken at once. */
  isHealed = false;
  readonly #tries: Uint8Array;
  readonly #read: Uint8Array;
  readonly #taken: Uint8Array;
  readonly #keys: Float64Array;
  readonly #ways: Record<string, number> = {};
  readonly #violations: string[] = [];

  constructor(sink: SinkName, seed: number, size: number) {
    this.sink = sink;
    this.seed = seed;
    this.#tries = new Uint8Array(size);
    this.#read = new Uint8Array(size);
    this.#taken = new Uint8Array(size);
    this.#keys = new Float64Array(size);
  }

  /** The sink, as a part of chance. */
  get number(): number {
    return sinkNames.indexOf(this.sink);
  }

  /** Counts a way that was gone. */
  count(way: string): void {
    this.#ways[way] = (this.#ways[way] ?? 0) + 1;
  }

  /** How often this submission came so far, to whatever end. */
  nextTry(id: number): number {
    const tries = this.#tries[id] ?? 0;
    this.#tries[id] = tries + 1;
    return tries;
  }

  /** Records a complete delivery. `key` is a UUID and more; `isRight`: it equals the submission, to the byte. */
  read(id: number, key: string, isRight: boolean): void {
    this.#read[id] = (this.#read[id] ?? 0) + 1;
    if (!isRight) this.#violations.push(`${this.sink}: ${id} is not what was submitted`);
    if (submission(this.seed, id).kind !== 'valid')
      this.#violations.push(`${this.sink}: ${id} should not be there`);
    const number = Number.parseInt(key.replaceAll('-', '').slice(0, 13), 16);
    const known = this.#keys[id];
    if (Number.isNaN(number)) this.#violations.push(`${this.sink}: ${id} came without a key`);
    else if (known === 0) this.#keys[id] = number;
    else if (known !== number) this.#violations.push(`${this.sink}: ${id} came with two keys`);
  }

  /** Called before the last byte of the success is written, so that no answer can be ahead of the book. */
  take(id: number): void {
    this.#taken[id] = (this.#taken[id] ?? 0) + 1;
  }

  report(): BookReport {
    return {
      read: this.#read,
      taken: this.#taken,
      keys: this.#keys,
      ways: this.#ways,
      violations: this.#violations,
    };
  }
}
