/** Loads with the first call. A load that fails, such as without a free file descriptor, is repeated by the next call. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** A function of up to two parameters that is loaded with its first call. Once it is there, no promise stands between. */
export function lazy<F extends (...given: never[]) => unknown>(load: () => Promise<F>) {
  let loaded: F | undefined;
  const loading = once(async () => {
    loaded = await load();
    return loaded;
  });
  const call = (first: never, second: never) => {
    if (loaded) return loaded(first, second);
    return loading().then((one) => one(first, second));
  };
  type Late = (...given: Parameters<F>) => ReturnType<F> | Promise<Awaited<ReturnType<F>>>;
  return Object.assign(call as unknown as Late, { value: (): F | undefined => loaded });
}

/** Computes each value once. For a few keys, since it remembers them all. */
export function memoized<K, V>(compute: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key) as V;
  };
}
