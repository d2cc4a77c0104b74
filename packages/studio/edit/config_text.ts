/** A config's text, read for the builder: its data, and where in the text they stand. */
import type { Json, Path } from './action.ts';
import { columnOf, commentColumn, isBlankLine, lineStart } from './lines.ts';
import { itemEnd, itemStart } from './place.ts';
import { type Item, itemsTo, type Node, nodeAt, type Parsed, read } from './read.ts';

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
   * The innermost key or item at an offset. On a blank line below a key, its column decides what a line typed there
   * would belong to.
   */
  readonly pathAt: (offset: number) => Path;
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
    pathAt: (offset) => pathAt(parsed, offset),
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

function pathAt({ text, root }: Parsed, offset: number): Path {
  const path: (string | number)[] = [];
  const start = lineStart(text, offset);
  const column = isBlankLine(text, start) ? columnOf(text, offset) : commentColumn(text, start);
  let node = root;
  let holder: Item | undefined;
  while (node) {
    const item = itemAt(text, node, holder, offset, column);
    if (!item) return path;
    path.push(item.key);
    [node, holder] = [item.node, item];
  }
  return path;
}

/** @param column That of the cursor on a blank line, or of the comment that has the line. */
function itemAt(
  text: string,
  node: Node,
  holder: Item | undefined,
  offset: number,
  column: number | undefined,
): Item | undefined {
  const { items, isFlow } = node;
  const endOf = (item: Item) => Math.max(item.after, item.node.to);
  if (isFlow) return items.find((item) => item.from <= offset && offset <= endOf(item));
  const index = lastBefore(items, offset);
  const next = items[index + 1];
  if (next && offset >= itemStart(text, node, holder, index + 1)) return next;
  const item = items[index];
  if (!item) return undefined;
  if (offset <= endOf(item)) return item;
  if (column === undefined) return offset <= itemEnd(text, item) ? item : undefined;
  return column > columnOf(text, item.from) ? item : undefined;
}

/** The last item that starts at an offset or before it; -1 for none. */
function lastBefore(items: readonly Item[], offset: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.from ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
