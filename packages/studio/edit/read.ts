/** A config's text as a tree with the places of everything in it. */
import { isAlias, isMap, isScalar, isSeq, type ParsedNode, parseDocument } from 'yaml';
import type { Json, Path } from './action.ts';

/** A value and its place. Offsets are UTF-16 units of the text, a BOM and line ends included. */
export interface Node {
  readonly kind: 'map' | 'list' | 'scalar' | 'alias';
  /** A map or list in braces or brackets. */
  readonly isFlow: boolean;
  /** `none` for a value that is not written at all, as after `key:`. */
  readonly style: 'none' | 'plain' | 'single' | 'double' | 'literal' | 'folded';
  readonly from: number;
  /** Where the value ends: in block style, at the end of its last line, before the line end. */
  readonly to: number;
  readonly items: readonly Item[];
  readonly value: Json;
  /** Aliases expanded, how many values it has. */
  readonly size: number;
  /** A reason to leave it, and everything below, alone. */
  readonly why: string | undefined;
}

/** A key with its value, or an item of a list. */
export interface Item {
  readonly key: string | number;
  /** The start of the key, the dash, or the item in brackets. */
  readonly from: number;
  readonly keyStyle: Node['style'];
  readonly keyTo: number;
  /** After the colon, the dash, or, without them, the key. */
  readonly after: number;
  readonly hasColon: boolean;
  readonly node: Node;
}

export interface Parsed {
  readonly text: string;
  /** `undefined` for an empty file. */
  readonly root: Node | undefined;
  /** `undefined` where the text is no YAML. */
  readonly value: Json | undefined;
  /** A reason to leave the whole file alone. */
  readonly why: string | undefined;
}

const lastRead: Parsed[] = [];

/** Reads a text once, and keeps what was read of the last few. */
export function read(text: string): Parsed {
  const known = lastRead.find((one) => one.text === text);
  if (known) return known;
  const parsed = parse(text);
  lastRead.unshift(parsed);
  if (lastRead.length > 4) lastRead.pop();
  return parsed;
}

export const lineOf = (text: string, offset: number) => text.slice(0, offset).split('\n').length;

/** Aliases may expand a document to this many values beyond ten times its size, as in the relay. */
const aliasAllowance = 100_000;

function parse(text: string): Parsed {
  const unreadable = (why: string): Parsed => ({ text, root: undefined, value: undefined, why });
  const lone = /\r(?!\n)/.exec(text);
  if (lone)
    return unreadable(`Line ${lineOf(text, lone.index)} ends with a lone carriage return: edit it as text.`);
  try {
    const document = parseDocument(text, {
      schema: 'core',
      uniqueKeys: false,
      prettyErrors: false,
      keepSourceTokens: true,
      logLevel: 'error',
    });
    const errors = document.errors.filter(({ code }) => code !== 'MULTIPLE_DOCS');
    const [error] = errors;
    if (error) {
      const line = lineOf(text, error.pos[0]);
      return unreadable(
        error.code === 'TAB_AS_INDENT'
          ? `Line ${line} is indented with a tab; YAML takes only spaces.`
          : `Line ${line} is not YAML yet.`,
      );
    }
    const reader = new TreeReader(text);
    const root = document.contents ? reader.node(document.contents, undefined) : undefined;
    if (reader.isEndless) return unreadable('An alias of this file contains itself: edit it as text.');
    if (root && root.size > 10 * reader.count + aliasAllowance)
      return unreadable('The aliases of this file repeat too much: edit it as text.');
    const isSeveral = errors.length < document.errors.length;
    const why = isSeveral ? 'This file holds more than one document: edit it as text.' : undefined;
    return { text, root: root?.style === 'none' ? undefined : root, value: root?.value ?? null, why };
  } catch (error) {
    // The parser runs out of stack with thousands of brackets.
    if (!(error instanceof RangeError)) throw error;
    return unreadable('This text is nested too deeply to be read.');
  }
}

const styles = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
} as const;

const reasons = {
  anchor: 'An anchor (&) stands here: edit it as text.',
  alias: 'An alias (*) stands here: edit it as text.',
  tag: 'A tag (!) stands here: edit it as text.',
  merge: 'A merge key (<<) stands here: edit it as text.',
  key: 'A key that is no plain text stands here: edit it as text.',
  pair: 'A list holds a key without braces here: edit it as text.',
} as const;

interface Token {
  readonly type: string;
  readonly offset: number;
  readonly source: string;
}

class TreeReader {
  count = 0;
  isEndless = false;
  readonly #text: string;
  readonly #anchors = new Map<string, Node>();

  constructor(text: string) {
    this.#text = text;
  }

  /** @param empty Where a value that is not written would stand. */
  node(node: ParsedNode, empty: number | undefined): Node {
    this.count += 1;
    if (isAlias(node)) return this.#alias(node.source, node.range);
    let read: Node;
    if (isMap(node)) read = this.#map(node);
    else if (isSeq(node)) read = this.#list(node);
    else read = this.#scalar(node, empty);
    const { anchor, tag } = node as { anchor?: string; tag?: string };
    if (anchor === undefined && tag === undefined) return read;
    read = { ...read, why: anchor === undefined ? reasons.tag : reasons.anchor };
    if (anchor !== undefined) this.#anchors.set(anchor, read);
    return read;
  }

  #alias(name: string, [from, to]: readonly number[]): Node {
    const meant = this.#anchors.get(name);
    if (!meant) this.isEndless = true;
    const { value = null, size = 1 } = meant ?? {};
    return {
      kind: 'alias',
      isFlow: false,
      style: 'plain',
      from: from ?? 0,
      to: to ?? 0,
      items: [],
      value,
      size,
      why: reasons.alias,
    };
  }

  #scalar(node: ParsedNode, empty: number | undefined): Node {
    const [start, end] = node.range;
    const {
      value,
      source = '',
      type,
    } = node as { value?: unknown; source?: string; type?: keyof typeof styles };
    const isEmpty = type === 'PLAIN' && start === end;
    const from = isEmpty ? (empty ?? start) : start;
    const style = isEmpty ? 'none' : styles[type ?? 'PLAIN'];
    const to = isEmpty ? from : isBlock(style) ? this.#blockEnd(start, end) : end;
    return {
      kind: 'scalar',
      isFlow: false,
      style,
      from,
      to,
      items: [],
      value: plainValue(value, source),
      size: 1,
      why: undefined,
    };
  }

  /** Trailing empty lines belong to the text only where it keeps them (`|+`). */
  #blockEnd(start: number, end: number): number {
    const written = this.#text.slice(start, end);
    const isKept = /^[|>]\d?\+/.test(written);
    return start + written.replace(isKept ? /\r?\n$/ : /(\r?\n)+$/, '').length;
  }

  #map(node: ParsedNode): Node {
    const { items: pairs, flow: isFlow = false } = node as unknown as {
      flow?: boolean;
      items: { key: ParsedNode; value: ParsedNode | null; srcToken?: { start: Token[]; sep?: Token[] } }[];
    };
    const value = {};
    const items: Item[] = [];
    let why: string | undefined;
    let size = 1;
    const seen = new Set<string>();
    for (const { key, value: written, srcToken } of pairs) {
      const isExplicit = srcToken?.start.some(({ type }) => type === 'explicit-key-ind');
      const { anchor, tag } = key as { anchor?: string; tag?: string };
      const isMarked = isExplicit || anchor !== undefined || tag !== undefined;
      if (isMarked || !isScalar(key) || key.value === null) why = reasons.key;
      const style = isScalar(key) ? styles[(key.type ?? 'PLAIN') as keyof typeof styles] : 'plain';
      const name = isScalar(key) ? (style === 'plain' ? (key.source ?? '') : String(key.value)) : '';
      if (seen.has(name)) why = `The key "${name}" stands twice here: edit it as text.`;
      if (name === '<<' && style === 'plain') why = reasons.merge;
      seen.add(name);
      const [from, keyTo] = key?.range ?? [node.range[0], node.range[0]];
      const colon = srcToken?.sep?.find(({ type }) => type === 'map-value-ind');
      const after = colon ? colon.offset + 1 : keyTo;
      const read = written ? this.node(written, after) : nothing(after);
      if (!written) this.count += 1;
      size += read.size;
      items.push({
        key: name,
        from,
        keyTo,
        keyStyle: style,
        after,
        hasColon: colon !== undefined,
        node: read,
      });
      define(value, name, read.value);
    }
    const isBraced = !isFlow || this.#text[node.range[0]] === '{';
    return this.#collection('map', node, isFlow, items, value, size, isBraced ? why : reasons.pair);
  }

  #list(node: ParsedNode): Node {
    const {
      items: written,
      flow: isFlow = false,
      srcToken,
    } = node as unknown as {
      flow?: boolean;
      items: ParsedNode[];
      srcToken?: { items: { start: Token[] }[] };
    };
    const value: Json[] = [];
    let size = 1;
    const items = written.map((one, key): Item => {
      const dash = isFlow
        ? undefined
        : srcToken?.items[key]?.start.find(({ type }) => type === 'seq-item-ind');
      const after = dash ? dash.offset + 1 : one.range[0];
      const read = this.node(one, after);
      const from = dash?.offset ?? read.from;
      value.push(read.value);
      size += read.size;
      return { key, from, keyTo: after, keyStyle: 'plain', after, hasColon: true, node: read };
    });
    return this.#collection('list', node, isFlow, items, value, size, undefined);
  }

  #collection(
    kind: 'map' | 'list',
    { range }: ParsedNode,
    isFlow: boolean,
    items: readonly Item[],
    value: Json,
    size: number,
    why: string | undefined,
  ): Node {
    const last = items.at(-1);
    const from = isFlow ? range[0] : (items[0]?.from ?? range[0]);
    const to = isFlow || !last ? range[1] : Math.max(last.after, last.node.to);
    return { kind, isFlow, style: 'plain', from, to, items, value, size, why };
  }
}

const nothing = (at: number): Node => ({
  kind: 'scalar',
  isFlow: false,
  style: 'none',
  from: at,
  to: at,
  items: [],
  value: null,
  size: 1,
  why: undefined,
});

const isBlock = (style: Node['style']) => style === 'literal' || style === 'folded';

/**
 * The relay keeps every scalar as its text. A number that JavaScript would write differently (`1.10`, `0x1F`, `01`) is
 * therefore that text, so that nothing is lost when it is written elsewhere.
 */
function plainValue(value: unknown, source: string): Json {
  if (typeof value !== 'number') return (value ?? null) as Json;
  return String(value) === source ? value : source;
}

/** Also where the key is `__proto__`. */
function define(object: object, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else (object as Record<string, Json>)[key] = value;
}

const isAt = (key: string | number) => (item: Item) => item.key === key;

/** The items on the way to a path, from the outermost; fewer than the path has where something is missing. */
export function itemsTo(root: Node | undefined, path: Path): readonly Item[] {
  const way: Item[] = [];
  let node = root;
  for (const key of path) {
    const item = node?.kind === 'list' ? node.items[Number(key)] : node?.items.findLast(isAt(String(key)));
    if (!item) return way;
    way.push(item);
    node = item.node;
  }
  return way;
}

/** The value at a path; `undefined` where there is none. */
export function nodeAt(root: Node | undefined, path: Path): Node | undefined {
  const way = itemsTo(root, path);
  return way.length < path.length ? undefined : path.length === 0 ? root : way.at(-1)?.node;
}

/** The first reason in a value, or below it. */
export const whyWithin = (node: Node): string | undefined => {
  if (node.why) return node.why;
  for (const item of node.items) {
    const why = whyWithin(item.node);
    if (why) return why;
  }
  return undefined;
};
