/** A map that keeps only its latest entries, so that it cannot grow forever. */
export class LatestMap<V> extends Map<string, V> {
  constructor(private readonly most: number) {
    super();
  }

  override set(key: string, value: V): this {
    // Setting a key again makes it the latest; the first key is dropped.
    this.delete(key);
    const [oldest] = this.size >= this.most ? this.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    return super.set(key, value);
  }
}

/** Requests or mails that wait for a connection, first in, first out. */

interface Waiter {
  /** Whether it no longer waits, for example because of a timeout. */
  readonly isOver: boolean;
}

/**
 * A queue in which adding, taking and leaving are cheap at any size: searching would take seconds if a hundred
 * thousand waiters expire at once. Expired waiters are removed when they are half of all. A set would be worse,
 * because V8 keeps each table that the set outgrows, with its mails, until the next full garbage collection.
 */
export class Waiting<W extends Waiter> {
  #all: W[] = [];
  /** The index of the next waiter, and how many waiters from there on are over. */
  #first = 0;
  #over = 0;
  /** How many are waiting. */
  size = 0;

  add(one: W): void {
    this.#all.push(one);
    this.size += 1;
  }

  /** The waiter that has waited longest. */
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

  /** Call this when a waiter in the queue is over. */
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
