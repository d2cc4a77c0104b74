import type { Outcome } from '@form-relay/core/index';

interface Delivered {
  readonly outcome: Outcome;
  /** Every output failed without failing the submission. */
  readonly isByNobody: boolean;
}

/** A link that is opened again after this many others delivers again. */
const mostConfirmed = 10_000;

/** Whether it must not be delivered again. */
const isTaken = ({ outcome, isByNobody }: Delivered): boolean => outcome.kind === 'delivered' && !isByNobody;

/** Delivers unless that is done or under way; a delivery that no output took may be repeated. */
export function createConfirmed() {
  const known = new Map<string, Promise<Delivered>>();
  return async (key: string, deliver: () => Promise<Delivered>) => {
    const before = known.get(key);
    if (before !== undefined) return { ...(await before), isAgain: true };
    const delivery = deliver();
    known.set(key, delivery);
    for (const oldest of known.keys()) {
      if (known.size <= mostConfirmed) break;
      known.delete(oldest);
    }
    let ended: Delivered | undefined;
    try {
      ended = await delivery;
      return { ...ended, isAgain: false };
    } finally {
      if (!ended || !isTaken(ended)) known.delete(key);
    }
  };
}

export type Once = ReturnType<typeof createConfirmed>;
