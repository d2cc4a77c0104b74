/** JSON of the studio that is the same for every config, as scripts of this folder: pages of a file may load nothing else. */

declare global {
  /** Each such script calls it with its path at the studio and the text (build.ts). */
  var tryItData: (path: string, text: string) => void;
}

const loaded = new Map<string, Promise<string | undefined>>();
const waiting = new Map<string, (text: string | undefined) => void>();
globalThis.tryItData = (path, text) => waiting.get(path)?.(text);

/** The file that the build writes for such a path; `undefined` for every other path. */
export const dataFile = (path: string): string | undefined => {
  const [, name] = /^\/studio\/(\w+)\.json$/.exec(path) ?? [];
  return name && `data/${name}.js`;
};

/** `undefined` if the script could not be loaded; the next call tries again. */
export function loadData(path: string): Promise<string | undefined> {
  const loading =
    loaded.get(path) ??
    new Promise<string | undefined>((resolve) => {
      const script = document.createElement('script');
      waiting.set(path, resolve);
      script.src = dataFile(path) ?? '';
      script.onerror = () => {
        loaded.delete(path);
        script.remove();
        resolve(undefined);
      };
      document.head.append(script);
    });
  loaded.set(path, loading);
  return loading;
}
