import type { Services } from '@form-relay/core/services';
import { type Lease, type Listed, nextTry, type Queued } from '@form-relay/queue/index';

/** How many are settled at the same time: a store writes them together. */
const mostAtOnce = 256;

/** Settles each of them, and gives how many these were. Rejects with the first failure, when the others have ended. */
export async function settleAll<C extends Lease>(
  leases: AsyncIterable<C>,
  settle: (lease: C) => Promise<void>,
): Promise<number> {
  const underWay = new Set<Promise<void>>();
  let number = 0;
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const lease of leases) {
      const settling = settle(lease)
        .catch((error) => {
          failure ??= { error };
        })
        .finally(() => underWay.delete(settling));
      underWay.add(settling);
      number += 1;
      if (underWay.size >= mostAtOnce) await Promise.race(underWay);
      if (failure) break;
    }
  } catch (error) {
    failure ??= { error };
  }
  await Promise.all(underWay);
  if (failure) throw failure.error;
  return number;
}

/** Ends a lease as if it had never been one, but for what is known of it by now. */
export async function putBack(
  lease: Lease & { readonly listed: Listed },
  { now, random }: Pick<Services, 'now' | 'random'>,
  kept: Queued = lease.kept,
): Promise<void> {
  const { aside, dueAt } = lease.listed;
  if (aside !== undefined) await lease.setAside(aside, kept);
  else await lease.reschedule(dueAt ?? nextTry(kept.keptAt, now(), random), kept);
}
