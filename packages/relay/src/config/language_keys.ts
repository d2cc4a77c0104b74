import * as v from 'valibot';
import { late } from '../base/late.ts';
import { err, ok } from '../base/result.ts';
import { canonicalTag, writtenLanguages } from '../messages/languages.ts';
import { finding } from '../schema/finding.ts';
import { read } from '../schema/issue.ts';
import { lateSchema, optional, optionalBlock } from '../schema/keys.ts';
import { list, text } from '../schema/kinds.ts';

export const lateMessages = late(() => import('./message_texts.ts'), 'messages');

/** A BCP 47 tag, such as `de` or `pt-BR`. */
const language = v.pipe(
  text(),
  read((found: string) => {
    const tag = canonicalTag(found);
    return tag === undefined
      ? err(finding('not_a_language', [], { found, near: meantLanguage(found) }))
      : ok(tag);
  }),
);

/** Keys of a form, or of the top of the config for all forms. Each key is inherited by itself. */
export const languageKeys = {
  language: optional(
    'What the form says is said in this language (BCP 47): `de`, `pt-BR`, … English when absent.',
    language,
  ),
  languages: optional(
    'Several languages, for forms whose visitors choose: by `?lang=`, or as their browser says. The first is for everybody else.',
    list(language, { least: 1 }),
  ),
  messages: optionalBlock(
    'Words in place of single texts of the relay, by code: `{submit: Go}`; or by language and code: `{de: {submit: Los}}`. ' +
      '`relay form messages` prints all of them.',
    lateSchema(lateMessages, ({ messages }) => messages),
  ),
};

/** The languages of country codes that differ from them. */
const ofCountries = 'at:de br:pt cn:zh cz:cs dk:da gb:en il:he jp:ja kr:ko mx:es se:sv ua:uk us:en'.split(
  ' ',
);

/** The language that was probably meant by a country code such as `jp` or `se`. */
export const languageOfCountry = (tag: string): string | undefined =>
  ofCountries.find((pair) => pair.startsWith(`${tag.toLowerCase()}:`))?.slice(3);

/** The tag that was probably meant by `en_US`, `German` or `Deutsch`. */
export function meantLanguage(found: string): string | undefined {
  const word = found.trim().toLowerCase();
  const tag = canonicalTag(word.replaceAll('_', '-'));
  return tag ?? writtenLanguages.find((one) => [one, 'en'].some((reader) => nameOf(one, reader) === word));
}

const nameOf = (tag: string, reader: string) =>
  new Intl.DisplayNames(reader, { type: 'language' }).of(tag)?.toLowerCase();
