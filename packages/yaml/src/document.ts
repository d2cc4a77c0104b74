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

/**
 * Enough for 10,000 forms. The parser needs up to 100 times the size of a text in memory; more would crash the process.
 */
const mostCharacters = 16 * 1024 * 1024;

/**
 * Keeps every scalar as its text (or null); the config's schema decides which are numbers or flags. So `zip: 01234`
 * keeps its zero, `version: 1.10` its last digit, and `on`, `no` and `1` are field names.
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

/** The texts in a document's value, and what is empty. */
export function leavesIn(value: unknown, path: Path = []): readonly (TextAt | { path: Path; value: null })[] {
  if (typeof value === 'string' || value === null) return [{ path, value } as TextAt];
  if (Array.isArray(value)) return value.flatMap((one, index) => leavesIn(one, [...path, index]));
  return Object.entries(value ?? {}).flatMap(([key, one]) => leavesIn(one, [...path, key]));
}

export const textsIn = (value: unknown): readonly TextAt[] =>
  leavesIn(value).filter((one) => one.value !== null);

/** Aliases may expand a document to this many nodes beyond ten times its size: generous, but no bomb. */
const aliasAllowance = 100_000;

/** Rejects documents that the parser accepts: empty ones, several, or exploding aliases. */
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
          'this alias is inside its own anchor, which would never end',
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
