import { canonicalTag, parentAmong } from '@form-relay/languages/negotiate';
import { writtenLanguages } from '@form-relay/languages/words';
import { ancestry, type PageElement } from '../check/markup.ts';
import { quote } from '../check/page_finding.ts';
import { type Remark, toDo } from './remark.ts';

export interface MovedLanguage {
  /** `undefined` for English, and for what the relay does not speak. */
  readonly language: string | undefined;
  readonly remarks: readonly Remark[];
}

/** The language that the page says it is in, so that the relay's own sentences are in it, too. */
export function languageOf(form: PageElement): MovedLanguage {
  const written = [...ancestry(form)].map(({ attributes }) => attributes.get('lang')?.trim()).find(Boolean);
  const tag = canonicalTag(written ?? 'en');
  if (tag === undefined || /^en(-|$)/.test(tag)) return { language: undefined, remarks: [] };
  if (parentAmong(tag, writtenLanguages) !== undefined) return { language: tag, remarks: [] };
  const unspoken = `the page is in ${quote(tag)}, which the relay does not speak: visitors read English until language_files names your own texts, as relay form messages prints them`;
  return { language: undefined, remarks: [toDo(unspoken)] };
}
