/** The throttle of all workers together, in the primary: one bucket, out of which each worker holds a few requests. */

/** What a worker gets. */
export interface Grant {
  /** So many requests more. */
  readonly requests: number;
  /** Where that is none, and some wait: how long it need not ask again. */
  readonly waitMs?: number;
  /** And what its clients are told. */
  readonly retryAfterSeconds?: number;
}

export interface Leases {
  /** @param unused What the worker still holds. `waiting`: how many requests wait in it. */
  request(worker: number, unused: number, waiting: number): Promise<Grant>;
  /** The worker ended: what it held counts as used. */
  gone(worker: number): void;
}

/** How many requests a worker holds: as few as a small burst allows, and enough that none waits under load. */
export const leaseOf = (burst: number, processes: number): number =>
  Math.max(1, Math.min(1_000, Math.floor(burst / (8 * processes))));

/** While there are none, workers do not ask more often: what comes meanwhile is refused at once. */
const leastWaitMs = 20;

/**
 * What workers hold is out of the bucket, so that never more requests pass than one process would let pass. Where the
 * bucket is empty and a request waits, the others are asked to give back what they hold.
 *
 * @param recall Has a worker give back all that it holds. Never rejects.
 * @param now In milliseconds, never set back.
 */
export function createLeases(
  { rate, burst, processes }: { readonly rate: number; readonly burst: number; readonly processes: number },
  now: () => number,
  recall: (worker: number) => Promise<number>,
): Leases {
  const lease = leaseOf(burst, processes);
  const held = new Map<number, number>();
  let left = burst;
  let filledAt = now();
  let recalling: Promise<unknown> | undefined;

  const fill = () => {
    const at = now();
    let out = 0;
    for (const requests of held.values()) out += requests;
    left = Math.max(left, Math.min(burst - out, left + ((at - filledAt) * rate) / 1_000));
    filledAt = at;
  };
  const recallFrom = async (others: readonly number[]) => {
    await Promise.all(
      others.map(async (worker) => {
        const back = await recall(worker);
        held.set(worker, Math.max(0, (held.get(worker) ?? 0) - back));
        left += back;
      }),
    );
    // What they did not give back is used.
    for (const worker of others) held.delete(worker);
  };
  const give = (worker: number, unused: number, waiting: number): number => {
    const whole = Math.max(0, Math.floor(left));
    const forWaiting = Math.min(Math.max(0, waiting - unused), whole);
    // Never all of what is left: the next one to ask may have somebody who waits.
    const ahead = Math.min(Math.max(0, lease - unused), Math.floor((whole - forWaiting) / (2 * processes)));
    const requests = forWaiting + ahead;
    left -= requests;
    held.set(worker, Math.max(0, unused + requests - waiting));
    return requests;
  };

  return {
    async request(worker, unused, waiting) {
      held.set(worker, unused);
      fill();
      if (waiting > unused && left < 1) {
        const others = [...held].filter(([other, requests]) => other !== worker && requests > 0);
        if (others.length > 0) {
          recalling ??= recallFrom(others.map(([other]) => other)).finally(() => {
            recalling = undefined;
          });
          await recalling;
          fill();
        }
      }
      const requests = give(worker, unused, waiting);
      if (requests > 0 || waiting === 0) return { requests };
      const nextMs = ((1 - left) / rate) * 1_000;
      return {
        requests,
        waitMs: Math.max(leastWaitMs, Math.min(nextMs, 1_000)),
        retryAfterSeconds: Math.max(1, Math.ceil(nextMs / 1_000)),
      };
    },
    gone: (worker) => void held.delete(worker),
  };
}
