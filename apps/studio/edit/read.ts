/** A config's text as parsed by `yaml`: its data, and the position of every part. */
import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  parseDocument,
  type Scalar,
  type ScalarTag,
  visit,
} from 'yaml';
import type { Json, Path } from './model.ts';

export interface Parsed {
  readonly text: string;
  readonly root: ParsedNode | undefined;
  /** `undefined` if the text is not YAML, `null` if the file is empty. */
  readonly value: Json | undefined;
  /** Why the file cannot be edited at all. */
  readonly why?: string;
}

/** A key with its value, or a list item. Offsets are in UTF-16 units. */
export interface Item {
  readonly key: string | number;
  readonly written?: Scalar.Parsed;
  /** Start of the key, the dash, or the item in brackets. */
  readonly from: number;
  /** Offset after the colon or dash; without either, after the key. */
  readonly after: number;
  readonly hasColon: boolean;
  /** `undefined` for a missing value, as after `key:`. */
  readonly node: ParsedNode | undefined;
  /** End of the value: in block style, the end of its last line without the line feed. */
  readonly to: number;
}

/** The relay keeps scalars as text, so numbers that JavaScript would rewrite (`1.10`, `0x1F`) stay text. */
const numberOrFlag: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: /^(?:true|false|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)$/,
  resolve: (text) => {
    const value = /^[tf]/.test(text) ? text === 'true' : Number(text);
    return String(value) === text ? value : text;
  },
};

const lastRead: Parsed[] = [];

/** Parses a text once, and caches the last few results. */
export function read(text: string): Parsed {
  const parsed = lastRead.find((one) => one.text === text) ?? parse(text);
  lastRead.splice(0, lastRead.length, parsed, ...lastRead.filter((one) => one !== parsed).slice(0, 3));
  return parsed;
}

function parse(text: string): Parsed {
  const unreadable = (why: string): Parsed => ({ text, root: undefined, value: undefined, why });
  try {
    const document = parseDocument(text, {
      schema: 'failsafe',
      customTags: ['null', numberOrFlag],
      uniqueKeys: false,
      prettyErrors: false,
      keepSourceTokens: true,
      logLevel: 'error',
    });
    const error = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS');
    if (error) {
      const line = text.slice(0, error.pos[0]).split('\n').length;
      return unreadable(
        error.code === 'TAB_AS_INDENT'
          ? `Line ${line} is indented with a tab; YAML allows only spaces.`
          : `Line ${line} is not valid YAML yet.`,
      );
    }
    if (text.includes('*'))
      visit(document, {
        Alias: (_, alias, above) => {
          if (above.includes(alias.resolve(document) as ParsedNode)) throw new ReferenceError();
        },
      });
    const value: Json = document.toJS({ maxAliasCount: 10_000 });
    const root = isWritten(document.contents) ? document.contents : undefined;
    const why = document.errors.length > 0 && 'This file contains more than one document: edit it as text.';
    return { text, root, value, ...(why && { why }) };
  } catch (error) {
    // An alias is undefined, refers to itself, or expands exponentially.
    if (error instanceof ReferenceError)
      return unreadable('The aliases in this file cannot be resolved: edit it as text.');
    // Thousands of nested brackets overflow the parser's stack.
    if (error instanceof RangeError) return unreadable('This text is nested too deeply to be read.');
    throw error;
  }
}

const isWritten = (node: ParsedNode | null): node is ParsedNode =>
  node !== null && !(isScalar(node) && node.type === 'PLAIN' && node.range[0] === node.range[1]);

const knownItems = new WeakMap<ParsedNode, readonly Item[]>();

/** The items of a map or list, in order. */
export function itemsOf(text: string, node: ParsedNode | undefined): readonly Item[] {
  if (!isCollection(node)) return [];
  const items = knownItems.get(node) ?? readItems(text, node);
  knownItems.set(node, items);
  return items;
}

function readItems(text: string, node: ParsedNode): readonly Item[] {
  const item = (one: Omit<Item, 'node' | 'to'>, value: ParsedNode | null): Item =>
    isWritten(value)
      ? { ...one, node: value, to: endOf(text, value) }
      : { ...one, node: undefined, to: one.after };
  if (isMap(node))
    return (node as { items: { key: ParsedNode; value: ParsedNode | null; srcToken?: Source }[] }).items.map(
      ({ key, value, srcToken }) => {
        const colon = srcToken?.sep?.find(({ type }) => type === 'map-value-ind');
        const written = key as Scalar.Parsed;
        const name = written.type === 'PLAIN' ? (written.source ?? '') : String(written.value);
        const after = colon ? colon.offset + 1 : key.range[1];
        return item({ key: name, written, from: key.range[0], after, hasColon: colon !== undefined }, value);
      },
    );
  if (!isSeq(node)) return [];
  const { items, srcToken } = node as unknown as { items: ParsedNode[]; srcToken?: { items: Source[] } };
  return items.map((value, key) => {
    const dash = node.flow ? undefined : srcToken?.items[key]?.start.find(({ type }) => type === dashType);
    const from = dash?.offset ?? value.range[0];
    return item({ key, from, after: dash ? from + 1 : from, hasColon: true }, value);
  });
}

const dashType = 'seq-item-ind';
interface Source {
  readonly start: readonly Token[];
  readonly sep?: readonly Token[];
}
interface Token {
  readonly type: string;
  readonly offset: number;
}

/** In block style, the end of the last line. */
export function endOf(text: string, node: ParsedNode): number {
  const [start, end] = node.range;
  if (isCollection(node)) return node.flow ? end : (itemsOf(text, node).at(-1)?.to ?? end);
  if (!isBlockText(node)) return end;
  // Trailing empty lines belong to a text only if it keeps them (`|+`).
  const written = text.slice(start, end);
  return start + written.replace(/^[|>]\d?\+/.test(written) ? /\n$/ : /\n+$/, '').length;
}

export const isBlockText = (node: ParsedNode | undefined): boolean =>
  isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');

const isAt = (key: string | number) => (item: Item) => item.key === key;

/** Items along a path, from the outermost; fewer if a part is missing. */
export function itemsTo({ text, root }: Parsed, path: Path): readonly Item[] {
  const way: Item[] = [];
  let node = root;
  for (const key of path) {
    const items = itemsOf(text, node);
    const item = isSeq(node) ? items[Number(key)] : items.findLast(isAt(String(key)));
    if (!item) return way;
    way.push(item);
    node = item.node;
  }
  return way;
}

/** Why a value, and everything below it, cannot be edited. */
export function whyOf(node: ParsedNode | undefined): string | undefined {
  if (!node) return undefined;
  if (isAlias(node)) return 'This is an alias (*): edit it as text.';
  if (node.anchor !== undefined) return 'This has an anchor (&): edit it as text.';
  if (node.tag !== undefined) return 'This has a tag (!): edit it as text.';
  if (!isMap(node)) return undefined;
  if (node.flow && !node.srcToken) return 'A list contains a key without braces here: edit it as text.';
  const names = new Set<string>();
  for (const { key, srcToken } of node.items as { key: ParsedNode; srcToken?: Source }[]) {
    const isExplicit = srcToken?.start.some(({ type }) => type === 'explicit-key-ind');
    if (
      isExplicit ||
      !isScalar(key) ||
      key.value === null ||
      key.anchor !== undefined ||
      key.tag !== undefined
    )
      return 'This key is not plain text: edit it as text.';
    const name = String(key.value);
    if (names.has(name)) return `The key "${name}" appears twice here: edit it as text.`;
    if (name === '<<' && key.type === 'PLAIN') return 'This is a merge key (<<): edit it as text.';
    names.add(name);
  }
  return undefined;
}

/** The first such reason at or below a value. */
export function whyWithin(text: string, node: ParsedNode | undefined): string | undefined {
  const why = whyOf(node);
  if (why) return why;
  for (const item of itemsOf(text, node)) {
    const below = whyWithin(text, item.node);
    if (below) return below;
  }
  return undefined;
}

// Lines of a text, and which of them belong to a key or item in block style. Lines end with a line feed.

export const lineStart = (text: string, offset: number) => text.slice(0, offset).lastIndexOf('\n') + 1;

export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at;
}

/** The start of the next line, or the end of the text. */
export const nextLine = (text: string, offset: number) => Math.min(lineEnd(text, offset) + 1, text.length);

export const columnOf = (text: string, offset: number) => offset - lineStart(text, offset);

/** Whether only spaces precede the offset on its line. */
export const isFirstOnLine = (text: string, offset: number) =>
  /^ *$/.test(text.slice(lineStart(text, offset), offset));

/** Length of a pattern's match at an offset. */
function taken(text: string, offset: number, pattern: string): number {
  const sticky = new RegExp(pattern, 'y');
  sticky.lastIndex = offset;
  return sticky.exec(text)?.[0].length ?? 0;
}

/** End of an item, before a line feed: includes its trailing and more deeply indented comments. */
export function itemEnd(text: string, { from, to }: Item): number {
  const end = lineEnd(text, to);
  return end + taken(text, end, `(?:(?:\\n[ \\t]*)*\\n[ \\t]{${columnOf(text, from) + 1},}#.*)*`);
}

/** Start of an item with the comments directly above it at the same indentation. The file's first comment belongs to the file. */
export function itemStart(text: string, items: readonly Item[], index: number, room: number): number {
  const { from } = items[index] as Item;
  if (!isFirstOnLine(text, from)) return from;
  const line = lineStart(text, from);
  const above = text.slice(room, line);
  const own = new RegExp(`(?:(?<=^|\\n) {${from - line}}#.*\\n)*$`).exec(above)?.[0].length ?? 0;
  return own === line ? line : line - own;
}

/** Offset after the blank lines that follow the line ending at `end`. */
export const afterBlanks = (text: string, end: number) => end + taken(text, end, '(?:\\n[ \\t]*(?=\\n))*');

/** Whether all items are separated by blank lines. */
export const isSpaced = (text: string, items: readonly Item[]) =>
  items.length > 1 &&
  items.slice(0, -1).every((item) => /^\n[ \t]*\n/.test(text.slice(itemEnd(text, item)).slice(0, 200)));

/** A config's text, parsed for the builder: its data, and their positions in the text. */

/** Offsets are in UTF-16 units of `text`. */
export interface ConfigText {
  readonly text: string;
  /** `undefined`: not YAML; `null`: an empty file. A number that JavaScript would write differently, such as `1.10`, is text. */
  readonly value: Json | undefined;
  /** The range of a path's key and value, or of its list item with the dash. */
  readonly rangeOf: (path: Path) => { readonly from: number; readonly to: number } | undefined;
  /** Why the builder cannot edit this part: it is at or below an anchor, alias, tag or merge key. */
  readonly whyText: (path: Path) => string | undefined;
}

/** Parses a text once; repeated calls are cached. */
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
