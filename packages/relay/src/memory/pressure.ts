import { clientNetwork, readAddress } from '../base/networks.ts';

/** Tells an attack from visitors: how often a form is sent, and how often by one client. */
export interface Pressure {
  /** Counts a submission, and gives what takes it back. */
  count(formId: string, client: string | undefined): () => void;
  /** Takes back what was counted at a time, in milliseconds since the epoch. */
  uncount(formId: string, client: string | undefined, at: number): void;
  /** How large the number of a puzzle is to be, which doubles with what was counted; 0, where nothing is the matter. */
  sizeFor(formId: string, client: string | undefined): number;
}

/** Half of what was counted is forgotten after so long. */
interface Rule {
  readonly halfLifeMs: number;
  /** What visitors do on a busy day: no more calls for a puzzle. */
  readonly calm: number;
  /** Numbers grow no further. */
  readonly most: number;
}

/** Of all clients together, who did nothing: their puzzles stay such as nobody notices. */
const formRule: Rule = { halfLifeMs: 60_000, calm: 20, most: 400_000 };

/** Whoever sends a form as often as that, or shares an address with them, may wait a while. */
const clientRule: Rule = { halfLifeMs: 600_000, calm: 4, most: 1_600_000 };

/** The first puzzle: such as everybody solves where a form always asks for one. */
const smallest = 100_000;

/** How many clients are remembered: some 6 MB. */
const mostClients = 20_000;

/** Of 4,096 submissions one is left then, and who sent them is forgotten: a client after two hours. */
const mostHalfLives = 12;

/** Who came longest ago is forgotten first, with the next that comes; a flood from more of them is the form's. */
export function createPressure(now: () => number): Pressure {
  const forms = createMeter(now, formRule, Infinity);
  const clients = createMeter(now, clientRule, mostClients);
  const keyOf = (formId: string, client: string) => {
    const address = readAddress(client);
    return `${formId}\0${address ? clientNetwork(address) : client}`;
  };
  const uncount = (formId: string, client: string | undefined, at: number) => {
    forms.uncount(formId, at);
    if (client !== undefined) clients.uncount(keyOf(formId, client), at);
  };
  return {
    count(formId, client) {
      const at = now();
      forms.count(formId, at);
      if (client !== undefined) clients.count(keyOf(formId, client), at);
      return () => uncount(formId, client, at);
    },
    uncount,
    sizeFor: (formId, client) =>
      Math.max(forms.size(formId), client === undefined ? 0 : clients.size(keyOf(formId, client))),
  };
}

interface Counted {
  amount: number;
  /** When that was so. */
  readonly at: number;
}

function createMeter(now: () => number, { halfLifeMs, calm, most }: Rule, mostKeys: number) {
  /** Who was counted last is the last. */
  const counted = new Map<string, Counted>();
  /** What is left of it at a time. A clock that was set back forgets nothing. */
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
      // No more than is left of it, or whoever is told to correct something could wipe out what others sent.
      if (kept) kept.amount = Math.max(0, kept.amount - left({ amount: 1, at }, kept.at));
    },
    size(key: string): number {
      const meter = counted.get(key);
      const amount = meter ? left(meter, now()) : 0;
      return amount <= calm ? 0 : Math.min(most, smallest * 2 ** Math.floor(Math.log2(amount / calm)));
    },
  };
}
