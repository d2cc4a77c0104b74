import { constructFromEvents, type Event, FAILSAFE_SCHEMA, nullCoreTag, parseEvents } from 'js-yaml';
import { finding } from '../../base/config_finding.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { refuseShape } from './limits.ts';
import { type Misread, misread, type Refused } from './misread.ts';
import { Places } from './places.ts';

/** A YAML text that parses: its value, and where in the text everything stands. */
export interface Document {
  readonly value: unknown;
  readonly places: Places;
}

/** Room for 10,000 forms. The parser takes up to 100 times a text's size in memory: more would end the process. */
const mostCharacters = 16 * 1024 * 1024;

/**
 * Every scalar stays the text that its author wrote (or null): the config's own schema says what is a number or a
 * flag. So `zip: 01234` keeps its zero and `version: 1.10` its last digit, and `on`, `no` and `1` are field names.
 */
const textOnly = FAILSAFE_SCHEMA.withTags(nullCoreTag);

/** Reads YAML 1.2 text. Never throws. */
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
