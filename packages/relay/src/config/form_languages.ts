import { canonicalTag, parentAmong, writtenLanguages } from '../messages/languages.ts';
import { type Finding, finding, type Path } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';
import { nearest } from '../schema/suggestion.ts';
import { type InLanguage, inLanguage, placeAsWritten } from './in_language.ts';
import { languageOfCountry } from './language_keys.ts';
import { formSchema } from './schema.ts';

export interface WrittenForm {
  readonly languages: readonly string[];
  readonly first: InLanguage;
  /** By language; empty for a form in one language. */
  readonly others: ReadonlyMap<string, InLanguage>;
}

/** `undefined` if no language is named: the form is in English, without a choice. */
function inItsLanguages(form: unknown, config: unknown): WrittenForm | undefined {
  const languages = namedLanguages(form, config);
  if (languages === undefined) return undefined;
  const [first = '', ...others] = languages;
  const read = (tag: string) => inLanguage(formSchema, form, tag, languages);
  return { languages, first: read(first), others: new Map(others.map((tag) => [tag, read(tag)])) };
}

export function formsInLanguages(config: unknown): ReadonlyMap<string, WrittenForm> {
  const written = new Map<string, WrittenForm>();
  for (const [id, form] of Object.entries(rawForms(config))) {
    const inLanguages = inItsLanguages(form, config);
    if (inLanguages) written.set(id, inLanguages);
  }
  return written;
}

/**
 * A form's languages, or those at the top of the config. Read from the written config, because parsing depends on them.
 */
export const namedLanguages = (form: unknown, config: unknown): readonly string[] | undefined =>
  tagsIn(form) ?? tagsIn(config);

/** A language and where it is named. */
interface Placed {
  readonly tag: string;
  readonly path: Path;
}

function tagsIn(written: unknown): readonly string[] | undefined {
  const named = placedTags(written);
  return named.length > 0 ? [...new Set(named.map(({ tag }) => tag))] : undefined;
}

const nowhere: readonly Placed[] = [];

function placedTags(written: unknown): readonly Placed[] {
  if (!isMap(written)) return nowhere;
  const { language, languages } = written;
  // A fast path: most forms name none, and a config may have thousands.
  if (language === undefined && languages === undefined) return nowhere;
  const several = Array.isArray(languages) ? languages : [];
  return [
    { text: language, path: ['language'] },
    ...several.map((text: unknown, index) => ({ text, path: ['languages', index] })),
  ].flatMap(({ text, path }) => {
    const tag = typeof text === 'string' ? canonicalTag(text) : undefined;
    return tag === undefined ? [] : [{ tag, path }];
  });
}

/** Finds languages without texts, and a `language` missing from the `languages` beside it. */
export function languageProblems(written: unknown, config: unknown): readonly Finding[] {
  const named = placedTags(written);
  const [first, ...others] = named;
  if (!first) return [];
  const known = [...writtenLanguages, ...ownLanguages(config), ...ownLanguages(written)];
  const unspoken = named
    .filter(({ tag }) => parentAmong(tag, known) === undefined)
    .map(({ tag, path }) =>
      finding('language_without_texts', path, {
        tag,
        known: writtenLanguages,
        near: languageOfCountry(tag) ?? nearest(tag, known),
      }),
    );
  const isBeside = first.path.length === 1 && others.length > 0;
  return isBeside && others.every(({ tag }) => tag !== first.tag)
    ? [...unspoken, finding('language_not_among', first.path, { languages: others.map(({ tag }) => tag) })]
    : unspoken;
}

export function orTextsByLanguage(one: Finding): Finding {
  const { found } = one.params as { readonly found?: unknown };
  const [, , part, key] = one.path;
  const isForNobody = part === 'outputs' || ['to', 'from', 'reply_to', 'through'].includes(String(key));
  if (one.code !== 'not_text' || !isMap(found) || isForNobody) return one;
  const keys = Object.keys(found);
  const areTags = keys.length > 0 && keys.every((key) => canonicalTag(key) !== undefined);
  return areTags ? finding('texts_without_languages', one.path, { languages: keys }) : one;
}

/** Languages with texts of the owner's own, in files or in the config. */
function ownLanguages(written: unknown): readonly string[] {
  if (!isMap(written)) return [];
  const { language_files: files, messages } = written;
  const keys = [files, messages].flatMap((map) => (isMap(map) ? Object.keys(map) : []));
  return keys.flatMap((key) => canonicalTag(key) ?? []);
}

/** Turns findings about a form into findings about its config. */
export const inForm = (id: string, findings: readonly Finding[]): readonly Finding[] =>
  findings.map((one) => ({ ...one, path: ['forms', id, ...one.path] }));

export const rawForms = (config: unknown): Readonly<Record<string, unknown>> =>
  isMap(config) && isMap(config.forms) ? config.forms : {};

export function inFirstLanguages(config: unknown, written: ReadonlyMap<string, WrittenForm>): unknown {
  if (written.size === 0 || !isMap(config)) return config;
  const forms = Object.entries(rawForms(config)).map(([id, form]) => {
    const inLanguages = written.get(id);
    return [id, inLanguages ? inLanguages.first.written : form];
  });
  return { ...config, forms: Object.fromEntries(forms) };
}

export const at = (found: Finding, path: Path): Finding => ({ ...found, path });

export function asWritten(found: Finding, written: ReadonlyMap<string, WrittenForm>): Finding {
  const [top, id = '', ...path] = found.path;
  const form = top === 'forms' ? written.get(String(id)) : undefined;
  return form ? at(found, ['forms', id, ...placeAsWritten(path, form.first)]) : found;
}
