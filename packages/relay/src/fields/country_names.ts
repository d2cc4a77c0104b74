import * as v from 'valibot';
import { wrong } from '../schema/issue.ts';
import { text } from '../schema/kinds.ts';
import { countryCodes } from './country_codes.ts';
import type { Option } from './field.ts';

export const countryCode = v.pipe(
  text(),
  v.check(
    (value) => countryCodes.includes(value),
    (issue) => wrong('not_a_country', { near: countryMeantBy(String(issue.input)) })(issue),
  ),
  v.metadata({ jsonSchema: { title: 'country code', $ref: '#/definitions/country' } }),
);

const known = new Map<string, readonly Option[]>();

/** All countries with their names, in the order of the language's dictionaries. */
export function countriesIn(language: string): readonly Option[] {
  const made = known.get(language);
  if (made) return made;
  const locales = [language, 'en'];
  const names = new Intl.DisplayNames(locales, { type: 'region' });
  const { compare } = new Intl.Collator(locales);
  const options = countryCodes
    .map((value) => ({ value, label: names.of(value) ?? value }))
    .sort((one, other) => compare(one.label, other.label));
  known.set(language, options);
  return options;
}

/** The code in another case, an older or a European one such as `UK`, or that of an English name. */
export function countryMeantBy(word: string): string | undefined {
  const written = word.trim();
  const current = /^[a-z]{2}$/i.test(written) && new Intl.Locale(`und-${written}`).region;
  const near =
    current || countriesIn('en').find(({ label }) => label.toLowerCase() === written.toLowerCase())?.value;
  return near !== undefined && countryCodes.includes(near) ? near : undefined;
}
