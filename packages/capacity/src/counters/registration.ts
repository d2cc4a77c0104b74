/** A value of `once`, which counts only once. */

import { ClientError, stackOf } from '@form-relay/base/client_error';
import type { Outcome, Services, Submission } from '@form-relay/core/index';
import type { Counter } from './counter.ts';
import type { Counters } from './index.ts';
import { isAwaited } from './tally.ts';

/** As far as a store may know it. */
export interface Registration {
  readonly key: string;
  readonly hash: string;
}

/**
 * Reserves it, unless another submission has it for good (`settled`). Waits for a submission that is being delivered;
 * `open`: it still is.
 */
export async function register(
  counter: Counter,
  { key, hash }: Registration,
  forMs: number,
  { requestId: id, deadline, services }: Submission,
): Promise<'settled' | 'open' | undefined> {
  const { full, tally } = await counter.reserve(key, {
    id,
    claims: [{ key: hash, limit: 1 }],
    isRemembered: true,
    // The rest of the time is for the delivery.
    waitMs: (deadline - services.now()) / 2,
    forMs,
  });
  if (full.length === 0) return undefined;
  return isAwaited(tally, full, services.now()) ? 'open' : 'settled';
}

/**
 * Settles or releases what a submission has reserved under these keys, or may have. Tries again for some seconds: what stays
 * reserved counts as much as what is taken, but the owner has to look at it.
 */
export async function conclude(
  counters: Counters,
  keys: readonly string[],
  isTaken: boolean,
  submission: Submission,
): Promise<void> {
  const { requestId, services, request } = submission;
  const concludeOne = async (key: string) => {
    const reason = await persist(
      async () => {
        const counter = await counters.counter(services);
        await (isTaken ? counter.settle(key, requestId) : counter.release(key, requestId));
      },
      request.livesOn ? [200, 1_000, 4_000] : [200],
      services,
    );
    if (reason !== undefined) submission.log('warn', 'places_unsettled', { reason });
  };
  await Promise.all(keys.map(concludeOne));
}

/** Writes to a store, and again after each of these waits while it fails. Resolves with why it failed to the last. */
export async function persist(
  write: () => Promise<unknown>,
  waits: readonly number[],
  services: Pick<Services, 'sleep' | 'log'>,
): Promise<string | undefined> {
  const [waitMs, ...rest] = waits;
  try {
    await write();
    return undefined;
  } catch (error) {
    if (!(error instanceof ClientError)) return internalError(error, services);
    if (waitMs === undefined) return error.message;
  }
  await services.sleep(waitMs);
  return persist(write, rest, services);
}

/** Another submission is still being delivered with what this one needs. */
export const busy: Outcome = {
  kind: 'busy',
  status: 503,
  message: { code: 'busy' },
  headers: { 'retry-after': '5' },
  level: 'warn',
};

/** The store failed before anything was delivered. */
export const uncounted = {
  kind: 'uncounted',
  status: 503,
  headers: { 'retry-after': '30' },
  level: 'error',
} as const satisfies Outcome;

/** Why a store failed, for the log. */
export const whyUncounted = (error: unknown, to: Pick<Services, 'log'>): string =>
  error instanceof ClientError ? error.message : internalError(error, to);

/** A bug has a line of its own in the log. */
function internalError(error: unknown, to: Pick<Services, 'log'>): string {
  to.log('error', 'internal_error', { stack: stackOf(error) });
  return 'internal error';
}
