/** Things that happen again and again while a run goes on, and what the run finds. */
import { setTimeout as sleep } from 'node:timers/promises';

interface Turns {
  readonly count: number;
  /** How many are under way at once. */
  readonly atOnce: number;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((number: number) => void) | undefined;
  readonly progressEvery?: number;
}

/** Does the work for each number, from 0. */
export async function eachNumber(turns: Turns, work: (number: number) => Promise<unknown>): Promise<void> {
  const { count, atOnce, signal, onProgress, progressEvery = 1_000 } = turns;
  let next = 0;
  const worker = async () => {
    while (next < count && !signal?.aborted) {
      const number = next;
      next += 1;
      if (number % progressEvery === 0) onProgress?.(number);
      await work(number);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Does something after about so long, again and again, until `end` is called. */
export function repeat(waitMs: (count: number) => number, act: (count: number) => unknown) {
  let isOver = false;
  /** Sleeps for so long, or until the end. */
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

/** Collects what does not hold. */
export function claims() {
  const violations: string[] = [];
  const claim = (isRight: boolean, what: string) => {
    if (!isRight) violations.push(what);
  };
  return { violations, claim };
}
