import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml';
import type { Finding, Within } from '../../base/config_finding.ts';
import type { Path, Place } from '../../base/place.ts';
import { anchorOf } from './anchor.ts';

export interface Location extends Place {
  /** It is a key that stands here, not a value. */
  readonly isKey?: boolean;
  /** Where the value starts, when the place is inside it. */
  readonly valueOffset?: number;
}

/** The way back from a path to its place in the text, by the parser's events. Each container is walked once, when a problem first points into it. */
export class Places {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #children = new Map<number, Map<string | number, { key: number; value: number }>>();
  readonly #aliases = new Map<number, number>();

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  /** Where the value at a path stands, or the key or the stretch of the value that the finding is about. */
  of({ path, aboutKey, within }: Pick<Finding, 'path' | 'aboutKey' | 'within'>): Location {
    if (aboutKey) return this.#keyAt(path);
    const place = within && this.#placeWithin(path, within);
    const value = this.#valueAt(path);
    return place ? { ...place, valueOffset: value.offset } : value;
  }

  /** Whether the value at a path, or the key, stands without quotes and a tag, and in no block of text. */
  isPlain({ path, aboutKey }: Pick<Finding, 'path' | 'aboutKey'>): boolean {
    const { key, value } = this.#find(path);
    const event = this.#event(this.#resolve(aboutKey ? (key ?? value) : value));
    return event.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN && event.tagStart < 0;
  }

  /** Where the value is missing or empty, it is its key, or the nearest thing around it. */
  #valueAt(path: Path): Location {
    const { key, value } = this.#find(path);
    const event = this.#event(value);
    if (event.type !== EVENT_ID.SCALAR) return this.#keyAt(path);
    if (event.valueStart >= 0) return this.#placeOf(value);
    // An empty item of a list stands nowhere.
    return this.#keyAt(key === undefined ? path.slice(0, -1) : path);
  }

  #keyAt(path: Path): Location {
    const { key, value } = this.#find(path);
    return { ...this.#placeOf(key ?? value), isKey: key !== undefined };
  }

  /** `undefined` where escapes or folded lines hide the stretch. */
  #placeWithin(path: Path, { of, offset, length }: Within): Place | undefined {
    const event = this.#event(this.#resolve(this.#find(path).value));
    if (event.type !== EVENT_ID.SCALAR) return undefined;
    const lineStart = of.lastIndexOf('\n', offset - 1) + 1;
    const line = of.slice(lineStart).split('\n', 1)[0] ?? '';
    const at = this.#text.indexOf(line, event.valueStart);
    if (at < 0 || at + line.length > event.valueEnd) return undefined;
    const column = offset - lineStart;
    return { offset: at + column, length };
  }

  /** The events of the last step that is there. */
  #find(path: Path): { key: number | undefined; value: number } {
    let at: { key: number | undefined; value: number } = { key: undefined, value: 1 };
    for (const segment of path) {
      const next = this.#childrenOf(this.#resolve(at.value)).get(segment);
      if (!next) return at;
      at = { key: next.key === next.value ? undefined : next.key, value: next.value };
    }
    return at;
  }

  #placeOf(index: number): Place {
    const event = this.#event(index);
    if (event.type === EVENT_ID.SCALAR && event.valueStart >= 0)
      return this.#shown(event.valueStart, event.valueEnd);
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE)
      return { offset: event.start, length: 1 };
    if (event.type === EVENT_ID.ALIAS)
      return { offset: event.anchorStart, length: event.anchorEnd - event.anchorStart };
    return { offset: 0, length: 0 };
  }

  /** A block of text starts after its indentation. */
  #shown(from: number, end: number): Place {
    const before = this.#text.slice(from, end - 1).search(/\S|$/);
    return { offset: from + before, length: Math.max(1, end - from - before) };
  }

  #childrenOf(index: number): Map<string | number, { key: number; value: number }> {
    const known = this.#children.get(index);
    if (known) return known;
    const children = new Map<string | number, { key: number; value: number }>();
    const container = this.#event(index);
    if (container.type === EVENT_ID.MAPPING || container.type === EVENT_ID.SEQUENCE) {
      let at = index + 1;
      while (this.#event(at).type !== EVENT_ID.POP) {
        if (container.type === EVENT_ID.SEQUENCE) {
          children.set(children.size, { key: at, value: at });
          at = this.#after(at);
        } else {
          const key = this.#event(this.#resolve(at));
          const value = this.#after(at);
          if (key.type === EVENT_ID.SCALAR) children.set(getScalarValue(this.#text, key), { key: at, value });
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
      const { type } = this.#event(at);
      if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth += 1;
      if (type === EVENT_ID.POP) depth -= 1;
      at += 1;
    } while (depth > 0);
    return at;
  }

  /** An alias stands for the node that its anchor names: the last one before it, should several have the name. */
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

  /** What a document has begins in one event, and ends in another. */
  #event(index: number): Event {
    return this.#events[index] as Event;
  }
}
