/** Which languages the relay speaks by itself, and how language tags (BCP 47) agree with each other. */
import { en } from './en.ts';
import type { Texts } from './message.ts';

/** Each in a file of its own, which is read only when a config names the language. */
const written: Readonly<Record<string, () => Promise<Texts>>> = {
  ar: async () => (await import('./ar.ts')).ar,
  cs: async () => (await import('./cs.ts')).cs,
  da: async () => (await import('./da.ts')).da,
  de: async () => (await import('./de.ts')).de,
  en: async () => en,
  es: async () => (await import('./es.ts')).es,
  fi: async () => (await import('./fi.ts')).fi,
  fr: async () => (await import('./fr.ts')).fr,
  he: async () => (await import('./he.ts')).he,
  it: async () => (await import('./it.ts')).it,
  ja: async () => (await import('./ja.ts')).ja,
  ko: async () => (await import('./ko.ts')).ko,
  nl: async () => (await import('./nl.ts')).nl,
  pl: async () => (await import('./pl.ts')).pl,
  pt: async () => (await import('./pt.ts')).pt,
  sv: async () => (await import('./sv.ts')).sv,
  tr: async () => (await import('./tr.ts')).tr,
  uk: async () => (await import('./uk.ts')).uk,
  zh: async () => (await import('./zh.ts')).zh,
};

/** The languages that need nothing but their name. */
export const writtenLanguages: readonly string[] = Object.keys(written);

export const loadTexts = async (tag: string): Promise<Texts> => (await written[tag]?.()) ?? en;

/** The tag as it is usually written, such as `de-AT` for `de-at`; `undefined` for what is none of any language. */
export function canonicalTag(text: string): string | undefined {
  // Longer ones may be registered some day. Until then they are words, such as `submit`.
  if (!/^[a-z]{2,3}(-|$)/i.test(text)) return undefined;
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

/**
 * Of the tags offered, the one whose texts a reader of `tag` reads: itself, or what is left of it without its last
 * parts, in the same script. So `de-AT` finds `de`, and `zh-TW` no `zh`, which is written in another one.
 */
export function parentAmong(tag: string, offered: readonly string[]): string | undefined {
  for (let parent = tag; parent !== ''; parent = withoutLastPart(parent)) {
    if (offered.includes(parent) && scriptOf(parent) === scriptOf(tag)) return parent;
  }
  return undefined;
}

const withoutLastPart = (tag: string) => tag.slice(0, Math.max(0, tag.lastIndexOf('-')));

/**
 * Of the tags offered, the one that fits best what somebody wants, the dearest first: the very tag, one that is less
 * exact, one of another region. Another script of the same language comes after all that, and still before nothing.
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

/** The script that a language is mostly written in, where its tag does not say. */
const scriptOf = (tag: string) => new Intl.Locale(tag).maximize().script;

const fromRightToLeft = ['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa'];

/** English needs no look at Intl, whose first use takes 2 ms of a cold start. */
export const directionOf = (tag: string): 'ltr' | 'rtl' =>
  tag !== 'en' && fromRightToLeft.includes(scriptOf(tag) ?? '') ? 'rtl' : 'ltr';
