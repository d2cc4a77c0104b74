/** Repeated work during a run, and the findings of the run. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Options of every run that sends something. */
export interface RunOptions {
  readonly seed: number;
  /** Concurrent requests. */
  readonly connections: number;
  /** Stops sending early: what was sent so far is judged like a whole run. */
  readonly signal?: AbortSignal;
  /** Called a hundred times. */
  readonly onProgress?: (sent: number) => void;
}

/** Runs the work for each number from 0. Each worker does one at a time. Resolves with how many were done. */
export async function eachNumber(
  count: number,
  { connections, signal, onProgress }: Omit<RunOptions, 'seed'>,
  work: (number: number, worker: number) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const worker = async (_: unknown, at: number) => {
    while (next < count && !signal?.aborted) {
      const number = next;
      next += 1;
      if (number % Math.ceil(count / 100) === 0) onProgress?.(number);
      await work(number, at);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return next;
}

/** Repeats an action at about this interval until `end` is called. */
export function repeat(waitMs: (count: number) => number, act: (count: number) => unknown) {
  let isOver = false;
  /** Sleeps for this long, or until the end. */
  const pause = async (ms: number) => {
    const until = performance.now() + ms;
    while (!isOver && performance.now() < until) await sleep(Math.min(50, until - performance.now()));
  };
  const acting = async () => {
    for (let count = 0; ; count += 1) {
      await pause(waitMs(count));
      if (isOver) return;
      await act(count);
    }
  };
  const done = acting();
  return {
    pause,
    end: async () => {
      isOver = true;
      await done;
    },
  };
}

/** Counts by name. */
export function counter() {
  const counts: Record<string, number> = {};
  const count = (name: string | number, by = 1) => {
    counts[name] = (counts[name] ?? 0) + by;
  };
  return { counts, count };
}

/** Collects violated claims. */
export function claims() {
  const violations: string[] = [];
  const claim = (isRight: boolean, what: string) => {
    if (!isRight) violations.push(what);
  };
  return { violations, claim };
}
