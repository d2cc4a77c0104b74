/** Lines of a text, and which of them belong to a key or item in block style. Lines end with a line feed. */

import type { Json, Path } from './model.ts';
import { type Item, itemsTo, read, whyOf } from './read.ts';

export const lineStart = (text: string, offset: number) => text.slice(0, offset).lastIndexOf('\n') + 1;

export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at;
}

/** The start of the next line, or the end of the text. */
export const nextLine = (text: string, offset: number) => Math.min(lineEnd(text, offset) + 1, text.length);

export const columnOf = (text: string, offset: number) => offset - lineStart(text, offset);

/** Only spaces stand before the offset on its line. */
export const isFirstOnLine = (text: string, offset: number) =>
  /^ *$/.test(text.slice(lineStart(text, offset), offset));

/** How much of the text from an offset on a pattern takes. */
function taken(text: string, offset: number, pattern: string): number {
  const sticky = new RegExp(pattern, 'y');
  sticky.lastIndex = offset;
  return sticky.exec(text)?.[0].length ?? 0;
}

/** Ends before a line end: after the value, its trailing comment, and comments below that stand deeper than the item. */
export function itemEnd(text: string, { from, to }: Item): number {
  const end = lineEnd(text, to);
  return end + taken(text, end, `(?:(?:\\n[ \\t]*)*\\n[ \\t]{${columnOf(text, from) + 1},}#.*)*`);
}

/** Where its comments begin: those directly above it, indented like it. The comment that begins the file is the file's. */
export function itemStart(text: string, items: readonly Item[], index: number, room: number): number {
  const { from } = items[index] as Item;
  if (!isFirstOnLine(text, from)) return from;
  const line = lineStart(text, from);
  const above = text.slice(room, line);
  const own = new RegExp(`(?:(?<=^|\\n) {${from - line}}#.*\\n)*$`).exec(above)?.[0].length ?? 0;
  return own === line ? line : line - own;
}

/** After the blank lines that follow the line that ends at an offset. */
export const afterBlanks = (text: string, end: number) => end + taken(text, end, '(?:\\n[ \\t]*(?=\\n))*');

/** Whether blank lines stand between all items. */
export const isSpaced = (text: string, items: readonly Item[]) =>
  items.length > 1 &&
  items.slice(0, -1).every((item) => /^\n[ \t]*\n/.test(text.slice(itemEnd(text, item)).slice(0, 200)));

/** A config's text, read for the builder: its data, and where in the text they stand. */

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
