import type * as v from 'valibot';
import type { AnySchema } from '../schema/any_schema.ts';
import type { Path } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';

/** A key that its schema does not know. */
export interface StrayKey {
  readonly key: string;
  readonly known: readonly string[];
  readonly map: Readonly<Record<string, unknown>>;
  readonly around: Path;
}

/**
 * Every key that its schema does not know. This walk is separate from valibot's, so that all mistyped keys are
 * found at once, even where something else is wrong.
 */
export function strayKeys(schema: v.GenericSchema, input: unknown): readonly StrayKey[] {
  const found: StrayKey[] = [];
  walk(schema as AnySchema, input, [], (key, known, map, around) => {
    found.push({ key, known, map, around: [...around] });
  });
  return found;
}

type Tell = (key: string, known: readonly string[], map: StrayKey['map'], around: Path) => void;

/** The whole walk shares one `path` list: a large config has many keys, and few of them are unknown. */
function walk(schema: AnySchema, input: unknown, path: (string | number)[], tell: Tell): void {
  const visit = (inner: AnySchema, value: unknown, step: string | number) => {
    path.push(step);
    walk(inner, value, path, tell);
    path.pop();
  };
  // Only lists and maps hold keys.
  if (typeof input !== 'object' || input === null) return;
  const { type, entries, item, wrapped, pipe, getter } = schema;
  const inner = getter?.(input) ?? wrapped;
  if (inner) {
    walk(inner, input, path, tell);
  } else if (type === 'object' && entries && isMap(input)) {
    for (const key of Object.keys(input)) {
      const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
      if (entry) visit(entry, input[key], key);
      else tell(key, Object.keys(entries), input, path);
    }
  } else if (item && Array.isArray(input)) {
    for (const [index, value] of input.entries()) visit(item, value, index);
  } else {
    const values = pipe?.find((part) => part.metadata?.values)?.metadata?.values;
    if (values && isMap(input)) {
      for (const key of Object.keys(input)) visit(values, input[key], key);
    } else if (pipe?.[0]) {
      walk(pipe[0], input, path, tell);
    }
  }
}
