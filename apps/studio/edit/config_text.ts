/** A config's text, read for the builder: its data, and where in the text they stand. */
import type { Json, Path } from './action.ts';
import { itemsTo, read, whyOf } from './read.ts';

/** Offsets are UTF-16 units of `text`. */
export interface ConfigText {
  readonly text: string;
  /** `undefined`: no YAML; `null`: an empty file. A number that JavaScript would write otherwise, as `1.10`, is its text. */
  readonly value: Json | undefined;
  /** Where the key and value, or the item with its dash, of a path stand. */
  readonly rangeOf: (path: Path) => { readonly from: number; readonly to: number } | undefined;
  /** Why the builder does not edit this part: an anchor, alias, tag or merge key stands at it or above it. */
  readonly whyText: (path: Path) => string | undefined;
}

/** Parses a text once; a repeated call is free. */
export function readConfig(text: string): ConfigText {
  const parsed = read(text);
  const { root, value, why } = parsed;
  return {
    text,
    value,
    rangeOf: (path) => {
      const way = itemsTo(parsed, path);
      return way.length < path.length ? undefined : way.at(-1);
    },
    whyText: (path) => {
      const nodes = [root, ...itemsTo(parsed, path).map(({ node }) => node)];
      return why ?? nodes.map(whyOf).find((one) => one !== undefined);
    },
  };
}
