import { clientNetwork, readAddress } from '@form-relay/core/kit';

/** Tells an attack from visitors: how often a form is sent, and how often by one client. */
export interface Pressure {
  /** Counts a submission. Returns a function that takes it back. */
  count(formId: string, client: string | undefined): () => void;
  /** The size of a puzzle's number, which doubles with the count; 0 if there is no need for one. */
  sizeFor(formId: string, client: string | undefined): number;
}

interface Rule {
  /** The time after which half of a count is forgotten. */
  readonly halfLifeMs: number;
  /** The count of a busy day, which needs no puzzle. */
  readonly calm: number;
  /** Numbers grow no further. */
  readonly most: number;
}

/** For all clients of a form. Most are innocent, so their puzzles stay unnoticed. */
const formRule: Rule = { halfLifeMs: 60_000, calm: 20, most: 400_000 };

/** For one client. One that sends this often, or shares its address with one that does, may wait a while. */
const clientRule: Rule = { halfLifeMs: 600_000, calm: 4, most: 1_600_000 };

/** The size of the first puzzle, as in forms that always ask for one. */
const smallest = 100_000;

/** The most clients, which take some 6 MB. */
const mostClients = 20_000;

/** 4,096 submissions count as one then, so the key is forgotten: a client after two hours. */
const mostHalfLives = 12;

/** Forgets the clients that came longest ago first. A flood from more clients counts for the form. */
export function createPressure(now: () => number): Pressure {
  const forms = createMeter(now, formRule, Infinity);
  const clients = createMeter(now, clientRule, mostClients);
  const keyOf = (formId: string, client: string) => {
    const address = readAddress(client);
    return `${formId}\0${address ? clientNetwork(address) : client}`;
  };
  return {
    count(formId, client) {
      const at = now();
      forms.count(formId, at);
      if (client !== undefined) clients.count(keyOf(formId, client), at);
      return () => {
        forms.uncount(formId, at);
        if (client !== undefined) clients.uncount(keyOf(formId, client), at);
      };
    },
    sizeFor: (formId, client) =>
      Math.max(forms.size(formId), client === undefined ? 0 : clients.size(keyOf(formId, client))),
  };
}

interface Counted {
  amount: number;
  /** The time of `amount`. */
  readonly at: number;
}

function createMeter(now: () => number, { halfLifeMs, calm, most }: Rule, mostKeys: number) {
  /** The key that was counted last is the last. */
  const counted = new Map<string, Counted>();
  /** The amount that is left at a time. If the clock was set back, nothing is forgotten. */
  const left = ({ amount, at }: Counted, then: number) =>
    amount * 2 ** (-Math.max(0, then - at) / halfLifeMs);
  return {
    count(key: string, at: number): void {
      const before = counted.get(key);
      const meter = { amount: (before ? left(before, at) : 0) + 1, at };
      counted.delete(key);
      counted.set(key, meter);
      for (const [oldest, { at: then }] of counted) {
        if (counted.size <= mostKeys && at - then < mostHalfLives * halfLifeMs) break;
        counted.delete(oldest);
      }
    },
    uncount(key: string, at: number): void {
      const kept = counted.get(key);
      // Subtracts only what is left of it: a visitor who corrects a mistake must not wipe out the counts of others.
      if (kept) kept.amount = Math.max(0, kept.amount - left({ amount: 1, at }, kept.at));
    },
    size(key: string): number {
      const meter = counted.get(key);
      const amount = meter ? left(meter, now()) : 0;
      return amount <= calm ? 0 : Math.min(most, smallest * 2 ** Math.floor(Math.log2(amount / calm)));
    },
  };
}
