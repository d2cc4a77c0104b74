/** Waits for `work`, at most `ms`. After that it gives what `late` gives or throws, and the result of `work` is ignored. */
export async function inTime<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([work, timeout.then(late)]).finally(() => clearTimeout(timer));
}
