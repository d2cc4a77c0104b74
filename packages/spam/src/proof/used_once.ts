import { hash } from 'node:crypto';

/** Keys that count once. */
export interface UsedOnce {
  /** Uses the key. Returns whether it was unused. */
  use(key: string): boolean;
  /** Makes the key unused again. */
  giveBack(key: string): void;
}

/** They take some 9 MB. */
const mostRemembered = 100_000;

/** Forgets the oldest keys first, and only for room: if the clock were set back, expired keys would count again. */
export function createUsedOnce(): UsedOnce {
  const used = new Set<string>();
  // Goes on where it was: a new iterator would pass over the holes of deleted keys each time.
  const oldest = used.values();
  return {
    use(key) {
      const name = nameOf(key);
      if (used.has(name)) return false;
      used.add(name);
      if (used.size > mostRemembered) used.delete(oldest.next().value ?? '');
      return true;
    },
    giveBack: (key) => void used.delete(nameOf(key)),
  };
}

/** A string of 16 bytes, which V8 stores in as many. */
const nameOf = (key: string) => hash('sha256', key, 'buffer').toString('latin1', 0, 16);
