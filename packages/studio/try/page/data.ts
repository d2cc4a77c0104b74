/** JSON of the studio that is the same for every config, from the scripts that the build wrote. */
import { scriptFiles } from './script_files.ts';

declare global {
  /** Each such script calls it with its path at the studio and the text (build.ts). */
  var tryItData: (path: string, text: string) => void;
}

/** The file that the build writes for such a path; `undefined` for every other path. */
export const dataFile = (path: string): string | undefined => {
  const [, name] = /^\/studio\/(\w+)\.json$/.exec(path) ?? [];
  return name && `data/${name}.js`;
};

const files = scriptFiles<string>((path) => dataFile(path) ?? '');
globalThis.tryItData = files.give;
export const loadData = files.load;
