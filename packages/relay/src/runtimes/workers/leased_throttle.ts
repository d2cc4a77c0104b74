import type { Throttle } from '../../street/throttle.ts';
import type { Grant } from './leases.ts';

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
