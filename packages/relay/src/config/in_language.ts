import type * as v from 'valibot';
import { canonicalTag } from '../messages/languages.ts';
import type { AnySchema } from '../schema/any_schema.ts';
import { type Finding, finding, type Path } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';
import { nearest } from '../schema/suggestion.ts';

export interface InLanguage {
  readonly written: unknown;
  readonly chosen: ReadonlyMap<string, string>;
  /** Findings about languages that the form does not have. */
  readonly errors: readonly Finding[];
  /** Findings about texts that lack a language; their first one replaces it. */
  readonly warnings: readonly Finding[];
}

/**
 * Reduces a form to one language, so that all later code knows only one. Looks only at keys whose schema is
 * `perLanguage`, since an output may send something under the name `de`.
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
    // Report an empty text at its place.
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

/** Unchanged parts stay the same objects. */
function walk(schema: AnySchema, input: unknown, path: Path, choose: Choose): unknown {
  if (typeof input !== 'object') return input;
  // Check this first: a template's inner schema, which allows null, is not per language.
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

export function placeAsWritten(path: Path, { chosen }: Pick<InLanguage, 'chosen'>): Path {
  const language = chosen.get(JSON.stringify(path));
  return language === undefined ? path : [...path, language];
}
