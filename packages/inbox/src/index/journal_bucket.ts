/** The journal in a bucket: an object for each group of lines, which never changes. */
import type { NewLines } from './journal.ts';
import type { Bucket } from './reader.ts';
import type { Seen } from './tables.ts';

const listEveryMs = 30_000;
const dayMs = 86_400_000;
const readAtOnce = 16;
const name = /^(\d{4}-\d\d-\d\d)\/.+\.jsonl$/;

export class FollowedJournalBucket {
  readonly #bucket: Bucket;
  readonly #known: Seen;
  #listedAt = 0;

  /** @param known The objects of the last days that were read. */
  constructor(bucket: Bucket, known: Seen) {
    this.#bucket = bucket;
    this.#known = known;
  }

  /** @param isAll From the first day that may not be read as a whole; else from yesterday on, or after the last object. */
  async *newLines(isAll: boolean): AsyncGenerator<NewLines> {
    const now = Date.now();
    const isWhole = isAll || now - this.#listedAt > listEveryMs;
    if (isWhole) this.#listedAt = now;
    const known = this.#known.names();
    const [first = '', last = ''] = [known[0], known.at(-1)];
    const yesterday = dayOf(now - dayMs);
    const after = isAll ? first.slice(0, 10) : isWhole || last === '' ? yesterday : last;
    for await (const keys of this.#bucket.list('', after)) {
      const added = keys.filter((key) => name.test(key) && this.#known.get(key) === undefined);
      for (let from = 0; from < added.length; from += readAtOnce) {
        const some = added.slice(from, from + readAtOnce);
        const read = await Promise.all(some.map((key) => this.#bucket.read(key)));
        for (const [index, bytes] of read.entries()) {
          const lines = typeof bytes === 'string' ? [] : Buffer.from(bytes).toString().split('\n');
          yield { lines, seen: [[some[index] as string, 1]] };
        }
      }
    }
    if (isWhole) this.#forget(yesterday);
  }

  /** Objects of days that are over: no more come. Those of the last day stay, since they tell what was read. */
  #forget(yesterday: string): void {
    const known = this.#known.names();
    const lastDay = known.at(-1)?.slice(0, 10) ?? '';
    for (const one of known) if (one < yesterday && one.slice(0, 10) < lastDay) this.#known.delete(one);
  }
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
