import type { Throttle } from '../../street/throttle.ts';

/** The throttle of all workers together, in the primary: one bucket, out of which each worker holds a few requests. */

/** The primary's answer to a worker. */
export interface Grant {
  /** So many requests more. */
  readonly requests: number;
  /** Where that is none, and some wait: how long it need not ask again. */
  readonly waitMs?: number;
  /** And what its clients are told. */
  readonly retryAfterSeconds?: number;
}

/** How many requests a worker holds: as few as a small burst allows, and enough that none waits under load. */
export const leaseOf = (burst: number, processes: number): number =>
  Math.max(1, Math.min(1_000, Math.floor(burst / (8 * processes))));

/** While there are none, workers do not ask more often: what comes meanwhile is refused at once. */
const leastWaitMs = 20;

export class ThrottleLeases {
  readonly #world: { readonly rate: number; readonly burst: number; readonly processes: number };
  readonly #now: () => number;
  readonly #recall: (worker: number) => Promise<number>;
  readonly #lease: number;
  readonly #held = new Map<number, number>();
  #left: number;
  #filledAt: number;
  #recalling: Promise<unknown> | undefined;

  /**
   * What workers hold is out of the bucket, so that never more requests pass than one process would let pass. Where the
   * bucket is empty and a request waits, the others are asked to give back what they hold.
   *
   * @param recall Has a worker give back all that it holds. Never rejects.
   * @param now In milliseconds, never set back.
   */
  constructor(
    world: { readonly rate: number; readonly burst: number; readonly processes: number },
    now: () => number,
    recall: (worker: number) => Promise<number>,
  ) {
    this.#world = world;
    this.#now = now;
    this.#recall = recall;
    this.#lease = leaseOf(world.burst, world.processes);
    this.#left = world.burst;
    this.#filledAt = now();
  }

  /** @param unused What the worker still holds. `waiting`: how many requests wait in it. */
  async request(worker: number, unused: number, waiting: number): Promise<Grant> {
    this.#held.set(worker, unused);
    this.#fill();
    if (waiting > unused && this.#left < 1) {
      const others = [...this.#held].filter(([other, requests]) => other !== worker && requests > 0);
      if (others.length > 0) {
        this.#recalling ??= this.#recallFrom(others.map(([other]) => other)).finally(() => {
          this.#recalling = undefined;
        });
        await this.#recalling;
        this.#fill();
      }
    }
    const requests = this.#give(worker, unused, waiting);
    if (requests > 0 || waiting === 0) return { requests };
    const nextMs = ((1 - this.#left) / this.#world.rate) * 1_000;
    return {
      requests,
      waitMs: Math.max(leastWaitMs, Math.min(nextMs, 1_000)),
      retryAfterSeconds: Math.max(1, Math.ceil(nextMs / 1_000)),
    };
  }

  /** The worker ended: what it held counts as used. */
  gone(worker: number): void {
    this.#held.delete(worker);
  }

  #fill() {
    const at = this.#now();
    let out = 0;
    for (const requests of this.#held.values()) out += requests;
    this.#left = Math.max(
      this.#left,
      Math.min(this.#world.burst - out, this.#left + ((at - this.#filledAt) * this.#world.rate) / 1_000),
    );
    this.#filledAt = at;
  }

  async #recallFrom(others: readonly number[]) {
    await Promise.all(
      others.map(async (worker) => {
        const back = await this.#recall(worker);
        this.#held.set(worker, Math.max(0, (this.#held.get(worker) ?? 0) - back));
        this.#left += back;
      }),
    );
    // What they did not give back is used.
    for (const worker of others) this.#held.delete(worker);
  }

  #give(worker: number, unused: number, waiting: number): number {
    const whole = Math.max(0, Math.floor(this.#left));
    const forWaiting = Math.min(Math.max(0, waiting - unused), whole);
    // Never all of what is left: the next one to ask may have somebody who waits.
    const ahead = Math.min(
      Math.max(0, this.#lease - unused),
      Math.floor((whole - forWaiting) / (2 * this.#world.processes)),
    );
    const requests = forWaiting + ahead;
    this.#left -= requests;
    this.#held.set(worker, Math.max(0, unused + requests - waiting));
    return requests;
  }
}

/** After requests passed, the primary learns within so long how many the worker still holds. */
const settleMs = 100;

interface Lender {
  /** How many requests the worker holds when it holds its fill. */
  readonly lease: number;
  /** Asks the primary. Rejects where it does not answer. */
  readonly request: (unused: number, waiting: number) => Promise<Grant>;
  /** Counts while it does not answer. */
  readonly own: () => number | undefined;
  /** In milliseconds, never set back. */
  readonly now: () => number;
}

/**
 * A worker's part of the throttle. It holds a few requests that may pass at once, and asks for more before they are used
 * up, so that one waits only where many come at the same time.
 */
export function createLeasedThrottle({ lease, request, own, now }: Lender): Throttle & {
  /** Gives back all that it holds. */
  recall(): number;
} {
  let unused = 0;
  let isAsking = false;
  let isSettling = false;
  /** Until then there is nothing to have. */
  let emptyUntil = Number.NEGATIVE_INFINITY;
  /** Until then there is nothing to have ahead of need. */
  let scarceUntil = Number.NEGATIVE_INFINITY;
  let retryAfterSeconds = 1;
  let waiting: ((seconds: number | undefined) => void)[] = [];

  const settle = () => {
    if (isSettling) return;
    isSettling = true;
    setTimeout(() => {
      isSettling = false;
      if (unused < lease) void ask();
    }, settleMs).unref();
  };
  const letPass = () => {
    while (unused > 0 && waiting.length > 0) {
      unused -= 1;
      waiting.shift()?.(undefined);
    }
  };
  const endWaiting = (seconds: () => number | undefined) => {
    const ended = waiting;
    waiting = [];
    for (const end of ended) end(seconds());
  };
  const ask = async () => {
    const told = waiting.length;
    if (isAsking || now() < emptyUntil || (told === 0 && now() < scarceUntil)) return;
    isAsking = true;
    let grant: Grant | undefined;
    try {
      grant = await request(unused, told);
    } catch {}
    isAsking = false;
    if (!grant) return endWaiting(own);
    unused += grant.requests;
    // Whoever came meanwhile takes of what the primary takes for held.
    if (waiting.length > told) settle();
    letPass();
    if (grant.requests === 0) scarceUntil = now() + settleMs;
    if (grant.waitMs !== undefined) {
      emptyUntil = now() + grant.waitMs;
      retryAfterSeconds = grant.retryAfterSeconds ?? 1;
      endWaiting(() => retryAfterSeconds);
    } else if (waiting.length > 0) void ask();
  };

  const throttle: Throttle = () => {
    if (unused > 0 && waiting.length === 0) {
      unused -= 1;
      if (unused < lease / 2) void ask();
      else settle();
      return undefined;
    }
    if (now() < emptyUntil) return retryAfterSeconds;
    return new Promise((resolve) => {
      waiting.push(resolve);
      void ask();
    });
  };
  const recall = () => {
    const back = unused;
    unused = 0;
    return back;
  };
  return Object.assign(throttle, { recall });
}
