/** What the process remembers of solutions, and of how often forms are sent. */
import { hash } from 'node:crypto';
import { clientNetwork, readAddress } from '@form-relay/core/kit';

export interface ProofMemory {
  readonly used: UsedOnce;
  readonly pressure: Pressure;
}

/** They take some 9 MB. */
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

interface Rule {
  /** The time after which half of a count is forgotten. */
  readonly halfLifeMs: number;
  /** The count of a busy day, which needs no puzzle. */
  readonly calm: number;
  /** Numbers grow no further. */
  readonly most: number;
  readonly mostKeys: number;
}

/** For all clients of a form. Most are innocent, so their puzzles stay unnoticed. */
const formRule: Rule = { halfLifeMs: 60_000, calm: 20, most: 400_000, mostKeys: Infinity };

/**
 * For one client. One that sends this often, or shares its address with one that does, may wait a while. The most clients take some
 * 6 MB; a flood from more counts for the form.
 */
const clientRule: Rule = { halfLifeMs: 600_000, calm: 4, most: 1_600_000, mostKeys: 20_000 };

/** The size of the first puzzle, as in forms that always ask for one. */
const smallest = 100_000;

/** 4,096 submissions count as one then, so the key is forgotten: a client after two hours. */
const mostHalfLives = 12;

/** Tells an attack from visitors: how often a form is sent, and how often by one client. */
export class Pressure {
  readonly #forms = new Meter(formRule);
  readonly #clients = new Meter(clientRule);

  /** Counts a submission. Returns a function that takes it back. */
  count(formId: string, client: string | undefined, now: number): () => void {
    const counts = [this.#forms.count(formId, now)];
    if (client !== undefined) counts.push(this.#clients.count(keyOf(formId, client), now));
    return () => {
      for (const uncount of counts) uncount();
    };
  }

  /** The size of a puzzle's number, which doubles with the count; 0 if there is no need for one. */
  sizeFor(formId: string, client: string | undefined, now: number): number {
    const ofClient = client === undefined ? 0 : this.#clients.size(keyOf(formId, client), now);
    return Math.max(this.#forms.size(formId, now), ofClient);
  }
}

function keyOf(formId: string, client: string): string {
  const address = readAddress(client);
  return `${formId}\0${address ? clientNetwork(address) : client}`;
}

interface Counted {
  amount: number;
  /** The time of `amount`. */
  readonly at: number;
}

class Meter {
  /** The key that was counted last is the last. */
  readonly #counted = new Map<string, Counted>();
  readonly #rule: Rule;

  constructor(rule: Rule) {
    this.#rule = rule;
  }

  count(key: string, now: number): () => void {
    const { halfLifeMs, mostKeys } = this.#rule;
    const counted = { amount: this.#left(this.#counted.get(key), now) + 1, at: now };
    this.#counted.delete(key);
    this.#counted.set(key, counted);
    for (const [oldest, { at }] of this.#counted) {
      if (this.#counted.size <= mostKeys && now - at < mostHalfLives * halfLifeMs) break;
      this.#counted.delete(oldest);
    }
    return () => {
      const kept = this.#counted.get(key);
      // Subtracts only what is left of it: a visitor who corrects a mistake must not wipe out the counts of others.
      if (kept) kept.amount = Math.max(0, kept.amount - this.#left({ amount: 1, at: now }, kept.at));
    };
  }

  size(key: string, now: number): number {
    const { calm, most } = this.#rule;
    const amount = this.#left(this.#counted.get(key), now);
    return amount <= calm ? 0 : Math.min(most, smallest * 2 ** Math.floor(Math.log2(amount / calm)));
  }

  /** The amount that is left at a time. If the clock was set back, nothing is forgotten. */
  #left({ amount, at }: Counted = { amount: 0, at: 0 }, then: number): number {
    return amount * 2 ** (-Math.max(0, then - at) / this.#rule.halfLifeMs);
  }
}
