/**
 * What a process remembers from one submission to the next, to tell a flood from a visitor: all of it bounded, none of it
 * on a disk. Each part is made when a form first uses it. Copies of the relay have one each.
 */
import { createPressure, type Pressure } from './pressure.ts';
import { createRates, type Rates } from './rates.ts';
import { createUsedOnce, type UsedOnce } from './used_once.ts';

export interface Memory {
  /** What `rate_limit` counts. */
  readonly rates: Rates;
  /** Solutions that were sent. */
  readonly proofs: UsedOnce;
  /** What `proof_of_work: auto` goes by. */
  readonly pressure: Pressure;
}

export function createMemory(now: () => number): Memory {
  let rates: Rates | undefined;
  let proofs: UsedOnce | undefined;
  let pressure: Pressure | undefined;
  return {
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
  };
}
