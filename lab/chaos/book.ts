import { counter } from './loop.ts';
import { type SinkName, sinkNames, submission } from './submission.ts';

/** Records all deliveries to a sink, in a few bytes per submission. */
export class Book {
  readonly sink: SinkName;
  readonly seed: number;
  /** The sink's number, used to seed its randomness. */
  readonly number: number;
  /** When true, everything is accepted at once. */
  isHealed = false;
  readonly report;
  /** Counts each use of a fault. */
  readonly count: (way: string) => void;
  readonly #tries: Uint8Array;

  constructor(sink: SinkName, seed: number, size: number) {
    this.sink = sink;
    this.seed = seed;
    this.number = sinkNames.indexOf(sink);
    this.#tries = new Uint8Array(size);
    const { counts: ways, count } = counter();
    this.count = count;
    /** The arrays have one element per submission. */
    this.report = {
      /** How many times each submission was read completely. */
      read: new Uint8Array(size),
      /** How many times each was accepted: read completely, and answered with success. */
      taken: new Uint8Array(size),
      /** The first digits of its `Idempotency-Key` or Message-ID, as a number; 0 before the first. */
      keys: new Float64Array(size),
      /** How many times each fault was used. */
      ways,
      violations: [] as string[],
    };
  }

  /** Counts another attempt to deliver this submission, and returns how many there were before. */
  nextTry(id: number): number {
    const tries = this.#tries[id] ?? 0;
    this.#tries[id] = tries + 1;
    return tries;
  }

  /** Records a complete delivery. `key` starts with a UUID; `isRight`: it equals the submission. */
  read(id: number, key: string, isRight: boolean): void {
    const { read, keys, violations } = this.report;
    read[id] = (read[id] ?? 0) + 1;
    if (!isRight) violations.push(`${this.sink}: ${id} is not what was submitted`);
    if (submission(this.seed, id).kind !== 'valid')
      violations.push(`${this.sink}: ${id} should not be there`);
    const number = Number.parseInt(key.replaceAll('-', '').slice(0, 13), 16);
    const known = keys[id];
    if (Number.isNaN(number)) violations.push(`${this.sink}: ${id} came without a key`);
    else if (known === 0) keys[id] = number;
    else if (known !== number) violations.push(`${this.sink}: ${id} came with two keys`);
  }

  /** Called before the last byte of the success is written, so that no answer precedes its record. */
  take(id: number): void {
    const { taken } = this.report;
    taken[id] = (taken[id] ?? 0) + 1;
  }
}
