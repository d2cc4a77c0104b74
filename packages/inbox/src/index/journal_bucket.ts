/** The journal in a bucket: an object for each group of lines, which never changes. */
import type { Bucket } from './reader.ts';

const listEveryMs = 30_000;
const dayMs = 86_400_000;
const readAtOnce = 16;
const name = /^(\d{4}-\d\d-\d\d)\/.+\.jsonl$/;

export class FollowedJournalBucket {
  readonly #bucket: Bucket;
  readonly #known: Set<string>;
  #listedAt = 0;

  /** @param known The objects of the last days that were read. */
  constructor(bucket: Bucket, known: Set<string>) {
    this.#bucket = bucket;
    this.#known = known;
  }

  objects(): readonly string[] {
    return [...this.#known];
  }

  /** @param isAll From the first day that may not be read as a whole; else from yesterday on, or after the last object. */
  async *newLines(isAll: boolean): AsyncGenerator<readonly string[]> {
    const now = Date.now();
    const isWhole = isAll || now - this.#listedAt > listEveryMs;
    if (isWhole) this.#listedAt = now;
    const [first = '', last = ''] = ends(this.#known);
    const yesterday = dayOf(now - dayMs);
    const after = isAll ? first.slice(0, 10) : isWhole || last === '' ? yesterday : last;
    for await (const keys of this.#bucket.list('', after)) {
      const added = keys.filter((key) => name.test(key) && !this.#known.has(key));
      for (let from = 0; from < added.length; from += readAtOnce) {
        const some = added.slice(from, from + readAtOnce);
        const read = await Promise.all(some.map((key) => this.#bucket.read(key)));
        for (const [index, bytes] of read.entries()) {
          this.#known.add(some[index] as string);
          if (typeof bytes !== 'string') yield Buffer.from(bytes).toString().split('\n');
        }
      }
    }
    if (isWhole) this.#forget(yesterday);
  }

  /** Objects of days that are over: no more come. Those of the last day stay, since they tell what was read. */
  #forget(yesterday: string): void {
    const [, last = ''] = ends(this.#known);
    for (const one of this.#known)
      if (one < yesterday && one.slice(0, 10) < last.slice(0, 10)) this.#known.delete(one);
  }
}

/** The first and the last, in alphabetical order. */
function ends(names: Iterable<string>): readonly string[] {
  let [first, last]: (string | undefined)[] = [];
  for (const one of names) {
    if (first === undefined || one < first) first = one;
    if (last === undefined || one > last) last = one;
  }
  return first === undefined || last === undefined ? [] : [first, last];
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
