import { hash } from 'node:crypto';
import type { Soon } from '../base/soon.ts';

/** Keys that count once. */
export interface UsedOnce {
  /** Whether it was not used before; from now on it was. */
  use(key: string): Soon<boolean>;
  /** It was not used after all. */
  giveBack(key: string): void;
}

/** Where they are remembered. */
export interface OwnUsedOnce extends UsedOnce {
  use(key: string): boolean;
}

/** Some 9 MB. */
const mostRemembered = 100_000;

/**
 * Beyond what it remembers, it forgets those first that were used first. Nothing else makes it forget: by a clock that
 * was set back, what has expired would count again.
 */
export function createUsedOnce(most = mostRemembered): OwnUsedOnce {
  const used = new Set<string>();
  // Goes on where it was: from the front, each would pass over the holes of those that were forgotten.
  const oldest = used.values();
  return {
    use(key) {
      const name = nameOf(key);
      if (used.has(name)) return false;
      used.add(name);
      if (used.size > most) used.delete(oldest.next().value ?? '');
      return true;
    },
    giveBack: (key) => void used.delete(nameOf(key)),
  };
}

/** Of 16 bytes, which V8 keeps in as many. */
const nameOf = (key: string) => hash('sha256', key, 'buffer').toString('latin1', 0, 16);
