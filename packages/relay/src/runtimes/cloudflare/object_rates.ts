import { hash } from 'node:crypto';
import { inTime } from '../../base/in_time.ts';
import { type CountedOrNot, countsNamespace } from '../../counting/stores/durable_object.ts';
import type { Rates } from '../../memory/rates.ts';

/** How long a visitor waits to be counted. */
const mostMs = 2_000;

/**
 * Counts of `rate_limit` for all of Cloudflare, a Durable Object for each client of a form. If one does not answer, the Worker
 * counts for itself, as copies of the relay do: a flood may get through, but no visitor is lost.
 *
 * @param follow Lets work end that nobody waits for.
 */
export function createObjectRates(
  name: string,
  own: Rates,
  binding: (name: string) => unknown,
  follow: (work: Promise<unknown>) => void,
): Rates {
  const stubOf = (key: string) => {
    const namespace = countsNamespace(name, binding);
    // Long form ids and addresses are shortened, and none can be read from the name.
    return namespace.get(namespace.idFromName(`rate/${hash('sha256', key, 'base64url')}`));
  };
  return {
    take: async (key, limit) => {
      const late = () => Promise.reject(new Error('the Durable Object is late'));
      const counted = inTime<CountedOrNot | Promise<never>>(
        mostMs,
        (async () => stubOf(key).take(limit))(),
        late,
      );
      const taken: CountedOrNot | undefined = await counted.catch(() => undefined);
      if (!taken) return own.take(key, limit);
      return 'waitMs' in taken ? taken : { undo: () => follow(stubOf(key).giveBack(taken.at)) };
    },
  };
}
