import { hash } from 'node:crypto';
import { ClientError } from '@form-relay/base/client_error';
import type { Rates } from '@form-relay/base/rates';
import { withTimeout } from '@form-relay/base/with_timeout';
import { countsNamespace } from '@form-relay/capacity/counters/stores/durable_object';
import type { SharedRates } from '@form-relay/core/services';

/** How long a visitor waits to be counted. */
const mostMs = 2_000;

interface World {
  readonly binding: (name: string) => unknown;
  /** Keeps the Worker alive for work in the background. */
  readonly follow: (work: Promise<unknown>) => void;
  readonly tellUnshared: (reason: string) => void;
}

/**
 * Counts of `rate_limit` for all of Cloudflare, a Durable Object for each client of a form. If one does not answer, the Worker
 * counts for itself, as copies of the relay do: a flood may get through, but no visitor is lost.
 */
export function createObjectRates(
  name: string,
  own: Rates,
  { binding, follow, tellUnshared }: World,
): SharedRates {
  const stubOf = (key: string) => {
    const namespace = countsNamespace(name, binding);
    // Long form ids and addresses are shortened, and none can be read from the name.
    return namespace.get(namespace.idFromName(`rate/${hash('sha256', key, 'base64url')}`));
  };
  return {
    take: async (key, limit) => {
      try {
        const counted = stubOf(key)
          .take(limit)
          .catch(() => {
            throw new ClientError(`the Durable Object bound to "${name}" did not answer`);
          });
        const taken = await withTimeout(mostMs, counted, () => {
          throw new ClientError(`no complete answer within ${mostMs} ms`);
        });
        return 'waitMs' in taken ? taken : { undo: () => follow(stubOf(key).giveBack(taken.at)) };
      } catch (error) {
        tellUnshared(error instanceof ClientError ? error.message : 'internal error');
        return own.take(key, limit);
      }
    },
  };
}
