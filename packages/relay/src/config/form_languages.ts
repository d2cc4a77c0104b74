import { type Finding, finding } from '../base/config_finding.ts';
import type { Path } from '../base/place.ts';
import { nearest } from '../base/suggestion.ts';
import { canonicalTag, parentAmong, writtenLanguages } from '../messages/languages.ts';
import { isMap } from '../schema/kinds.ts';
import { type InLanguage, inLanguage, placeAsWritten } from './in_language.ts';
import { languageOfCountry } from './meant_language.ts';
import { formSchema } from './schema.ts';

/** A form as written, in each of its languages. */
export interface WrittenForm {
  readonly languages: readonly string[];
  readonly first: InLanguage;
  /** By language; empty for a form of one. */
  readonly others: ReadonlyMap<string, InLanguage>;
}

/** `undefined` where no language is named: nothing is to be chosen, and English is spoken. */
export function inItsLanguages(form: unknown, config: unknown): WrittenForm | undefined {
  const languages = namedLanguages(form, config);
  if (languages === undefined) return undefined;
  const [first = '', ...others] = languages;
  const read = (tag: string) => inLanguage(formSchema, form, tag, languages);
  return { languages, first: read(first), others: new Map(others.map((tag) => [tag, read(tag)])) };
}

/** Those that name languages, or for which the top of the config does. */
export function formsInLanguages(config: unknown): ReadonlyMap<string, WrittenForm> {
  const written = new Map<string, WrittenForm>();
  for (const [id, form] of Object.entries(rawForms(config))) {
    const inLanguages = inItsLanguages(form, config);
    if (inLanguages) written.set(id, inLanguages);
  }
  return written;
}

/** A form's own, else those at the top of the config. They are read as written, since what follows depends on them. */
export const namedLanguages = (form: unknown, config: unknown): readonly string[] | undefined =>
  tagsIn(form) ?? tagsIn(config);

/** A language, and where it is named. */
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
  // Most forms name none, and a config may have thousands.
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

/** Languages that nobody has texts for, and a `language` that is none of the `languages` beside it. */
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

/** Texts by language in a form that names none. */
export function orTextsByLanguage(one: Finding): Finding {
  const { found } = one.params as { readonly found?: unknown };
  const [, , part, key] = one.path;
  const isForNobody = part === 'outputs' || ['to', 'from', 'reply_to', 'through'].includes(String(key));
  if (one.code !== 'not_text' || !isMap(found) || isForNobody) return one;
  const keys = Object.keys(found);
  const areTags = keys.length > 0 && keys.every((key) => canonicalTag(key) !== undefined);
  return areTags ? finding('texts_without_languages', one.path, { languages: keys }) : one;
}

/** Languages that the owner brings: as a file, or as texts in the config. */
function ownLanguages(written: unknown): readonly string[] {
  if (!isMap(written)) return [];
  const { language_files: files, messages } = written;
  const keys = [files, messages].flatMap((map) => (isMap(map) ? Object.keys(map) : []));
  return keys.flatMap((key) => canonicalTag(key) ?? []);
}

/** Findings about a form, as findings about its config. */
export const inForm = (id: string, findings: readonly Finding[]): readonly Finding[] =>
  findings.map((one) => ({ ...one, path: ['forms', id, ...one.path] }));

export const rawForms = (config: unknown): Readonly<Record<string, unknown>> =>
  isMap(config) && isMap(config.forms) ? config.forms : {};

/** The config as its schema knows it: in one language. */
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
