import type { Services } from '@form-relay/core/services';
import { type Lease, type Listed, nextTry, type Queued } from '@form-relay/queue/index';

/** How many are settled at the same time: a store writes them together. */
const mostAtOnce = 256;

/** Settles each of them, and gives how many these were. Rejects with the first failure, when the others have ended. */
export async function settleAll<C extends Lease>(
  claims: AsyncIterable<C>,
  settle: (claim: C) => Promise<void>,
): Promise<number> {
  const underWay = new Set<Promise<void>>();
  let number = 0;
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const claim of claims) {
      const settling = settle(claim)
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

/** Ends a claim as if it had never been one, but for what is known of it by now. */
export async function putBack(
  claim: Lease & { readonly listed: Listed },
  { now, random }: Pick<Services, 'now' | 'random'>,
  kept: Queued = claim.kept,
): Promise<void> {
  const { aside, dueAt } = claim.listed;
  if (aside !== undefined) await claim.setAside(aside, kept);
  else await claim.reschedule(dueAt ?? nextTry(kept.keptAt, now(), random), kept);
}
