/** Waits at most `ms` for `work`. After that, returns or throws what `late` does, and ignores the result of `work`. */
export async function withTimeout<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([work, timeout.then(late)]).finally(() => clearTimeout(timer));
}

/** A signal that aborts with this reason after `ms`, unless it is cleared before. */
export function signalAfter(ms: number, reason: unknown): { readonly signal: AbortSignal; clear(): void } {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(reason), ms);
  // On Workers it is a number.
  if (typeof timer === 'object') timer.unref();
  return { signal: abort.signal, clear: () => clearTimeout(timer) };
}
