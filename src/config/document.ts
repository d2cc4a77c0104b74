import {
  type AliasEvent,
  constructFromEvents,
  EVENT_ID,
  type Event,
  FAILSAFE_SCHEMA,
  getScalarValue,
  nullCoreTag,
  parseEvents,
  YAMLException,
} from 'js-yaml';
import { type Finding, finding, type PlainCode, type Within } from '../finding.ts';
import type { Path, Place } from '../place.ts';
import { err, ok, type Result } from '../result.ts';

/** A YAML text that parses: its value, and the way back from a path to its place in the text. */
export interface Document {
  readonly value: unknown;
  /** Where the value at `path` stands; where it is missing or empty, its key or the nearest thing around it. */
  locate(path: Path): Location;
  /** Where a stretch of the text at `path` stands; `undefined` where escapes or folded lines hide it. */
  locateWithin(path: Path, stretch: Within): Place | undefined;
  /** Where the key itself stands, for problems that are about the key. */
  locateKey(path: Path): Location;
}

export interface Location extends Place {
  /** It is a key that stands here, not a value. */
  readonly isKey?: boolean;
  /** Where the value starts, when the place is inside it. */
  readonly valueOffset?: number;
}

/** Why a text is no config, whatever its keys. */
export interface Misread {
  readonly finding: Finding;
  readonly place: Place;
}

const misread = (finding: Finding, place: Place = { offset: 0, length: 0 }): Misread => ({ finding, place });

/**
 * Every scalar stays the text that its author wrote (or null): the config's own schema says what is a number or a
 * flag. So `zip: 01234` keeps its zero and `version: 1.10` its last digit, and `on`, `no` and `1` are field names.
 */
const textOnly = FAILSAFE_SCHEMA.withTags(nullCoreTag);

/** Aliases may make a document this many nodes larger than ten times what is written: generous, and no bomb (D9). */
const aliasAllowance = 100_000;

/** Room for 10,000 forms. The parser takes up to 100 times a text's size in memory: more would end the process. */
const mostCharacters = 16 * 1024 * 1024;

/** Reads YAML 1.2 text. Never throws. */
export function readDocument(text: string): Result<Document, Misread> {
  if (text.length > mostCharacters) return err(misread(finding('config_too_large', [])));
  let events: Event[] = [];
  try {
    events = parseEvents(text, { maxDepth: 50 });
    const problem = refuseShape(text, events);
    if (problem) return err(problem);
    const [value] = constructFromEvents(events, { source: text, schema: textOnly });
    const index = new PlaceIndex(text, events);
    return ok({
      value,
      locate: (path) => index.value(path),
      locateWithin: (path, stretch) => index.within(path, stretch),
      locateKey: (path) => index.key(path),
    });
  } catch (error) {
    return err(explain(error, text, events));
  }
}

/** What the parser accepts and a config cannot be: nothing, several documents, or an alias that explodes (D9). */
function refuseShape(text: string, events: readonly Event[]): Misread | undefined {
  const documents = events.filter((event) => event.type === EVENT_ID.DOCUMENT);
  if (documents.length === 0) return misread(finding('config_empty', []));
  if (documents.length > 1) {
    const marks = [...text.matchAll(/^(---|\.\.\.)(?!\S)/gm)];
    const second = marks[documents[0]?.explicitStart ? 1 : 0];
    return misread(finding('yaml_second_document', []), { offset: second?.index ?? 0, length: 3 });
  }
  const firstAlias = events.find((event) => event.type === EVENT_ID.ALIAS);
  return firstAlias && refuseAliases(text, events, firstAlias);
}

function refuseAliases(text: string, events: readonly Event[], first: AliasEvent): Misread | undefined {
  const sizes = new Map<string, number>();
  const open: { anchor: string | undefined; before: number }[] = [];
  let nodes = 0;
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      const node = open.pop();
      if (node?.anchor !== undefined) sizes.set(node.anchor, nodes - node.before);
    } else if (event.type === EVENT_ID.ALIAS) {
      const place = { offset: event.anchorStart, length: event.anchorEnd - event.anchorStart };
      const anchor = text.slice(event.anchorStart, event.anchorEnd);
      if (open.some((node) => node.anchor === anchor)) {
        return misread(finding('yaml_alias_endless', []), place);
      }
      nodes += sizes.get(anchor) ?? 1;
    } else {
      const isAnchored = 'anchorStart' in event && event.anchorStart >= 0;
      const anchor = isAnchored ? text.slice(event.anchorStart, event.anchorEnd) : undefined;
      if (event.type !== EVENT_ID.SCALAR) open.push({ anchor, before: nodes });
      nodes += 1;
    }
  }
  if (nodes <= 10 * events.length + aliasAllowance) return undefined;
  return misread(finding('yaml_aliases_too_large', [], { nodes }), {
    offset: first.anchorStart,
    length: first.anchorEnd - first.anchorStart,
  });
}

/**
 * The parser's complaint as a problem. Its own words are used only where they quote nothing of the text, since a
 * mistyped password may stand there.
 */
function explain(error: unknown, text: string, events: readonly Event[]): Misread {
  if (!(error instanceof YAMLException) || !error.mark) return misread(finding('yaml_unreadable', []));
  const offset = Math.min(error.mark.position, text.length);
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const line = text.slice(lineStart).split('\n', 1)[0] ?? '';
  if (/complex keys/.test(error.reason)) {
    const key = complexKey(events);
    return key !== undefined && text[key] === '{' && text[key - 1] === '{'
      ? misread(finding('yaml_template_unquoted', []), { offset: key - 1, length: 2 })
      : misread(finding('yaml_key_not_text', []), { offset: key ?? offset, length: 1 });
  }
  const found = mistakeIn(line, offset - lineStart) ?? plainer(error.reason);
  return misread(found, { offset, length: 1 });
}

/** What usually is wrong with a line that looks like this. */
function mistakeIn(line: string, column: number): Finding | undefined {
  const before = line.slice(0, column);
  const character = line[column] ?? '';
  if (/:\s*\{\{|-\s+\{\{/.test(line)) return finding('yaml_template_unquoted', []);
  if (/"[^"]*\{\{[^"}]*"/.test(before)) return finding('yaml_template_in_double_quotes', []);
  if (/^\s*\t/.test(line)) return finding('yaml_tab', []);
  if (character === ':' && /^\s*[\w-]+$/.test(before)) return finding('yaml_colon_missing_above', []);
  if (character === ':') return finding('yaml_colon_unquoted', []);
  if (/[@`%]/.test(character)) return finding('yaml_start_unquoted', [], { character });
  return undefined;
}

function plainer(complaint: string): Finding {
  const [, code] = complaints.find(([pattern]) => pattern.test(complaint)) ?? [];
  if (code) return finding(code, []);
  return finding('yaml_refused', [], { complaint: complaint.replace(/ ?["!<`'].*$/s, '') });
}

/**
 * The complaints that people meet. The one place where words are read: js-yaml throws one kind of error, and nothing
 * but its English says which complaint it is.
 */
const complaints: readonly (readonly [complaint: RegExp, code: PlainCode])[] = [
  [/duplicated mapping key/, 'yaml_key_twice'],
  [/name of an alias node/, 'yaml_star_unquoted'],
  [/unidentified alias/, 'yaml_alias_without_anchor'],
  [/\btag\b/, 'yaml_tag'],
  [/non-printable|JSON character/, 'yaml_control_character'],
  [/deficient indentation/, 'yaml_indented_too_little'],
  [/within a (double|single) quoted/, 'yaml_quote_never_closed'],
  [/stream within a flow/, 'yaml_bracket_never_closed'],
  [/missed comma|but found ','/, 'yaml_comma_missing'],
  [/escape sequence|hexadecimal/, 'yaml_escape_unknown'],
  [/multiline key|after a mapping key/, 'yaml_colon_missing'],
  [/bad indentation/, 'yaml_indented_differently'],
  [/maxDepth/, 'yaml_too_deep'],
];

/** The offset of the first list or map that stands where a key should. */
function complexKey(events: readonly Event[]): number | undefined {
  const counts: { isMap: boolean; children: number }[] = [];
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      counts.pop();
      continue;
    }
    const around = counts.at(-1);
    const isKey = around?.isMap && around.children++ % 2 === 0;
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      if (isKey) return event.start;
      counts.push({ isMap: event.type === EVENT_ID.MAPPING, children: 0 });
    }
  }
  return undefined;
}

/** Finds paths in the parser's events. Each container is walked once, when a problem first points into it. */
class PlaceIndex {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #children = new Map<number, Map<string | number, { key: number; value: number }>>();
  readonly #anchors = new Map<string, number>();

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  value(path: Path): Location {
    const { key, value, found } = this.#find(path);
    const event = this.#events[value];
    if (found && event?.type === EVENT_ID.SCALAR && event.valueStart >= 0) return this.#placeOf(value);
    // An empty item of a list stands nowhere.
    if (key === undefined && event?.type === EVENT_ID.SCALAR && path.length > 0)
      return this.key(path.slice(0, -1));
    return { ...this.#placeOf(key ?? value), isKey: key !== undefined };
  }

  key(path: Path): Location {
    const { key, value } = this.#find(path);
    return { ...this.#placeOf(key ?? value), isKey: key !== undefined };
  }

  within(path: Path, { of, offset, length }: Within): Place | undefined {
    const event = this.#events[this.#resolve(this.#find(path).value)];
    if (event?.type !== EVENT_ID.SCALAR) return undefined;
    const lineStart = of.lastIndexOf('\n', offset - 1) + 1;
    const line = of.slice(lineStart).split('\n', 1)[0] ?? '';
    const at = this.#text.indexOf(line, event.valueStart);
    if (at < 0 || at + line.length > event.valueEnd) return undefined;
    const column = offset - lineStart;
    return { offset: at + column, length: Math.max(1, Math.min(length, line.length - column)) };
  }

  #find(path: Path): { key: number | undefined; value: number; found: boolean } {
    let at: { key: number | undefined; value: number } = { key: undefined, value: 1 };
    for (const segment of path) {
      const next = this.#childrenOf(this.#resolve(at.value)).get(segment);
      if (!next) return { ...at, found: false };
      at = { key: next.key === next.value ? undefined : next.key, value: next.value };
    }
    return { ...at, found: true };
  }

  #placeOf(index: number): Place {
    const event = this.#events[index];
    if (event?.type === EVENT_ID.SCALAR && event.valueStart >= 0)
      return this.#firstLine(event.valueStart, event.valueEnd);
    if (event?.type === EVENT_ID.MAPPING || event?.type === EVENT_ID.SEQUENCE)
      return { offset: event.start, length: 1 };
    if (event?.type === EVENT_ID.ALIAS)
      return { offset: event.anchorStart, length: event.anchorEnd - event.anchorStart };
    return { offset: 0, length: 0 };
  }

  #firstLine(from: number, end: number): Place {
    let start = from;
    // A block of text starts after its indentation.
    while (start < end - 1 && /\s/.test(this.#text[start] ?? '')) start += 1;
    const lineEnd = this.#text.indexOf('\n', start);
    return { offset: start, length: Math.max(1, (lineEnd >= 0 && lineEnd < end ? lineEnd : end) - start) };
  }

  #childrenOf(index: number): Map<string | number, { key: number; value: number }> {
    const known = this.#children.get(index);
    if (known) return known;
    const children = new Map<string | number, { key: number; value: number }>();
    const container = this.#events[index];
    if (container?.type === EVENT_ID.MAPPING || container?.type === EVENT_ID.SEQUENCE) {
      let at = index + 1;
      while (this.#events[at] && this.#events[at]?.type !== EVENT_ID.POP) {
        if (container.type === EVENT_ID.SEQUENCE) {
          children.set(children.size, { key: at, value: at });
          at = this.#after(at);
        } else {
          const key = this.#events[this.#resolve(at)];
          const value = this.#after(at);
          if (key?.type === EVENT_ID.SCALAR)
            children.set(getScalarValue(this.#text, key), { key: at, value });
          at = this.#after(value);
        }
      }
    }
    this.#children.set(index, children);
    return children;
  }

  #after(index: number): number {
    let depth = 0;
    let at = index;
    do {
      const type = this.#events[at]?.type;
      if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth += 1;
      if (type === EVENT_ID.POP) depth -= 1;
      at += 1;
    } while (depth > 0 && at < this.#events.length);
    return at;
  }

  /** An alias stands for the node that its anchor names. */
  #resolve(index: number): number {
    const event = this.#events[index];
    if (event?.type !== EVENT_ID.ALIAS) return index;
    if (this.#anchors.size === 0) {
      this.#events.forEach((node, position) => {
        if ('anchorStart' in node && node.anchorStart >= 0 && node.type !== EVENT_ID.ALIAS) {
          this.#anchors.set(this.#text.slice(node.anchorStart, node.anchorEnd), position);
        }
      });
    }
    return this.#anchors.get(this.#text.slice(event.anchorStart, event.anchorEnd)) ?? index;
  }
}
