import { constructFromEvents, type Event, FAILSAFE_SCHEMA, nullCoreTag, parseEvents } from 'js-yaml';
import { err, ok, type Result } from '../../base/result.ts';
import { finding } from '../../schema/finding.ts';
import { refuseShape } from './limits.ts';
import { type Misread, misread, Places, type Refused } from './places.ts';

/** A parsed YAML text: its value and the places of everything in it. */
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
  if (text.length > mostCharacters) return err(misread(finding('config_too_large', [])));
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
