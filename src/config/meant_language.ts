import { canonicalTag, writtenLanguages } from '../messages/languages.ts';

/** The tag that was meant by `en_US`, `German` or `Deutsch`. */
export function meantLanguage(found: unknown): string | undefined {
  if (typeof found !== 'string') return undefined;
  const word = found.trim().toLowerCase();
  const tag = word.includes('_') ? canonicalTag(word.replaceAll('_', '-')) : undefined;
  return tag ?? writtenLanguages.find((one) => [one, 'en'].some((reader) => nameOf(one, reader) === word));
}

const nameOf = (tag: string, reader: string) =>
  new Intl.DisplayNames(reader, { type: 'language' }).of(tag)?.toLowerCase();
