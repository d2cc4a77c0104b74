/** Texts for visitors, which may be maps by language (docs/languages.md). Pure. */
import type { Action, Json, Path } from '../../edit/model.ts';
import { isMap, valueAt } from '../schema_nodes.ts';

/** As the relay compares tags; `undefined` for what is none. */
export function canonical(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** The key of a language in a map by language, as it is written there. */
export const keyFor = (texts: { readonly [key: string]: Json }, language: string): string | undefined =>
  Object.keys(texts).find((key) => canonical(key) === canonical(language));

const plain = (value: Json | undefined): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** The text of this language only; `undefined` where it is missing. Plain text is that of every language. */
export function textIn(value: Json | undefined, language: string): string | undefined {
  if (!isMap(value)) return plain(value);
  const key = keyFor(value, language);
  return key === undefined ? undefined : plain(value[key]);
}

/** The text that visitors read: where their language is missing, the first one (docs/languages.md). */
export const textShown = (value: Json | undefined, language: string): string | undefined =>
  textIn(value, language) ?? (isMap(value) ? plain(Object.values(value)[0]) : undefined);

/** Empty text is removed. Plain text stays plain, unless `languages` are given: it is that of all others then. */
export function writeText(
  path: Path,
  value: Json | undefined,
  language: string,
  typed: string,
  languages?: readonly string[],
): Action {
  if (!isMap(value)) {
    const written = plain(value);
    const [first = language] = languages ?? [];
    if (languages === undefined || languages.length < 2 || written === undefined || language === first) {
      return typed === '' ? { do: 'remove', path } : { do: 'set', path, value: typed };
    }
    return { do: 'set', path, value: { [first]: written, [language]: typed } };
  }
  const key = keyFor(value, language) ?? language;
  if (typed !== '') return { do: 'set', path: [...path, key], value: typed };
  return Object.keys(value).length > 1 || value[key] === undefined
    ? { do: 'remove', path: [...path, key] }
    : { do: 'remove', path };
}

/** The languages of a form: its own, or those of the top. */
export function languagesOf(config: Json | undefined, id: string): readonly string[] {
  const own = valueAt(['forms', id], config);
  const [form, top] = [isMap(own) ? own : {}, isMap(config) ? config : {}];
  const listed = form.languages ?? (form.language === undefined ? top.languages : undefined);
  return Array.isArray(listed) ? listed.map(String) : [plain(form.language) ?? plain(top.language) ?? 'en'];
}

/** A language's name in English. */
export function nameOfLanguage(tag: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
