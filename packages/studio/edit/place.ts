/** Which lines belong to a key or item in block style: its comments, and what stands between it and the next. */
import {
  blanksAfter,
  columnOf,
  commentColumn,
  isBlankLine,
  isFirstOnLine,
  lineEnd,
  lineStart,
  nextLine,
  textStart,
} from './lines.ts';
import type { Item, Node } from './read.ts';

/** Ends before a line end: after the value, its trailing comment, and comments below that stand deeper than the item. */
export function itemEnd(text: string, item: Item): number {
  const column = columnOf(text, item.from);
  let end = lineEnd(text, Math.max(item.after, item.node.to));
  for (let at = nextLine(text, end); at > end && at < text.length; ) {
    const lineStop = lineEnd(text, at);
    const comment = commentColumn(text, at);
    if (comment !== undefined && comment > column) end = lineStop;
    else if (!isBlankLine(text, at)) break;
    if (nextLine(text, lineStop) === lineStop) break;
    at = nextLine(text, lineStop);
  }
  return end;
}

/** Where the lines begin that may belong to the item at `index`. */
export function roomStart(text: string, collection: Node, holder: Item | undefined, index: number): number {
  const before = collection.items[index - 1];
  if (before)
    return nextLine(text, collection.isFlow ? lineEnd(text, before.node.to) : itemEnd(text, before));
  if (collection.isFlow) return nextLine(text, lineEnd(text, collection.from));
  return holder ? nextLine(text, lineEnd(text, holder.after)) : textStart(text);
}

/**
 * The start of the line with the first of its comments: those directly above it, indented like it. So they also belong to
 * the first key or item; but the comment that begins the file is the file's.
 */
export function itemStart(text: string, collection: Node, holder: Item | undefined, index: number): number {
  const { from } = collection.items[index] as Item;
  const line = lineStart(text, from);
  if (!isFirstOnLine(text, from)) return from;
  const room = roomStart(text, collection, holder, index);
  const column = columnOf(text, from);
  let start = line;
  while (start > room) {
    const above = lineStart(text, start - 1);
    if (commentColumn(text, above) !== column) break;
    start = above;
  }
  return start <= textStart(text) && start < line ? line : start;
}

/** How many blank lines stand directly above `start`, which begins a line. */
export function blanksBefore(text: string, start: number, room: number): number {
  let count = 0;
  for (let at = start; at > room; count += 1) {
    const above = lineStart(text, at - 1);
    if (above < room || !isBlankLine(text, above)) break;
    at = above;
  }
  return count;
}

/** Whether blank lines stand between all items. */
export const isSpaced = (text: string, { items }: Node) =>
  items.length > 1 && items.slice(0, -1).every((item) => blanksAfter(text, itemEnd(text, item)) > 0);
