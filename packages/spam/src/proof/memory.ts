import { hash } from 'node:crypto';

/** A full memory takes some 9 MB. */
const mostUsed = 100_000;

/** Solutions count once. Forgets the oldest first, and only for room: if the clock were set back, expired ones would count again. */
export class UsedOnce {
  readonly #used = new Set<string>();
  /** Goes on where it was: a new iterator would pass over the holes of deleted keys each time. */
  readonly #oldest = this.#used.values();

  /** Uses the key. Returns whether it was unused. */
  use(key: string): boolean {
    const name = nameOf(key);
    if (this.#used.has(name)) return false;
    this.#used.add(name);
    if (this.#used.size > mostUsed) this.#used.delete(this.#oldest.next().value ?? '');
    return true;
  }

  /** Makes the key unused again. */
  giveBack(key: string): void {
    this.#used.delete(nameOf(key));
  }
}

/** A string of 16 bytes, which V8 stores in as many. */
const nameOf = (key: string) => hash('sha256', key, 'buffer').toString('latin1', 0, 16);
