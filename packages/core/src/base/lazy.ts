/**
 * A function of up to two parameters that is loaded with its first call. Once it is there, no promise stands between. A load that
 * fails, such as without a free file descriptor, is repeated by the next call.
 */
export function lazy<F extends (...given: never[]) => unknown>(load: () => Promise<F>) {
  let loading: Promise<F> | undefined;
  let loaded: F | undefined;
  const call = (first: never, second: never) => {
    if (loaded) return loaded(first, second);
    loading ??= load().then(
      (one) => {
        loaded = one;
        return one;
      },
      (error) => {
        loading = undefined;
        throw error;
      },
    );
    return loading.then((one) => one(first, second));
  };
  type Late = (...given: Parameters<F>) => ReturnType<F> | Promise<Awaited<ReturnType<F>>>;
  return Object.assign(call as unknown as Late, { value: (): F | undefined => loaded });
}
