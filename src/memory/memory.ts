/**
 * What a process remembers from one submission to the next, to tell a flood from a visitor: all of it bounded, none of it
 * on a disk. Each part is made when a form first uses it. Copies of the relay have one each.
 */
import { createRates, type Rates } from './rates.ts';
import { createUsedOnce, type UsedOnce } from './used_once.ts';

export interface Memory {
  /** What `rate_limit` counts. */
  readonly rates: Rates;
  /** Solutions that were sent. */
  readonly proofs: UsedOnce;
}

export function createMemory(now: () => number): Memory {
  let rates: Rates | undefined;
  let proofs: UsedOnce | undefined;
  return {
    get rates() {
      rates ??= createRates(now);
      return rates;
    },
    get proofs() {
      proofs ??= createUsedOnce(now);
      return proofs;
    },
  };
}
