/** Waits for `work` for at most `ms`. After that, returns or throws what `late` does, and ignores the result of `work`. */
export async function withTimeout<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([work, timeout.then(late)]).finally(() => clearTimeout(timer));
}

/** Waits for `work`; resolves with `undefined` if `stop` is aborted first. */
export function unlessStopped<T>(work: Promise<T>, stop: AbortSignal | undefined): Promise<T | undefined> {
  const done = new AbortController();
  const stopped = new Promise<undefined>((resolve) => {
    if (stop?.aborted) resolve(undefined);
    stop?.addEventListener('abort', () => resolve(undefined), { signal: done.signal });
  });
  return Promise.race([work, stopped]).finally(() => done.abort());
}

/** A signal that aborts with this reason after `ms`, unless it is cleared first. */
export function signalAfter(ms: number, reason: unknown): { readonly signal: AbortSignal; clear(): void } {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(reason), ms);
  // On Workers, the timer is a number.
  if (typeof timer === 'object') timer.unref();
  return { signal: abort.signal, clear: () => clearTimeout(timer) };
}
