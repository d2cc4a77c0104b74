import type * as v from 'valibot';
import { type Finding, finding } from '../config_finding.ts';
import type { Path } from '../place.ts';
import type { AnySchema } from '../schema/any_schema.ts';
import { isMap } from '../schema/kinds.ts';
import { nearest } from '../schema/suggestion.ts';

/**
 * Every key that its schema does not know (D9). This walk is separate from valibot's, so that all mistyped keys are
 * found at once, even where something else is wrong.
 */
export function unknownKeys(schema: v.GenericSchema, input: unknown): readonly Finding[] {
  const findings: Finding[] = [];
  walk(schema as AnySchema, input, [], findings);
  return findings;
}

/** The whole walk shares one `path` list: a large config has many keys, and few of them are unknown. */
function walk(schema: AnySchema, input: unknown, path: (string | number)[], findings: Finding[]): void {
  const visit = (inner: AnySchema, value: unknown, step: string | number) => {
    path.push(step);
    walk(inner, value, path, findings);
    path.pop();
  };
  // Only lists and maps hold keys.
  if (typeof input !== 'object' || input === null) return;
  const { type, entries, item, wrapped, pipe, getter } = schema;
  const inner = getter?.(input) ?? wrapped;
  if (inner) {
    walk(inner, input, path, findings);
  } else if (type === 'object' && entries && isMap(input)) {
    for (const key of Object.keys(input)) {
      const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
      if (entry) visit(entry, input[key], key);
      else findings.push(unknownKey(key, Object.keys(entries), path));
    }
  } else if (item && Array.isArray(input)) {
    for (const [index, value] of input.entries()) visit(item, value, index);
  } else {
    const values = pipe?.find((part) => part.metadata?.values)?.metadata?.values;
    if (values && isMap(input)) {
      for (const key of Object.keys(input)) visit(values, input[key], key);
    } else if (pipe?.[0] && pipe[0] !== schema) {
      walk(pipe[0], input, path, findings);
    }
  }
}

function unknownKey(key: string, known: readonly string[], around: Path): Finding {
  const path = [...around, key];
  const found =
    key === '<<'
      ? finding('merge_key', path)
      : finding('key_unknown', path, { known, near: nearest(key, known) });
  return { ...found, aboutKey: true };
}
