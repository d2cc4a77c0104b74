import type { Finding } from '../base/config_finding.ts';
import { en, type Texts } from '../messages/message.ts';
import { isMap } from '../schema/kinds.ts';
import { namedLanguages } from './form_languages.ts';
import type { SomeTexts } from './message_texts.ts';

/** What a config says of languages, as far as texts must be read for them. */
export interface NamedLanguages {
  /** All that its forms speak. */
  readonly tags: readonly string[];
  /** The owner's own files: the path of each, by language as written. */
  readonly files: Readonly<Record<string, string>>;
}

/** The texts of all languages that a config names. */
export interface Languages {
  readonly textsIn: (tag: string) => Texts;
  /** Those in the owner's own file for the language, or for one that it is read in place of. */
  readonly ownIn: (tag: string) => SomeTexts;
  /** What the owner's own files lack. */
  readonly warnings: readonly Finding[];
}

/** For configs that name no language. */
export const english: Languages = { textsIn: () => en, ownIn: () => ({}), warnings: [] };

/** Of a config whose keys are fine. */
export function languagesNamedIn(config: unknown): NamedLanguages | undefined {
  if (!isMap(config)) return undefined;
  const forms = isMap(config.forms) ? Object.values(config.forms) : [];
  const tags = new Set(forms.flatMap((form) => namedLanguages(form, config) ?? []));
  const files = isMap(config.language_files) ? (config.language_files as Record<string, string>) : {};
  return tags.size + Object.keys(files).length > 0 ? { tags: [...tags], files } : undefined;
}
