/** A map that keeps its latest entries, so that it cannot grow for ever. */
export class LatestMap<V> extends Map<string, V> {
  constructor(private readonly most: number) {
    super();
  }

  override set(key: string, value: V): this {
    // A key that is set again becomes the latest; the first is the one to drop.
    this.delete(key);
    const [oldest] = this.size >= this.most ? this.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    return super.set(key, value);
  }
}

/** Requests or mails waiting for a connection, first in, first out. */

interface Waiter {
  /** Whether it waits no longer, such as when its time is up. */
  readonly isOver: boolean;
}

/**
 * Entering, being next and leaving cost the same however many wait: a search for each would take seconds when a hundred thousand
 * expire at once. Expired ones are cleared away once they are half of all. Not a set: V8 would keep each table that it outgrows, with
 * its mails, until the next full collection.
 */
export class Waiting<W extends Waiter> {
  #all: W[] = [];
  /** The place of the next one, and how many of those from there are over. */
  #first = 0;
  #over = 0;
  /** How many wait. */
  size = 0;

  add(one: W): void {
    this.#all.push(one);
    this.size += 1;
  }

  /** The one that has waited longest. */
  next(): W | undefined {
    while (this.#first < this.#all.length) {
      const one = this.#all[this.#first] as W;
      this.#first += 1;
      if (one.isOver) this.#over -= 1;
      else this.size -= 1;
      this.#clear(this.#first + this.#over);
      if (!one.isOver) return one;
    }
    return undefined;
  }

  /** Call this when a waiting one is over. */
  left(): void {
    this.#over += 1;
    this.size -= 1;
    this.#clear(this.#first + this.#over);
  }

  #clear(gone: number): void {
    if (gone * 2 <= this.#all.length) return;
    this.#all = gone < this.#all.length ? this.#all.slice(this.#first).filter((one) => !one.isOver) : [];
    this.#first = 0;
    this.#over = 0;
  }
}
