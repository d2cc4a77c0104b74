import type * as v from 'valibot';
import type { Path } from './document.ts';
import { didYouMean, isMap, oneOf } from './keys.ts';
import type { Finding } from './problem.ts';

type AnySchema = v.GenericSchema & {
  readonly entries?: Readonly<Record<string, AnySchema>>;
  readonly item?: AnySchema;
  readonly wrapped?: AnySchema;
  readonly pipe?: readonly (AnySchema & { readonly metadata?: { readonly values?: AnySchema } })[];
  readonly getter?: (input: unknown) => AnySchema;
};

/**
 * Every key that its schema does not know (D9). A walk of its own beside valibot's, because a typo must be found even
 * where something else is wrong, and all of them at once.
 */
export function unknownKeys(schema: v.GenericSchema, input: unknown, path: Path = []): readonly Finding[] {
  const { type, entries, item, wrapped, pipe, getter } = schema as AnySchema;
  if (getter) return unknownKeys(getter(input), input, path);
  if (wrapped) return unknownKeys(wrapped, input, path);
  if (type === 'object' && entries && isMap(input)) {
    return Object.entries(input).flatMap(([key, value]) => {
      const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
      return entry
        ? unknownKeys(entry, value, [...path, key])
        : [unknownKey(key, Object.keys(entries), path)];
    });
  }
  if (item && Array.isArray(input)) {
    return input.flatMap((value, index) => unknownKeys(item, value, [...path, index]));
  }
  const values = pipe?.find((part) => part.metadata?.values)?.metadata?.values;
  if (values && isMap(input)) {
    return Object.entries(input).flatMap(([key, value]) => unknownKeys(values, value, [...path, key]));
  }
  const [first] = pipe ?? [];
  return first && first !== schema ? unknownKeys(first, input, path) : [];
}

function unknownKey(key: string, known: readonly string[], path: Path): Finding {
  const message =
    key === '<<'
      ? 'merge keys are not part of YAML 1.2; use an alias for a whole block, or write the keys out'
      : `unknown key${didYouMean(key, known) || `; expected ${oneOf(known)}`}`;
  return { path: [...path, key], message, aboutKey: true };
}
