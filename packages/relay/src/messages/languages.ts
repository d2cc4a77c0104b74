/** The relay's own languages, and the matching of language tags (BCP 47). */
import { en, type Texts } from './message.ts';

/** Loaded when a config names the language. */
const written: Readonly<Record<string, () => Promise<{ readonly default: Texts }>>> = {
  ar: () => import('./ar.json', { with: { type: 'json' } }),
  cs: () => import('./cs.json', { with: { type: 'json' } }),
  da: () => import('./da.json', { with: { type: 'json' } }),
  de: () => import('./de.json', { with: { type: 'json' } }),
  en: async () => ({ default: en }),
  es: () => import('./es.json', { with: { type: 'json' } }),
  fi: () => import('./fi.json', { with: { type: 'json' } }),
  fr: () => import('./fr.json', { with: { type: 'json' } }),
  he: () => import('./he.json', { with: { type: 'json' } }),
  it: () => import('./it.json', { with: { type: 'json' } }),
  ja: () => import('./ja.json', { with: { type: 'json' } }),
  ko: () => import('./ko.json', { with: { type: 'json' } }),
  nl: () => import('./nl.json', { with: { type: 'json' } }),
  pl: () => import('./pl.json', { with: { type: 'json' } }),
  pt: () => import('./pt.json', { with: { type: 'json' } }),
  sv: () => import('./sv.json', { with: { type: 'json' } }),
  tr: () => import('./tr.json', { with: { type: 'json' } }),
  uk: () => import('./uk.json', { with: { type: 'json' } }),
  zh: () => import('./zh.json', { with: { type: 'json' } }),
};

export const writtenLanguages: readonly string[] = Object.keys(written);

export const loadTexts = async (tag: string): Promise<Texts> => (await written[tag]?.())?.default ?? en;

/** The canonical tag, such as `de-AT` for `de-at`; `undefined` if the text is no tag. */
export function canonicalTag(text: string): string | undefined {
  // Longer language codes are reserved; such text is a word like `submit`.
  if (!/^[a-z]{2,3}(-|$)/i.test(text)) return undefined;
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

/**
 * The offered tag whose texts a reader of `tag` understands: the tag itself, or a parent in the same script. So `de-AT`
 * finds `de`, but `zh-TW` not `zh`, which is in another script.
 */
export function parentAmong(tag: string, offered: readonly string[]): string | undefined {
  for (let parent = tag; parent !== ''; parent = withoutLastPart(parent)) {
    if (offered.includes(parent) && scriptOf(parent) === scriptOf(tag)) return parent;
  }
  return undefined;
}

const withoutLastPart = (tag: string) => tag.slice(0, Math.max(0, tag.lastIndexOf('-')));

/**
 * The offered tag that fits the wanted ones best, in order of preference: the same tag, a parent, another region. Then
 * a language in another script, which is better than none.
 */
export function chooseLanguage(wanted: readonly string[], offered: readonly string[]): string | undefined {
  const tags = wanted.map(canonicalTag).filter((tag) => tag !== undefined);
  for (const tag of tags) {
    const near =
      parentAmong(tag, offered) ??
      offered.find((one) => languageOf(one) === languageOf(tag) && scriptOf(one) === scriptOf(tag));
    if (near !== undefined) return near;
  }
  const spoken = tags.map(languageOf);
  return offered.find((one) => spoken.includes(languageOf(one)));
}

const languageOf = (tag: string) => tag.split('-', 1)[0];

/** The language's usual script, if the tag has none. */
const scriptOf = (tag: string) => new Intl.Locale(tag).maximize().script;

const fromRightToLeft = ['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa'];

/** English skips Intl, whose first use takes 2 ms of a cold start. */
export const directionOf = (tag: string): 'ltr' | 'rtl' =>
  tag !== 'en' && fromRightToLeft.includes(scriptOf(tag) ?? '') ? 'rtl' : 'ltr';
