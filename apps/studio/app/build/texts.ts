/** Texts for visitors, which may be maps by language (docs/languages.md). Pure functions. */
import { type Action, isMap, type Json, mapOf, type Path, valueAt } from '../../edit/model.ts';

/** Normalizes a language tag as the relay does; `undefined` if it is malformed. */
function canonical(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** A language's key in a map by language, in its original spelling. */
const keyFor = (texts: { readonly [key: string]: Json }, language: string): string | undefined =>
  Object.keys(texts).find((key) => canonical(key) === canonical(language));

const plain = (value: Json | undefined): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** The text in exactly this language; `undefined` if it is missing. Plain text applies to every language. */
export function textIn(value: Json | undefined, language: string): string | undefined {
  if (!isMap(value)) return plain(value);
  const key = keyFor(value, language);
  return key === undefined ? undefined : plain(value[key]);
}

/** The text that visitors read: falls back to the first language (docs/languages.md). */
export const textShown = (value: Json | undefined, language: string): string | undefined =>
  textIn(value, language) ?? (isMap(value) ? plain(Object.values(value)[0]) : undefined);

/**
 * Empty text removes the key. Plain text stays plain unless `languages` are given; then it becomes the text
 * of all other languages.
 */
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

/** The form's languages, else those at the top level. */
export function languagesOf(config: Json | undefined, id: string): readonly string[] {
  const [form, top] = [mapOf(valueAt(config, ['forms', id])), mapOf(config)];
  const listed = form.languages ?? (form.language === undefined ? top.languages : undefined);
  return Array.isArray(listed) ? listed.map(String) : [plain(form.language) ?? plain(top.language) ?? 'en'];
}

/** A language's English name. */
export function nameOfLanguage(tag: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
