/** Texts for visitors, which may be maps by language (docs/languages.md). Pure. */
import type { Action, Json, Path } from '../../edit/index.ts';
import { isMap } from '../schema_nodes.ts';

/** With their names, and help. */
export const textsOfForm = [
  ['title', 'Title', ''],
  ['submit_label', 'Words on the button', 'Without them: Send, in the language of the form.'],
  ['confirmation', 'After it was sent', 'What visitors read then. [words](https://…) becomes a link.'],
  ['redirect', 'Go on to', 'The address of your own thank-you page.'],
  ['failure_message', 'When sending failed', 'Such as whom to call. It stands beside the relay’s own words.'],
  ['closed_text', 'After it closed', 'Such as where to turn. It needs a time at which the form closes.'],
  ['full_text', 'Once it is full', 'Such as where to turn. It needs places.'],
] as const;

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

/** The text of one language alone; `undefined` where it is missing. Plain text is that of every language. */
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

/** Where the languages of a form are named: in the form, at the top, or nowhere. */
export function languagesOf(
  config: Json | undefined,
  id: string,
): { readonly tags: readonly string[]; readonly path: Path } {
  const top = isMap(config) ? config : {};
  const form = isMap(top.forms) ? top.forms[id] : undefined;
  const own = isMap(form) ? form : {};
  const list = (value: Json | undefined) => (Array.isArray(value) ? value.map(String) : []);
  if (Array.isArray(own.languages)) return { tags: list(own.languages), path: ['forms', id, 'languages'] };
  if (Array.isArray(top.languages) && own.language === undefined)
    return { tags: list(top.languages), path: ['languages'] };
  return { tags: [plain(own.language) ?? plain(top.language) ?? 'en'], path: ['forms', id, 'languages'] };
}

/** A language's name in English. */
export function nameOfLanguage(tag: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
