import type * as v from 'valibot';
import { type Finding, finding } from '../base/config_finding.ts';
import type { Path } from '../base/place.ts';
import { nearest } from '../base/suggestion.ts';
import { canonicalTag } from '../messages/languages.ts';
import type { AnySchema } from '../schema/any_schema.ts';
import { isMap } from '../schema/kinds.ts';

/** A form as written, in one of its languages: each text that is a map by language is the one in that language. */
export interface InLanguage {
  readonly written: unknown;
  /** The language chosen at each such place, by the place. */
  readonly chosen: ReadonlyMap<string, string>;
  /** Languages that the form does not have. */
  readonly errors: readonly Finding[];
  /** Languages that a text lacks. The first one that it has stands in for them. */
  readonly warnings: readonly Finding[];
}

/**
 * All that comes after this knows one language. Only keys whose schema is `perLanguage` are looked at, so that an
 * output may well send something under the name `de`.
 */
export function inLanguage(
  schema: v.GenericSchema,
  form: unknown,
  language: string,
  languages: readonly string[],
): InLanguage {
  const chosen = new Map<string, string>();
  const errors: Finding[] = [];
  const warnings: Finding[] = [];
  const choose = (texts: Readonly<Record<string, unknown>>, path: Path): unknown => {
    const keyOf = new Map(Object.keys(texts).map((key) => [canonicalTag(key), key]));
    for (const [tag, key] of keyOf) {
      if (tag !== undefined && languages.includes(tag)) continue;
      const near = nearest(key, languages);
      errors.push({
        ...finding('language_not_of_form', [...path, key], { languages, near }),
        aboutKey: true,
      });
    }
    const there = languages.filter((tag) => !isNothing(texts[keyOf.get(tag) ?? '']));
    const missing = languages.filter((tag) => !there.includes(tag));
    // Nothing in one of its languages is told where that stands.
    const [first = languages.find((tag) => keyOf.has(tag))] = there;
    if (first === undefined) return texts;
    if (there.length > 0 && missing.length > 0)
      warnings.push(finding('translation_missing', path, { missing, instead: first }));
    const key = keyOf.get(there.includes(language) ? language : first) ?? '';
    chosen.set(JSON.stringify(path), key);
    return texts[key];
  };
  const written = walk(schema as AnySchema, form, [], choose);
  return { written, chosen, errors, warnings };
}

const isNothing = (value: unknown) => value === undefined || value === null;

type Choose = (texts: Readonly<Record<string, unknown>>, path: Path) => unknown;

/** What nobody changes stays the same object. */
function walk(schema: AnySchema, input: unknown, path: Path, choose: Choose): unknown {
  if (typeof input !== 'object') return input;
  // First: a template may be nothing, and so has a schema inside that knows no languages.
  if (schema.pipe?.some(({ metadata }) => metadata?.perLanguage)) {
    return isMap(input) ? choose(input, path) : input;
  }
  const inner = schema.getter?.(input) ?? schema.wrapped;
  if (inner) return walk(inner, input, path, choose);
  const { entries, item, pipe } = schema;
  if (entries && isMap(input)) {
    return changed(input, Object.keys(input), (key) => {
      const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
      return entry ? walk(entry, input[key], [...path, key], choose) : input[key];
    });
  }
  if (item && Array.isArray(input)) {
    const items = input.map((one, index) => walk(item, one, [...path, index], choose));
    return items.some((one, index) => one !== input[index]) ? items : input;
  }
  return pipe?.[0] ? walk(pipe[0], input, path, choose) : input;
}

function changed(
  map: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  make: (key: string) => unknown,
): Readonly<Record<string, unknown>> {
  const made = keys.map((key) => [key, make(key)] as const);
  return made.some(([key, value]) => value !== map[key]) ? Object.fromEntries(made) : map;
}

/** Where something stands in the config, from where it stands in one language. */
export function placeAsWritten(path: Path, { chosen }: Pick<InLanguage, 'chosen'>): Path {
  const language = chosen.get(JSON.stringify(path));
  return language === undefined ? path : [...path, language];
}
