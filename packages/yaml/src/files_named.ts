import type { Path } from '@form-relay/schema/diagnostics';
import { readDocument, textsIn } from './document.ts';

export interface FilesNamed {
  readonly lists: ReadonlySet<string>;
  readonly models: ReadonlySet<string>;
  readonly fonts: ReadonlySet<string>;
  /** Pictures and typefaces of pages. */
  readonly looks: ReadonlySet<string>;
  /** Packages and modules. */
  readonly plugins: ReadonlySet<string>;
}

/** The files that a config names, relative to it, even if it has mistakes. None of a config that is no YAML. */
export function filesNamedIn(text: string): FilesNamed {
  const read = readDocument(text);
  const texts = read.ok ? textsIn(read.value.value) : [];
  const at = (isOne: (path: Path) => boolean) =>
    new Set(texts.filter(({ path }) => isOne(path)).map(({ value }) => value));
  return {
    lists: at((path) => isOfSignal(path) && path.at(-1) !== 'model'),
    models: at((path) => isOfSignal(path) && path.at(-1) === 'model'),
    fonts: at(([top, key]) => top === 'pdf' && key === 'fonts'),
    looks: at(isOfLook),
    plugins: at(([top]) => top === 'plugins'),
  };
}

const isOfLook = (path: Path) => {
  const [look, key] = path[0] === 'forms' ? path.slice(2) : path;
  return look === 'look' && ['logo', 'cover', 'icon', 'font_file'].includes(String(key));
};

const isOfSignal = (path: Path) => {
  const [spam, signals, , key, more] = path[0] === 'forms' ? path.slice(2) : path;
  return spam === 'spam' && signals === 'signals' && key !== undefined && more === undefined;
};
