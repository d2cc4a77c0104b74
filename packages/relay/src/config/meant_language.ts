import { canonicalTag, writtenLanguages } from '../messages/languages.ts';

/** Countries in place of their languages, where those are called otherwise. */
const ofCountries = new Map(
  Object.entries({
    at: 'de',
    br: 'pt',
    cn: 'zh',
    cz: 'cs',
    dk: 'da',
    gb: 'en',
    il: 'he',
    jp: 'ja',
    kr: 'ko',
    mx: 'es',
    se: 'sv',
    ua: 'uk',
    us: 'en',
  }),
);

/** The language that was meant by `jp` or `se`, which are tags, of no language or of another. */
export const languageOfCountry = (tag: string): string | undefined => ofCountries.get(tag.toLowerCase());

/** The tag that was meant by `en_US`, `German` or `Deutsch`. */
export function meantLanguage(found: string): string | undefined {
  const word = found.trim().toLowerCase();
  const tag = canonicalTag(word.replaceAll('_', '-'));
  return tag ?? writtenLanguages.find((one) => [one, 'en'].some((reader) => nameOf(one, reader) === word));
}

const nameOf = (tag: string, reader: string) =>
  new Intl.DisplayNames(reader, { type: 'language' }).of(tag)?.toLowerCase();
