/** Runs work under a key, a limited number at a time. */
export type Semaphores = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** A semaphore per key. Work beyond `limit` waits in a queue, first in, first out. */
export function createSemaphores(limit: number): Semaphores {
  const semaphores = new Map<string, { busy: number; readonly waiting: (() => void)[] }>();
  return async (key, work) => {
    const semaphore = semaphores.get(key) ?? { busy: 0, waiting: [] };
    semaphores.set(key, semaphore);
    if (semaphore.busy === limit) await new Promise<void>((resolve) => semaphore.waiting.push(resolve));
    else semaphore.busy += 1;
    try {
      return await work();
    } finally {
      const next = semaphore.waiting.shift();
      if (next) next();
      else semaphore.busy -= 1;
      if (semaphore.busy === 0) semaphores.delete(key);
    }
  };
}
