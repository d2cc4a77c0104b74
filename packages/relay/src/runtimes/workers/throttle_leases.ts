import type { Throttle } from '../../street/throttle.ts';

/** The primary's answer to a worker. */
export interface Grant {
  /** How many more requests may pass. */
  readonly requests: number;
  /** If there are none for those that wait, how long not to ask again. */
  readonly waitMs?: number;
  /** `Retry-After` for those that wait. */
  readonly retryAfterSeconds?: number;
}

/** How many requests a worker holds: few for a small burst, and enough that none waits under load. */
export const leaseOf = (burst: number, processes: number): number =>
  Math.max(1, Math.min(1_000, Math.floor(burst / (8 * processes))));

/** While the bucket is empty, workers ask no more often, and refuse requests at once. */
const leastWaitMs = 20;

interface Bucket {
  /** Requests a second. */
  readonly rate: number;
  readonly burst: number;
  readonly processes: number;
}

/**
 * The throttle of all workers, in the primary: one bucket, of which each worker holds a few requests. Those are out of the
 * bucket, so workers let no more requests pass than one process would. If the bucket is empty and a request waits, other
 * workers are asked to give back what they hold.
 */
export class ThrottleLeases {
  readonly #lease: number;
  readonly #held = new Map<number, number>();
  #left: number;
  #filledAt: number;
  #recalling: Promise<unknown> | undefined;

  /**
   * @param now A monotonic clock, in milliseconds.
   * @param recall Has a worker give back all that it holds. Never rejects.
   */
  constructor(
    private readonly bucket: Bucket,
    private readonly now: () => number,
    private readonly recall: (worker: number) => Promise<number>,
  ) {
    this.#lease = leaseOf(bucket.burst, bucket.processes);
    this.#left = bucket.burst;
    this.#filledAt = now();
  }

  /**
   * @param unused How many requests the worker still holds.
   * @param waiting How many requests wait in the worker.
   */
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
    const nextMs = ((1 - this.#left) / this.bucket.rate) * 1_000;
    return {
      requests,
      waitMs: Math.max(leastWaitMs, Math.min(nextMs, 1_000)),
      retryAfterSeconds: Math.max(1, Math.ceil(nextMs / 1_000)),
    };
  }

  /** The worker ended: requests that it held count as used. */
  gone(worker: number): void {
    this.#held.delete(worker);
  }

  #fill() {
    const at = this.now();
    let out = 0;
    for (const requests of this.#held.values()) out += requests;
    this.#left = Math.max(
      this.#left,
      Math.min(this.bucket.burst - out, this.#left + ((at - this.#filledAt) * this.bucket.rate) / 1_000),
    );
    this.#filledAt = at;
  }

  async #recallFrom(others: readonly number[]) {
    await Promise.all(
      others.map(async (worker) => {
        const back = await this.recall(worker);
        this.#held.set(worker, Math.max(0, (this.#held.get(worker) ?? 0) - back));
        this.#left += back;
      }),
    );
    // Requests that they did not give back are used.
    for (const worker of others) this.#held.delete(worker);
  }

  #give(worker: number, unused: number, waiting: number): number {
    const whole = Math.max(0, Math.floor(this.#left));
    const forWaiting = Math.min(Math.max(0, waiting - unused), whole);
    // Never all that is left: requests may wait in the next worker that asks.
    const ahead = Math.min(
      Math.max(0, this.#lease - unused),
      Math.floor((whole - forWaiting) / (2 * this.bucket.processes)),
    );
    const requests = forWaiting + ahead;
    this.#left -= requests;
    this.#held.set(worker, Math.max(0, unused + requests - waiting));
    return requests;
  }
}

/** How soon the primary learns how many requests a worker still holds. */
const settleMs = 100;

interface Lender {
  /** The most requests that the worker holds. */
  readonly lease: number;
  /** Asks the primary. Rejects if it doesn't answer. */
  readonly request: (unused: number, waiting: number) => Promise<Grant>;
  /** The worker's own throttle, while the primary doesn't answer. */
  readonly own: () => number | undefined;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/**
 * A worker's part of the throttle. It holds a few requests that may pass at once, and asks for more before it runs out, so
 * that requests wait only if many come at the same time.
 */
export function createLeasedThrottle({ lease, request, own, now }: Lender): Throttle & {
  /** Returns all that it holds. */
  recall(): number;
} {
  let unused = 0;
  let isAsking = false;
  let isSettling = false;
  /** Until then the bucket is empty. */
  let emptyUntil = Number.NEGATIVE_INFINITY;
  /** Until then the bucket has nothing to spare. */
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
    // Requests that came meanwhile use what the primary believes is held.
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
