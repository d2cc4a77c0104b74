/** Files of this folder as scripts: `connect-src` is `'none'`, and a page opened from disk may load nothing else. */
export function scriptFiles<T>(addressOf: (name: string) => string) {
  const loaded = new Map<string, Promise<T | undefined>>();
  const waiting = new Map<string, (value: T | undefined) => void>();
  return {
    /** Called by the script with its content. */
    give: (name: string, value: T) => waiting.get(name)?.(value),
    /** `undefined` if the script could not be loaded; the next call tries again. */
    load: (name: string): Promise<T | undefined> => {
      const loading =
        loaded.get(name) ??
        new Promise<T | undefined>((resolve) => {
          const script = document.createElement('script');
          waiting.set(name, resolve);
          script.src = addressOf(name);
          script.onerror = () => {
            loaded.delete(name);
            script.remove();
            resolve(undefined);
          };
          document.head.append(script);
        });
      loaded.set(name, loading);
      return loading;
    },
  };
}
