import type { Diagnostic, Path, Place } from '@form-relay/schema/diagnostics';
import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from './yaml_parser.ts';

export interface Location extends Place {
  readonly isKey?: boolean;
  /** The start of the value that contains the place. */
  readonly valueOffset?: number;
}

const nowhere: Place = { offset: 0, length: 0 };

/** The events of an entry in a list or map: its value, and in a map its key. */
interface Entry {
  readonly key?: number;
  readonly value: number;
}

/** Maps paths to places in the text, using the parser's events. Indexes a list or map when the first problem in it is located. */
export class Places {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #entries = new Map<number, ReadonlyMap<string | number, Entry>>();
  readonly #aliases = new Map<number, number>();

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  /** The place of the value at a path, or of its key or a part of it, if the diagnostic is about that. */
  of({ path, aboutKey, within }: Pick<Diagnostic, 'path' | 'aboutKey' | 'within'>): Location {
    if (aboutKey) return this.#keyAt(path);
    const place = within && this.#placeWithin(path, within);
    const value = this.#valueAt(path);
    return place ? { ...place, valueOffset: value.offset } : value;
  }

  /** Whether the value at a path is written without quotes, tag or block style. */
  isPlain(path: Path): boolean {
    const event = this.#event(this.#written(path));
    return event.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN && event.tagStart < 0;
  }

  /** The place of a text, even behind an alias. */
  written(path: Path): Place {
    return this.#placeOf(this.#written(path));
  }

  comments(): readonly Place[] {
    const found: Place[] = [];
    let done = 0;
    const look = (to: number) => {
      for (const { 0: comment, index } of this.#text.slice(done, to).matchAll(/(?<![^\s])#[^\r\n]*/g))
        found.push({ offset: done + index, length: comment.length });
    };
    for (const event of this.#events) {
      if (event.type !== EVENT_ID.SCALAR || event.valueStart < done) continue;
      look(event.valueStart);
      done = event.valueEnd;
    }
    look(this.#text.length);
    return found;
  }

  /** For a missing or empty value, the place of its key or nearest parent. */
  #valueAt(path: Path): Location {
    const { key, value } = this.#find(path);
    const event = this.#event(value);
    if (event.type !== EVENT_ID.SCALAR) return this.#keyAt(path);
    if (event.valueStart >= 0) return this.#placeOf(value);
    // An empty list item has no place.
    return this.#keyAt(key === undefined ? path.slice(0, -1) : path);
  }

  #keyAt(path: Path): Location {
    const { key, value } = this.#find(path);
    return { ...this.#placeOf(key ?? value), isKey: key !== undefined };
  }

  /** `undefined` if escapes or folded lines make the part's place uncertain. */
  #placeWithin(path: Path, { of, offset, length }: NonNullable<Diagnostic['within']>): Place | undefined {
    const event = this.#event(this.#written(path));
    if (event.type !== EVENT_ID.SCALAR) return undefined;
    const lineStart = of.lastIndexOf('\n', offset - 1) + 1;
    const line = of.slice(lineStart).split('\n', 1)[0] ?? '';
    const at = this.#text.indexOf(line, event.valueStart);
    if (at < 0 || at + line.length > event.valueEnd) return undefined;
    return { offset: at + offset - lineStart, length };
  }

  #find(path: Path): Entry {
    let entry: Entry = { value: 1 };
    for (const step of path) {
      const next = this.#entriesOf(this.#resolve(entry.value)).get(step);
      if (!next) return entry;
      entry = next;
    }
    return entry;
  }

  #written(path: Path): number {
    return this.#resolve(this.#find(path).value);
  }

  #placeOf(index: number): Place {
    const event = this.#event(index);
    if (isCollection(event)) return { offset: event.start, length: 1 };
    if (event.type === EVENT_ID.ALIAS)
      return { offset: event.anchorStart, length: event.anchorEnd - event.anchorStart };
    if (event.type !== EVENT_ID.SCALAR || event.valueStart < 0) return nowhere;
    // Skip the indentation of a block text.
    const { valueStart: start, valueEnd: end } = event;
    const before = this.#text.slice(start, end - 1).search(/\S|$/);
    return { offset: start + before, length: Math.max(1, end - start - before) };
  }

  #entriesOf(index: number): ReadonlyMap<string | number, Entry> {
    const known = this.#entries.get(index);
    if (known) return known;
    const entries = new Map<string | number, Entry>();
    const container = this.#event(index);
    const isMap = container.type === EVENT_ID.MAPPING;
    let at = isCollection(container) ? index + 1 : undefined;
    while (at !== undefined && this.#event(at).type !== EVENT_ID.POP) {
      const value: number = isMap ? this.#after(at) : at;
      const key = this.#event(this.#resolve(at));
      if (!isMap) entries.set(entries.size, { value });
      else if (key.type === EVENT_ID.SCALAR) entries.set(getScalarValue(this.#text, key), { key: at, value });
      at = this.#after(value);
    }
    this.#entries.set(index, entries);
    return entries;
  }

  #after(index: number): number {
    let depth = 0;
    let at = index;
    do {
      const event = this.#event(at);
      if (isCollection(event)) depth += 1;
      if (event.type === EVENT_ID.POP) depth -= 1;
      at += 1;
    } while (depth > 0);
    return at;
  }

  /** An alias refers to the last preceding anchor with its name. */
  #resolve(index: number): number {
    if (this.#event(index).type !== EVENT_ID.ALIAS) return index;
    if (this.#aliases.size === 0) {
      const anchors = new Map<string, number>();
      this.#events.forEach((node, position) => {
        const name = anchorOf(this.#text, node);
        if (node.type === EVENT_ID.ALIAS) this.#aliases.set(position, anchors.get(name) ?? position);
        else anchors.set(name, position);
      });
    }
    return this.#aliases.get(index) ?? index;
  }

  /** A document's content starts with one event and ends with another. */
  #event(index: number): Event {
    return this.#events[index] as Event;
  }
}

const isCollection = (event: Event): event is Extract<Event, { start: number }> =>
  event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE;

/** The name of an anchor or alias; empty if there is none. */
export const anchorOf = (text: string, event: Event): string =>
  'anchorStart' in event ? text.slice(event.anchorStart, event.anchorEnd) : '';

/** Why a text cannot be read as YAML. */
export interface Misread {
  readonly code: string;
  readonly message: string;
  readonly place: Place;
}

/** The parser's rejection, not explained yet (misread.ts). */
export interface Refused {
  readonly error: unknown;
  readonly text: string;
  readonly events: readonly Event[];
}

/** By default, the place is the whole text. */
export const misread = (code: string, message: string, place = nowhere): Misread => ({
  code,
  message,
  place,
});
