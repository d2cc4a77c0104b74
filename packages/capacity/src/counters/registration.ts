/** A value of `once`, or the use of a link; each counts only once. */
import type { Submission } from '@form-relay/core/index';
import { ClientError } from '@form-relay/core/kit';
import { isAwaited } from './stale.ts';
import type { Counter, Reservation } from './types.ts';

/** As far as a store may know it. */
export interface Registration {
  readonly key: string;
  readonly hash: string;
}

/**
 * Reserves it for a submission, unless another one has: one that is being delivered is waited for.
 *
 * @returns `settled` if another submission has it for good, `open` if that one is still being delivered.
 */
export async function register(
  counter: Counter,
  { key, hash }: Registration,
  rule: Pick<Reservation, 'forMs' | 'replacesStale'>,
  { requestId: id, deadline, services }: Submission,
): Promise<'settled' | 'open' | undefined> {
  const { full, tally } = await counter.reserve(key, {
    id,
    claims: [{ key: hash, limit: 1 }],
    isRemembered: true,
    // The rest of the time is for the delivery.
    waitMs: (deadline - services.now()) / 2,
    ...rule,
  });
  if (full.length === 0) return undefined;
  return isAwaited(tally, full, services.now()) ? 'open' : 'settled';
}

/**
 * Settles or releases what a submission has reserved under a key. Tries again for some seconds: what stays reserved counts as much
 * as what is taken, but the owner has to look at it.
 */
export async function conclude(
  counter: Counter,
  key: string,
  isTaken: boolean,
  { requestId, formId, services, request }: Submission,
): Promise<void> {
  const waits = request.livesOn ? [200, 1_000, 4_000] : [200];
  for (;;) {
    try {
      await (isTaken ? counter.settle(key, requestId) : counter.release(key, requestId));
      return;
    } catch (error) {
      const waitMs = waits.shift();
      if (waitMs === undefined || !(error instanceof ClientError)) {
        const reason = error instanceof ClientError ? error.message : 'internal error';
        services.log('warn', 'places_unsettled', { request_id: requestId, form: formId, reason });
        return;
      }
      await services.sleep(waitMs);
    }
  }
}
