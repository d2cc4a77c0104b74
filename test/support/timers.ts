/** Runs work with fake timers, which the test advances by a second at a time until the work has ended. */
export async function untilOver<T>(work: () => T | Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let isOver = false;
    const ending = Promise.resolve(work()).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await vi.advanceTimersByTimeAsync(1_000);
      await new Promise(setImmediate);
    }
    return await ending;
  } finally {
    vi.useRealTimers();
  }
}
