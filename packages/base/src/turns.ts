/** Runs a limited number of tasks at a time; the rest wait, first in, first out. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

export function createTurns(most: number): Turns {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next waiting caller inherits the turn.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
