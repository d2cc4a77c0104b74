/** Keys of maps in the config, each with its documentation. */
import * as v from 'valibot';
import type { Late } from '../base/late.ts';
import type { Schema } from './any_schema.ts';
import { wrong } from './issue.ts';

/** A required key. `doc` is a sentence or two for docs/reference.md and editors. */
export const required = <T>(doc: string, schema: Schema<T>): Schema<T> => noting(schema, v.description(doc));

/** Text for visitors, which may be a map by language (config/in_language.ts). */
export const perLanguage = <T>(schema: Schema<T>): Schema<T> =>
  noting(schema, v.metadata({ perLanguage: true }));

function noting<T>(schema: Schema<T>, note: v.PipeItem<unknown, unknown, never>): Schema<T> {
  // Extends the schema's own pipe: a nested pipe would cost a call per key and form.
  const [first, ...steps] = (schema as Partial<Piped>).pipe ?? [schema];
  return v.pipe(first as v.GenericSchema, ...steps, note) as Schema<T>;
}

interface Piped {
  readonly pipe: readonly [v.GenericSchema, ...v.PipeItem<unknown, unknown, v.BaseIssue<unknown>>[]];
}

export const optional = <T>(doc: string, schema: Schema<T>) => v.optional(required(doc, schema));

/** An optional block of keys; null, as in `spam:`, counts as absent. */
export function optionalBlock<T>(doc: string, schema: Schema<T>) {
  const block = optional(doc, schema);
  const checked: typeof block & { readonly takesNothing: true } = {
    ...block,
    takesNothing: true,
    '~run': ({ value }, config) => block['~run']({ value: value === null ? undefined : value }, config),
  };
  return checked;
}

/** `fallback` is written as in the config. It is parsed only once, because most keys of a large config are absent. */
export function withDefault<T>(fallback: string, doc: string, schema: Schema<T>) {
  const inner = required(doc, schema);
  const key = v.optional(inner, fallback);
  let parsed: { readonly value: T } | undefined;
  const checked: typeof key = {
    ...key,
    '~run': (dataset, config) => {
      if (dataset.value !== fallback) return key['~run'](dataset, config);
      parsed ??= { value: v.parse(inner, fallback) };
      return { typed: true, value: parsed.value };
    },
  };
  return checked;
}

/** A key that replaces one of the relay's texts. `english`: that text, for the docs. */
export const withWords = (english: string, doc: string, schema: Schema<string>) =>
  Object.assign(optional(doc, schema), { english });

/** A map with these keys; `strayKeys` finds all others. `example` is shown if the value is no map. */
export function section<E extends v.ObjectEntries>(entries: E, example?: string) {
  const schema = v.object(entries, missingOrNoMap(example));
  const checked: typeof schema = {
    ...schema,
    '~run': (dataset, config) => {
      if (!Array.isArray(dataset.value)) return schema['~run'](dataset, config);
      // valibot treats a list as a map without keys.
      v._addIssue(schema, 'type', dataset, config);
      return dataset as unknown as ReturnType<(typeof schema)['~run']>;
    },
  };
  return checked;
}

/** valibot reports a missing key as an issue of the map. */
export const missingOrNoMap =
  (example?: string) =>
  (issue: v.BaseIssue<unknown>): string => {
    const [missing] = issue.path ?? [];
    return missing
      ? wrong('key_missing', { key: String(missing.key) })(issue)
      : wrong('not_a_map', { example })(issue);
  };

/** A schema in code that loads when a config names it. It takes nothing until then. */
export const lateSchema = <M, T>(part: Late<M>, schemaIn: (loaded: M) => Schema<T>): Schema<T> =>
  Object.assign(
    v.lazy(() => (part.value === undefined ? (v.never() as unknown as Schema<T>) : schemaIn(part.value))),
    { isLate: true },
  );
