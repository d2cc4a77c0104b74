import { err, ok, type Result } from '@form-relay/base/result';
import type { Path } from '@form-relay/schema/diagnostics';
import { anchorOf, type Misread, misread, Places, type Refused } from './places.ts';
import {
  type AliasEvent,
  constructFromEvents,
  EVENT_ID,
  type Event,
  FAILSAFE_SCHEMA,
  nullCoreTag,
  parseEvents,
} from './yaml_parser.ts';

export interface Document {
  readonly value: unknown;
  readonly places: Places;
}

/** Enough for 10,000 forms. Parsing takes up to 100 times the text's size in memory, so a larger limit could crash the process. */
const mostCharacters = 16 * 1024 * 1024;

/**
 * Keeps every scalar as text (or null), because the config's schema decides which are numbers or booleans. So
 * `zip: 01234` keeps its zero, `version: 1.10` its last digit, and `on`, `no` and `1` are field names.
 */
const textOnly = FAILSAFE_SCHEMA.withTags(nullCoreTag);

/** Parses YAML 1.2. Never throws. */
export function readDocument(text: string): Result<Document, Misread | Refused> {
  if (text.length > mostCharacters) return err(misread('config_too_large', 'the config is over 16 MB'));
  let events: Event[] = [];
  try {
    events = parseEvents(text, { maxDepth: 50 });
    const refused = refuseShape(text, events);
    if (refused) return err(refused);
    const [value] = constructFromEvents(events, { source: text, schema: textOnly });
    return ok({ value, places: new Places(text, events) });
  } catch (error) {
    return err({ error, text, events });
  }
}

export interface TextAt {
  readonly path: Path;
  readonly value: string;
}

/** The texts and empty values in a document. */
export function leavesIn(value: unknown, path: Path = []): readonly (TextAt | { path: Path; value: null })[] {
  if (typeof value === 'string' || value === null) return [{ path, value } as TextAt];
  if (Array.isArray(value)) return value.flatMap((one, index) => leavesIn(one, [...path, index]));
  return Object.entries(value ?? {}).flatMap(([key, one]) => leavesIn(one, [...path, key]));
}

export const textsIn = (value: unknown): readonly TextAt[] =>
  leavesIn(value).filter((one) => one.value !== null);

/** Aliases may expand a document to ten times its size plus this many nodes: generous, but no bomb. */
const aliasAllowance = 100_000;

/** Rejects documents that the parser accepts: empty ones, several documents, or exploding aliases. */
function refuseShape(text: string, events: readonly Event[]): Misread | undefined {
  const documents = events.filter((event) => event.type === EVENT_ID.DOCUMENT);
  if (documents.length === 0)
    return misread('config_empty', 'the config is empty; it needs at least `forms:`');
  if (documents.length === 1) return refuseAliases(text, events);
  const marks = [...text.matchAll(/^(---|\.\.\.)(?!\S)/gm)];
  const { index: offset = 0 } = marks[documents[0]?.explicitStart ? 1 : 0] ?? {};
  const place = { offset, length: 3 };
  return misread('yaml_second_document', 'found a second YAML document; remove one', place);
}

const placeOfAlias = ({ anchorStart, anchorEnd }: AliasEvent) => ({
  offset: anchorStart,
  length: anchorEnd - anchorStart,
});

function refuseAliases(text: string, events: readonly Event[]): Misread | undefined {
  const first = events.find((event) => event.type === EVENT_ID.ALIAS);
  if (!first) return undefined;
  const sizes = new Map<string, number>();
  const open: { anchor: string; before: number }[] = [];
  let nodes = 0;
  for (const event of events) {
    const anchor = anchorOf(text, event);
    if (event.type === EVENT_ID.POP) {
      const node = open.pop();
      if (node) sizes.set(node.anchor, nodes - node.before);
    } else if (event.type === EVENT_ID.ALIAS) {
      if (open.some((node) => node.anchor === anchor))
        return misread(
          'yaml_alias_endless',
          'this alias refers to an anchor that contains it, so it would never end',
          placeOfAlias(event),
        );
      nodes += sizes.get(anchor) ?? 1;
    } else {
      if (event.type !== EVENT_ID.SCALAR) open.push({ anchor, before: nodes });
      nodes += 1;
    }
  }
  if (nodes <= 10 * events.length + aliasAllowance) return undefined;
  return misread(
    'yaml_aliases_too_large',
    `the aliases expand to ${nodes} nodes; write out the shared part, or use fewer`,
    placeOfAlias(first),
  );
}

export interface FilesNamed {
  readonly lists: ReadonlySet<string>;
  readonly models: ReadonlySet<string>;
  readonly fonts: ReadonlySet<string>;
  /** Images and fonts of pages. */
  readonly looks: ReadonlySet<string>;
  /** Packages and modules. */
  readonly plugins: ReadonlySet<string>;
}

/** The files that a config names, relative to the config, even if it has mistakes. Empty if the text is not YAML. */
export function filesNamedIn(text: string): FilesNamed {
  const read = readDocument(text);
  const texts = read.ok ? textsIn(read.value.value) : [];
  const at = (isOne: (path: Path) => boolean) =>
    new Set(texts.filter(({ path }) => isOne(path)).map(({ value }) => value));
  return {
    lists: at((path) => isOfSignal(path) && path.at(-1) !== 'model'),
    models: at((path) => isOfSignal(path) && path.at(-1) === 'model'),
    fonts: at(([top, key]) => top === 'pdf' && key === 'fonts'),
    looks: at(isOfLook),
    plugins: at(([top]) => top === 'plugins'),
  };
}

const isOfLook = (path: Path) => {
  const [look, key] = path[0] === 'forms' ? path.slice(2) : path;
  return look === 'look' && ['logo', 'cover', 'icon', 'font_file'].includes(String(key));
};

const isOfSignal = (path: Path) => {
  const [spam, signals, , key, more] = path[0] === 'forms' ? path.slice(2) : path;
  return spam === 'spam' && signals === 'signals' && key !== undefined && more === undefined;
};
