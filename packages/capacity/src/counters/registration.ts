/** Registrations: values of `once`, each of which counts only once. */

import { createHash } from 'node:crypto';
import { ClientError, stackOf } from '@form-relay/base/client_error';
import type { Outcome, Services, Submission } from '@form-relay/core/index';
import type { Counter } from './counter.ts';
import type { Counters } from './index.ts';
import { isAwaited } from './tally.ts';

/** A form's name for a key in the store; hashed if the name has unsuitable characters. */
export const nameInStore = (form: string): string =>
  /^[a-z\d_-]{1,60}$/.test(form) ? form : `=${createHash('sha256').update(form).digest('hex').slice(0, 32)}`;

/** The key of a registration. Registrations are spread over 256 keys by the start of their hashes, so that no text grows large. */
export const registrationKey = (form: string, hash: string): string =>
  `once/${nameInStore(form)}/${hash.slice(0, 2)}`;

/** The key that counts the codes of `verify` with such a hash. */
export const codesKey = (form: string, hash: string): string =>
  `verify/${nameInStore(form)}/${hash.slice(0, 2)}`;

/** The keys of all registrations of a form. */
export const registrationKeys = (form: string): readonly string[] =>
  Array.from({ length: 256 }, (_, index) => registrationKey(form, index.toString(16).padStart(2, '0')));

/** A registration as the store sees it, without the value. */
export interface Registration {
  readonly key: string;
  readonly hash: string;
}

/**
 * Reserves the registration, unless another submission has it for good (`settled`). Waits for a submission
 * that is still being delivered; `open` if that takes too long.
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
    // Leave the rest of the time for the delivery.
    waitMs: (deadline - services.now()) / 2,
    forMs,
  });
  if (full.length === 0) return undefined;
  return isAwaited(tally, full, services.now()) ? 'open' : 'settled';
}

/**
 * Settles or releases what a submission has, or may have, reserved under these keys. Retries for some
 * seconds: an open reservation counts as taken, but the owner would have to resolve it.
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

/** Writes to a store; if that fails, waits and retries. Resolves with the reason of the last failure. */
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

/** Another submission that is still being delivered has reserved what this one needs. */
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

/** Why a store failed, as text for the log. */
export const whyUncounted = (error: unknown, to: Pick<Services, 'log'>): string =>
  error instanceof ClientError ? error.message : internalError(error, to);

/** A bug gets its own line in the log. */
function internalError(error: unknown, to: Pick<Services, 'log'>): string {
  to.log('error', 'internal_error', { stack: stackOf(error) });
  return 'internal error';
}
