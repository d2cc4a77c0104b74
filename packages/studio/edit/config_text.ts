/** A config's text, read for the builder: its data, and where in the text they stand. */
import type { Json, Path } from './action.ts';
import { itemsTo, nodeAt, type Parsed, read } from './read.ts';

/** Offsets are UTF-16 units of `text`, a BOM and line ends included. */
export interface ConfigText {
  readonly text: string;
  /**
   * `undefined` where the text is no YAML; `null` for an empty file. A number that JavaScript would write differently,
   * such as `1.10`, is its text, as it is for the relay.
   */
  readonly value: Json | undefined;
  /** Where the key and value, or the item with its dash, of a path stand. */
  readonly rangeOf: (path: Path) => { readonly from: number; readonly to: number } | undefined;
  /**
   * Why the builder leaves this part alone ("edited as text"): an anchor, alias, tag, merge key or the like stands at it or
   * above it. `undefined` where it can be edited, though a part below may have a reason of its own.
   */
  readonly whyText: (path: Path) => string | undefined;
}

/** Reads a text once; asked again, it is free. */
export function readConfig(text: string): ConfigText {
  const parsed = read(text);
  return {
    text,
    value: parsed.value,
    rangeOf: (path) => rangeOf(parsed, path),
    whyText: (path) => whyText(parsed, path),
  };
}

function rangeOf({ root }: Parsed, path: Path) {
  const node = nodeAt(root, path);
  if (!node) return undefined;
  const item = itemsTo(root, path).at(-1);
  return item ? { from: item.from, to: Math.max(item.after, node.to) } : { from: node.from, to: node.to };
}

function whyText({ root, why }: Parsed, path: Path): string | undefined {
  if (why || !root) return why;
  return [root, ...itemsTo(root, path).map((item) => item.node)].find((node) => node.why)?.why;
}
