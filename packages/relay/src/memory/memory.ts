import { createHmac } from 'node:crypto';
import type { Effects } from '../base/effects.ts';
import type { Settings } from '../schema/settings/settings.ts';
import { createPressure, type Pressure } from './pressure.ts';
import { createRates, type Rates } from './rates.ts';
import { createUsedOnce, type UsedOnce } from './used_once.ts';

/**
 * The state that a process keeps between submissions, to tell a flood from a visitor: all of it bounded, none on a disk. Each
 * part is made when a form first uses it. Each copy of the relay has its own (docs/copies.md).
 */
export interface Memory {
  /** Counts of `rate_limit`. */
  readonly rates: Rates;
  /** Solutions that were sent. */
  readonly proofs: UsedOnce;
  /** The load that `proof_of_work: auto` goes by. */
  readonly pressure: Pressure;
  /** The log's name of a client. */
  readonly nameOf: (client: string) => string;
  /** A bounded part of a module that is loaded late, made when its name is first asked for. */
  late<T>(name: string, make: (now: () => number) => T): T;
}

export function createMemory(
  { now, uuid }: Pick<Effects, 'now' | 'uuid'>,
  { formTokenSecret }: Pick<Settings, 'formTokenSecret'>,
): Memory {
  const parts = new Map<string, unknown>();
  const late = <T>(name: string, make: (now: () => number) => T) => {
    const part = parts.get(name) ?? make(now);
    parts.set(name, part);
    return part as T;
  };
  const makeNames = () => createClientNames(now, formTokenSecret || `${uuid()}${uuid()}`);
  const makeProofs = () => createUsedOnce();
  return {
    nameOf: (client) => late('client names', makeNames)(client),
    get rates() {
      return late('rates', createRates);
    },
    get proofs() {
      return late('proofs', makeProofs);
    },
    get pressure() {
      return late('pressure', createPressure);
    },
    late,
  };
}

/**
 * Names a client for the log, so that the owner sees what one client did in a day, but can't follow it from day to day: 12
 * hexadecimal digits of an HMAC under a key of the day (UTC). The owner of the secret could still try all addresses.
 *
 * @param secret Copies of the relay with the same secret give the same names.
 */
export function createClientNames(now: () => number, secret: string): (client: string) => string {
  let today: { readonly number: number; readonly key: Buffer } | undefined;
  return (client) => {
    const number = Math.floor(now() / dayMs);
    if (today?.number !== number) {
      const day = new Date(number * dayMs).toISOString().slice(0, 10);
      today = { number, key: createHmac('sha256', secret).update(`form-relay client\0${day}`).digest() };
    }
    return createHmac('sha256', today.key).update(client).digest('hex').slice(0, 12);
  };
}

const dayMs = 86_400_000;
