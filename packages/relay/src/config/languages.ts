import { en, type Texts } from '../messages/message.ts';
import type { Finding } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';
import { namedLanguages, rawForms } from './form_languages.ts';
import type { SomeTexts } from './message_texts.ts';

/** The languages of a config for which texts must be loaded. */
export interface NamedLanguages {
  readonly tags: readonly string[];
  /** The paths of the owner's files, by language as written. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Languages {
  readonly textsIn: (tag: string) => Texts;
  /** The texts of the owner's file for the language or its parent. */
  readonly ownIn: (tag: string) => SomeTexts;
  /** Texts missing in the owner's files. */
  readonly warnings: readonly Finding[];
}

/** For configs that name no language. */
export const english: Languages = { textsIn: () => en, ownIn: () => ({}), warnings: [] };

/** The config's keys must be valid. */
export function languagesNamedIn(config: unknown): NamedLanguages | undefined {
  if (!isMap(config)) return undefined;
  const tags = new Set(Object.values(rawForms(config)).flatMap((form) => namedLanguages(form, config) ?? []));
  const files = isMap(config.language_files) ? (config.language_files as Record<string, string>) : {};
  return tags.size + Object.keys(files).length > 0 ? { tags: [...tags], files } : undefined;
}
