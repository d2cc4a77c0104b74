import type { Outcome } from '../base/outcome.ts';

/** Outcomes of confirmed submissions, so that a link that is opened twice delivers once. */
export interface Confirmed {
  /** Delivers unless that is done or under way. A delivery that no output took may be repeated. */
  once(key: string, deliver: () => Promise<Outcome>): Promise<Ended>;
}

interface Ended {
  readonly outcome: Outcome;
  /** Whether an earlier call delivered it. */
  readonly isAgain: boolean;
}

/** A link that is opened again after this many others delivers again. */
export const mostConfirmed = 10_000;

/** Whether it must not be delivered again. */
const isTaken = (outcome: Outcome | undefined): boolean => outcome?.kind === 'delivered' && !outcome.byNobody;

export function createConfirmed(): Confirmed {
  /** In the order of insertion. */
  const known = new Map<string, Promise<Outcome>>();
  return {
    once: async (key, deliver) => {
      const before = known.get(key);
      if (before !== undefined) return { outcome: await before, isAgain: true };
      const delivery = deliver();
      known.set(key, delivery);
      for (const oldest of known.keys()) {
        if (known.size <= mostConfirmed) break;
        known.delete(oldest);
      }
      let outcome: Outcome | undefined;
      try {
        outcome = await delivery;
        return { outcome, isAgain: false };
      } finally {
        if (!isTaken(outcome)) known.delete(key);
      }
    },
  };
}
