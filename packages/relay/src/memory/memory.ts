import { createHmac } from 'node:crypto';
import type { Effects } from '../base/effects.ts';
import type { Settings } from '../schema/settings/settings.ts';
import { createPressure, type Pressure } from './pressure.ts';
import { createRates, type Rates } from './rates.ts';
import { createUsedOnce, type UsedOnce } from './used_once.ts';

/**
 * What a process remembers from one submission to the next, to tell a flood from a visitor: all of it bounded, none of it
 * on a disk. Each part is made when a form first uses it. Copies of the relay have one each; of its workers all have one
 * (packages/relay/src/runtimes/workers/shared_memory.ts).
 */

export interface Memory {
  /** What `rate_limit` counts. */
  readonly rates: Rates;
  /** Solutions that were sent. */
  readonly proofs: UsedOnce;
  /** What `proof_of_work: auto` goes by. */
  readonly pressure: Pressure;
  /** What the log calls a client. */
  readonly nameOf: (client: string) => string;
  /**
   * What a part remembers that is loaded late, as bounded as the others: it is made when its name is first asked for.
   * `tell`: what it tells, where the processes that serve together have one of it.
   */
  late<T>(name: string, make: (now: () => number) => T, tell?: (told: never) => void): T;
}

export function createMemory(
  { now, uuid }: Pick<Effects, 'now' | 'uuid'>,
  { formTokenSecret }: Pick<Settings, 'formTokenSecret'>,
): Memory {
  let nameOf: Memory['nameOf'] | undefined;
  let rates: Rates | undefined;
  let proofs: UsedOnce | undefined;
  let pressure: Pressure | undefined;
  const late = new Map<string, unknown>();
  return {
    nameOf: (client) => {
      nameOf ??= createClientNames(now, formTokenSecret || `${uuid()}${uuid()}`);
      return nameOf(client);
    },
    get rates() {
      rates ??= createRates(now);
      return rates;
    },
    get proofs() {
      proofs ??= createUsedOnce();
      return proofs;
    },
    get pressure() {
      pressure ??= createPressure(now);
      return pressure;
    },
    late: <T>(name: string, make: (now: () => number) => T) => {
      const made = late.get(name) ?? make(now);
      late.set(name, made);
      return made as T;
    },
  };
}

/**
 * Names a client for the log, so that its owner sees what one client did in a day, and cannot follow it from day to day:
 * 12 hexadecimal digits of an HMAC under a key of the day (UTC). Whoever has the secret could try all addresses.
 *
 * @param secret Where copies of the relay share one, they give the same names.
 */
export const createClientNames =
  (now: () => number, secret: string) =>
  (client: string): string => {
    const day = new Date(now()).toISOString().slice(0, 10);
    const key = createHmac('sha256', secret).update(`form-relay client\0${day}`).digest();
    return createHmac('sha256', key).update(client).digest('hex').slice(0, 12);
  };
