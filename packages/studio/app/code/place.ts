/**
 * Where in a config an offset of its text stands: read line by line, because a text is seldom YAML while it is typed, and
 * a large one has to be read with each key.
 */
import type { Path } from '../../edit/index.ts';

export interface Place {
  /**
   * `key`: at a key, or where one can begin; `path` is the map's. `value`: at a value; `path` is its own. `item`: after a
   * dash or in `[…]`, where a value or the first key of a map may begin; `path` is the item's. `child`: on a line of its
   * own below a key without a value; `path` is that key's. `none`: in a comment.
   */
  readonly at: 'key' | 'value' | 'item' | 'child' | 'none';
  readonly path: Path;
  /** The key that stands there, if a colon follows. */
  readonly key?: string;
  /** The word at the offset, without its quotes: a key, or a value of one line. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly quote: '' | '"' | "'";
  /** In braces or brackets. */
  readonly isFlow: boolean;
  /** The column of a key. */
  readonly column: number;
}

type Level =
  | { readonly is: 'map'; readonly indent: number; key: string }
  | { readonly is: 'list'; readonly indent: number; index: number };

interface FlowLevel {
  readonly is: 'map' | 'list';
  key: string;
  index: number;
  /** The value of `key` is next, not a key. */
  isAtValue: boolean;
}

const keyPattern =
  /("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#"'{}[\],&*!|>%@`-][^#{}[\],]*?|-[^\s#{}[\],][^#{}[\],]*?) *:(?= |$)/y;

export const unquoted = (text: string): string => {
  if (/^".*"$/s.test(text)) return text.slice(1, -1).replaceAll(/\\(["\\/])/g, '$1');
  return /^'.*'$/s.test(text) ? text.slice(1, -1).replaceAll("''", "'") : text;
};

/** Reads lines up to the one of the offset. */
class Reader {
  readonly levels: Level[] = [];
  flow: FlowLevel[] = [];
  /** The end of a quoted text of several lines. */
  private quote = '';
  /** Lines that are indented further belong to a block of text. */
  blockIndent: number | undefined;

  constructor(private readonly text: string) {}

  get path(): (string | number)[] {
    const outer = this.levels.map((level) => (level.is === 'map' ? level.key : level.index));
    return outer;
  }

  get flowPath(): (string | number)[] {
    return [...this.path, ...this.flow.map((level) => (level.is === 'map' ? level.key : level.index))];
  }

  isOpen = () => this.flow.length > 0 || this.quote !== '';

  /** Reads a line that is not the one asked about. */
  line(start: number, end: number): void {
    const line = this.text.slice(start, end);
    if (this.isOpen()) {
      this.inline(start, end);
      return;
    }
    const indent = line.search(/\S/);
    if (this.blockIndent !== undefined) {
      if (indent < 0 || indent > this.blockIndent) return;
      this.blockIndent = undefined;
    }
    if (indent < 0 || line[indent] === '#') return;
    const { rest } = this.begin(line);
    this.value(line, start, rest, end);
  }

  /** Enters the dashes and the key that begin a line; `rest` is where its value starts. */
  begin(line: string): { rest: number; column: number; key?: string; keyFrom: number; hasDash: boolean } {
    let column = line.search(/\S|$/);
    let hasDash = false;
    while (line[column] === '-' && /\s|^$/.test(line[column + 1] ?? '')) {
      this.closeAbove(column);
      const top = this.levels.at(-1);
      if (top?.is === 'list' && top.indent === column) top.index += 1;
      else this.levels.push({ is: 'list', indent: column, index: 0 });
      hasDash = true;
      const next = line.slice(column + 1).search(/\S/);
      column = next < 0 ? line.length : column + 1 + next;
    }
    keyPattern.lastIndex = column;
    const match = keyPattern.exec(line);
    if (!match) return { rest: column, column, keyFrom: column, hasDash };
    const [all, written = ''] = match;
    const key = unquoted(written);
    this.closeFor(column);
    const top = this.levels.at(-1);
    if (top?.is === 'map' && top.indent === column) top.key = key;
    else this.levels.push({ is: 'map', indent: column, key });
    const rest = column + all.length;
    const more = line.slice(rest).search(/\S/);
    return { rest: more < 0 ? line.length : rest + more, column, key, keyFrom: column, hasDash };
  }

  closeAbove(column: number): void {
    while ((this.levels.at(-1)?.indent ?? -1) > column) this.levels.pop();
  }

  /** Leaves only what a key in this column can belong to: a list in the same column has ended. */
  closeFor(column: number): void {
    this.closeAbove(column);
    const top = this.levels.at(-1);
    if (top?.is === 'list' && top.indent === column) this.levels.pop();
  }

  value(line: string, start: number, from: number, end: number): void {
    const rest = line.slice(from).replace(/^(?:[&!]\S* +)+/, '');
    if (/^[|>]/.test(rest)) this.blockIndent = this.levels.at(-1)?.indent ?? -1;
    else if (/^[{["']/.test(rest)) this.inline(start + line.length - rest.length, end);
  }

  /** Reads braces, brackets and quotes, up to `end`. */
  inline(from: number, end: number): void {
    let at = from;
    let word = from;
    const { text } = this;
    while (at < end) {
      if (this.quote !== '') {
        const close = closing(text, at, end, this.quote);
        if (close < 0) return;
        this.quote = '';
        at = close + 1;
        if (this.flow.length === 0) return;
        continue;
      }
      const character = text[at] ?? '';
      const top = this.flow.at(-1);
      if (character === '"' || character === "'") {
        if (text.slice(word, at).trim() === '') this.quote = character;
      } else if (character === '{' || character === '[') {
        this.flow.push({ is: character === '{' ? 'map' : 'list', key: '', index: 0, isAtValue: false });
        word = at + 1;
      } else if (character === '}' || character === ']') {
        this.flow.pop();
        if (this.flow.length === 0) return;
      } else if (character === ',' && top) {
        top.index += 1;
        Object.assign(top, { key: '', isAtValue: false });
        word = at + 1;
      } else if (character === ':' && top?.is === 'map' && /[\s,}"'[{]|^$/.test(text[at + 1] ?? '')) {
        top.key = unquoted(text.slice(word, at).trim());
        top.isAtValue = true;
        word = at + 1;
      } else if (character === '#' && /\s/.test(text[at - 1] ?? ' ')) return;
      at += 1;
    }
  }
}

function closing(text: string, from: number, end: number, quote: string): number {
  for (let at = from; at < end; at += 1) {
    if (text[at] === '\\' && quote === '"') at += 1;
    else if (text[at] === quote) {
      if (quote === "'" && text[at + 1] === "'") at += 1;
      else return at;
    }
  }
  return -1;
}

export function placeAt(text: string, offset: number): Place {
  const reader = new Reader(text);
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  for (let at = 0; at < start; ) {
    const end = text.indexOf('\n', at);
    reader.line(at, end);
    at = end + 1;
  }
  const end = (text.indexOf('\n', offset) + text.length + 1) % (text.length + 1);
  const line = text.slice(start, end);
  const nothing: Place = { ...wordIn(text, offset, offset), at: 'none', path: [], isFlow: false, column: 0 };
  if (reader.isOpen()) return inFlow(reader, text, start, offset, end) ?? nothing;
  const indent = line.search(/\S|$/);
  if (reader.blockIndent !== undefined && (indent > reader.blockIndent || indent === line.length)) {
    const isIn = indent < line.length || offset - start > reader.blockIndent;
    if (isIn) {
      const word = { from: start + indent, to: end, text: line.slice(indent), quote: '' as const };
      return { ...word, at: 'value', path: reader.path, isFlow: false, column: indent };
    }
  }
  const comment = /(?:^|\s)#/.exec(outsideQuotes(line));
  if (comment && offset - start > comment.index + comment[0].length - 1) return nothing;
  return inBlock(reader, text, line, start, offset, end) ?? nothing;
}

/** The same line with quoted parts blanked. */
const outsideQuotes = (line: string) =>
  line.replaceAll(/(^|[\s:[{,])("(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)/g, (all) => 'x'.repeat(all.length));

function inBlock(
  reader: Reader,
  text: string,
  line: string,
  start: number,
  offset: number,
  end: number,
): Place | undefined {
  const { rest, column, key, keyFrom, hasDash } = reader.begin(line);
  const cursor = offset - start;
  const base = { isFlow: false, column };
  if (key !== undefined) {
    const colon = line.indexOf(
      ':',
      keyFrom + (line[keyFrom] === '"' || line[keyFrom] === "'" ? key.length + 1 : key.length),
    );
    if (cursor < keyFrom) return undefined;
    if (cursor <= colon) {
      const word = wordIn(text, start + keyFrom, start + line.slice(0, colon).trimEnd().length);
      return { ...word, ...base, at: 'key', path: reader.path.slice(0, -1), key };
    }
    const valueStart = start + Math.min(rest, Math.max(cursor, colon + 1));
    if (/^[{["']/.test(line.slice(rest)) && cursor > rest) {
      return inFlow(reader, text, start + rest, offset, end);
    }
    return {
      ...wordIn(text, valueStart, valueEnd(text, start + rest, end)),
      ...base,
      at: 'value',
      path: reader.path,
    };
  }
  if (hasDash) {
    if (cursor < rest && line.length > rest) return undefined;
    if (/^[{["']/.test(line.slice(rest)) && cursor > rest) {
      return inFlow(reader, text, start + rest, offset, end);
    }
    const from = start + Math.min(rest, cursor);
    return {
      ...wordIn(text, from, valueEnd(text, from, end)),
      ...base,
      column: from - start,
      at: 'item',
      path: reader.path,
    };
  }
  const isBlank = line.trim() === '';
  const at = isBlank ? cursor : column;
  reader.closeFor(at);
  const top = reader.levels.at(-1);
  const word = isBlank
    ? wordIn(text, offset, offset)
    : wordIn(text, start + column, valueEnd(text, start + column, end));
  if (top === undefined || (top.is === 'map' && top.indent === at)) {
    return {
      ...word,
      isFlow: false,
      column: at,
      at: 'key',
      path: top === undefined ? [] : reader.path.slice(0, -1),
    };
  }
  return { ...word, isFlow: false, column: at, at: 'child', path: reader.path };
}

function inFlow(
  reader: Reader,
  text: string,
  from: number,
  offset: number,
  lineEnd: number,
): Place | undefined {
  if (reader.flow.length === 0 && !reader.isOpen() && /["']/.test(text[from] ?? '')) {
    return {
      ...wordIn(text, from, valueEnd(text, from, lineEnd)),
      isFlow: false,
      column: 0,
      at: 'value',
      path: reader.path,
    };
  }
  reader.inline(from, offset);
  const top = reader.flow.at(-1);
  if (!top)
    return reader.isOpen()
      ? { ...wordIn(text, offset, offset), isFlow: false, column: 0, at: 'value', path: reader.path }
      : undefined;
  // The word around the offset, between what separates words.
  let start = offset;
  while (start > 0 && !/[\n,[{]/.test(text[start - 1] ?? '') && !/:\s$/.test(text.slice(start - 2, start)))
    start -= 1;
  const open = openQuote(text.slice(start, offset));
  if (open >= 0) start += open;
  while (start < offset && text[start] === ' ') start += 1;
  let end = offset;
  const quote = /^["']/.exec(text.slice(start, offset))?.[0];
  if (quote) end = Math.max(offset, closing(text, start + 1, lineEnd, quote) + 1 || lineEnd);
  else
    while (
      end < lineEnd &&
      !/[,\]}]/.test(text[end] ?? '') &&
      !/^:(?:[\s,}]|$)/.test(text.slice(end, end + 2))
    )
      end += 1;
  const to = start + text.slice(start, end).trimEnd().length;
  const word = wordIn(text, Math.min(start, offset), Math.max(to, Math.min(start, offset)));
  const hasColon = /^\s*:(?:[\s,}]|$)/.test(text.slice(to, to + 3));
  const path = reader.flowPath;
  const base = { ...word, isFlow: true, column: 0 };
  if (top.is === 'list') return { ...base, at: 'item', path };
  if (top.isAtValue) return { ...base, at: 'value', path };
  return {
    ...base,
    at: 'key',
    path: path.slice(0, -1),
    ...(hasColon && { key: unquoted(text.slice(word.from, word.to)) }),
  };
}

/** Where a quoted text begins that does not end. */
function openQuote(text: string): number {
  const match = /(?:^|[\s:,[{])("(?:[^"\\]|\\.)*|'(?:[^']|'')*)$/.exec(text);
  return match ? match.index + match[0].length - (match[1] ?? '').length : -1;
}

/** The end of a plain or quoted value on its line, without its comment. */
function valueEnd(text: string, from: number, lineEnd: number): number {
  const line = text.slice(from, lineEnd);
  const quote = /^["']/.exec(line)?.[0];
  if (quote) {
    const close = closing(text, from + 1, lineEnd, quote);
    return close < 0 ? lineEnd : close + 1;
  }
  const comment = line.search(/(?:^|\s)#/);
  return from + (comment < 0 ? line : line.slice(0, comment)).trimEnd().length;
}

function wordIn(text: string, from: number, to: number): Pick<Place, 'from' | 'to' | 'text' | 'quote'> {
  const end = Math.max(from, to);
  const quote = (/^["']/.exec(text.slice(from, end))?.[0] ?? '') as Place['quote'];
  if (quote === '') return { from, to: end, text: text.slice(from, end), quote };
  const isClosed = end - from > 1 && text[end - 1] === quote;
  const inside = { from: from + 1, to: isClosed ? end - 1 : end };
  return { ...inside, text: text.slice(inside.from, inside.to), quote };
}
