/** What the process remembers of solutions, and of how often forms are sent. */

import { hash } from 'node:crypto';
import type { Rates } from '@form-relay/core/index';
import { clientNetwork, createRates, readAddress } from '@form-relay/core/kit';

export interface ProofMemory {
  readonly used: UsedOnce;
  readonly pressure: Pressure;
}

/** They take some 9 MB. */
const mostUsed = 100_000;

/** Solutions count once. Forgets the oldest first, and only for room: if the clock were set back, expired ones would count again. */
export class UsedOnce {
  readonly #used = new Set<string>();
  /** Goes on where it was: a new iterator would pass over the holes of deleted keys each time. */
  readonly #oldest = this.#used.values();

  /** Uses the key. Returns whether it was unused. */
  use(key: string): boolean {
    const name = nameOf(key);
    if (this.#used.has(name)) return false;
    this.#used.add(name);
    if (this.#used.size > mostUsed) this.#used.delete(this.#oldest.next().value ?? '');
    return true;
  }

  /** Makes the key unused again. */
  giveBack(key: string): void {
    this.#used.delete(nameOf(key));
  }
}

/** A string of 16 bytes, which V8 stores in as many. */
const nameOf = (key: string) => hash('sha256', key, 'buffer').toString('latin1', 0, 16);

/** For all clients of a form, and for one client: more than on a busy day is an attack. */
const calm = { form: { most: 20, withinMs: 60_000 }, client: { most: 4, withinMs: 600_000 } };

/** Tells an attack from visitors: how often a form is sent, and how often by one client. */
export class Pressure {
  #rates: Rates | undefined;

  /** Counts a submission. `isHigh`: there were too many before. */
  count(formId: string, client: string | undefined, now: () => number) {
    this.#rates ??= createRates(now);
    const taken = [this.#rates.take(formId, calm.form)];
    if (client !== undefined) taken.push(this.#rates.take(keyOf(formId, client), calm.client));
    return {
      isHigh: taken.some((one) => 'waitMs' in one),
      undo: () => {
        for (const one of taken) if ('undo' in one) one.undo();
      },
    };
  }

  isHigh(formId: string, client: string | undefined, now: () => number): boolean {
    const { isHigh, undo } = this.count(formId, client, now);
    undo();
    return isHigh;
  }
}

function keyOf(formId: string, client: string): string {
  const address = readAddress(client);
  return `${formId}\0${address ? clientNetwork(address) : client}`;
}
