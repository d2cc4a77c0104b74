import type { Path } from '@form-relay/relay/base';
import { readDocument, textsIn } from '@form-relay/relay/config';

export interface FilesNamed {
  /** Lists and languages, relative to the config. */
  readonly beside: ReadonlySet<string>;
  readonly fonts: ReadonlySet<string>;
}

/** The files that a config names, even if it has mistakes. None of a config that is no YAML. */
export function filesNamedIn(text: string): FilesNamed {
  const read = readDocument(text);
  const texts = read.ok ? textsIn(read.value.value) : [];
  const at = (isOne: (path: Path) => boolean) =>
    new Set(texts.filter(({ path }) => isOne(path)).map(({ value }) => value));
  return {
    beside: at((path) => path[0] === 'language_files' || isOfSignal(path)),
    fonts: at(([top, key]) => top === 'pdf' && key === 'fonts'),
  };
}

const isOfSignal = (path: Path) => {
  const [spam, signals, , key, more] = path[0] === 'forms' ? path.slice(2) : path;
  return spam === 'spam' && signals === 'signals' && key !== undefined && more === undefined;
};
