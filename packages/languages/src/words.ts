import type { MaybePromise, Messages } from '@form-relay/core/index';

/** Loaded when a config names the language. Each plug-in contains its own English texts. */
const written: Readonly<Record<string, () => Promise<{ readonly default: Messages }>>> = {
  ar: () => import('./words/ar.json', { with: { type: 'json' } }),
  cs: () => import('./words/cs.json', { with: { type: 'json' } }),
  da: () => import('./words/da.json', { with: { type: 'json' } }),
  de: () => import('./words/de.json', { with: { type: 'json' } }),
  en: async () => ({ default: {} }),
  es: () => import('./words/es.json', { with: { type: 'json' } }),
  fi: () => import('./words/fi.json', { with: { type: 'json' } }),
  fr: () => import('./words/fr.json', { with: { type: 'json' } }),
  he: () => import('./words/he.json', { with: { type: 'json' } }),
  it: () => import('./words/it.json', { with: { type: 'json' } }),
  ja: () => import('./words/ja.json', { with: { type: 'json' } }),
  ko: () => import('./words/ko.json', { with: { type: 'json' } }),
  nl: () => import('./words/nl.json', { with: { type: 'json' } }),
  pl: () => import('./words/pl.json', { with: { type: 'json' } }),
  pt: () => import('./words/pt.json', { with: { type: 'json' } }),
  sv: () => import('./words/sv.json', { with: { type: 'json' } }),
  tr: () => import('./words/tr.json', { with: { type: 'json' } }),
  uk: () => import('./words/uk.json', { with: { type: 'json' } }),
  zh: () => import('./words/zh.json', { with: { type: 'json' } }),
};

export const writtenLanguages: readonly string[] = Object.keys(written);

const loaded = new Map<string, Messages>();

/**
 * The relay's texts in a language. Empty for English, since each plug-in contains its own. Returns without a
 * promise if the texts are already loaded.
 */
export function loadWords(tag: string): MaybePromise<Messages> {
  const known = loaded.get(tag);
  if (known || !written[tag]) return known ?? {};
  return written[tag]().then(({ default: words }) => {
    loaded.set(tag, words);
    return words;
  });
}
