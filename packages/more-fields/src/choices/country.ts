/** `type: country`, which offers countries by name: the keys, their problems, the options and the control. */

import { attributes, html } from '@form-relay/base/html';
import { twiceIn, valueProblems } from '@form-relay/core/fields/choices';
import { fieldType } from '@form-relay/core/fields/field';
import { controlAttributes } from '@form-relay/core/fields/text';
import type { ControlState, Diagnostics, Field, Html, Message, Option, Plugin } from '@form-relay/core/index';
import { array } from '@form-relay/schema/collections';
import { shown } from '@form-relay/schema/diagnostics';
import { textSchema } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import { didYouMean } from '@form-relay/schema/suggestion';

/** The officially assigned codes of ISO 3166-1 alpha-2. */
export const countryCodes: readonly string[] =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'.split(
    ' ',
  );

export const countryCode = textSchema(
  (code, at) =>
    countryCodes.includes(code)
      ? code
      : at.error(
          `found ${shown(code, at)}; expected a country code of ISO 3166-1, such as DE${didYouMean(countryMeantBy(code))}`,
        ),
  { title: 'country code', type: 'string', enum: countryCodes },
);

export const countryKeys = {
  countries: optional(
    'Codes of the countries to choose from, such as `[DE, AT, CH]`. Default: all.',
    array(countryCode, { least: 1 }),
  ),
};

interface Choice {
  readonly countries?: readonly string[] | undefined;
}

export function countryProblems({ countries = countryCodes }: Choice, at: Diagnostics): void {
  const asOptions = countries.map((value) => ({ value, label: value }));
  twiceIn(asOptions, at.in('countries'), 'option');
}

type Chosen = Choice & Pick<Field, 'name' | 'placeholder' | 'autocomplete'>;

function countrySelect({ countries = countryCodes, ...field }: Chosen, state: ControlState): Html {
  const { language = 'en', text, translate } = state.locale;
  const choices = countriesIn(language)
    .filter(({ value }) => countries.includes(value))
    .map((option) => (state.values.includes(option.value) ? rendered(option, true) : unselected(option)));
  const { placeholder, autocomplete = 'country' } = field;
  const prompt = placeholder === undefined ? translate({ code: 'select_prompt' }) : text(placeholder);
  const own = { ...controlAttributes({ ...field, autocomplete }, state, 'select'), ...state.attributes };
  return html`<select${attributes(own)}><option value="">${prompt}</option>${choices}</select>`;
}

const rendered = ({ value, label }: Country, selected: boolean): Html =>
  html`<option${attributes({ value, selected })}>${label}</option>`;

/** The 249 options without a selected one, which all fields of a language share. */
const unselectedOnes = new WeakMap<Country, Html>();

function unselected(option: Country): Html {
  const made = unselectedOnes.get(option) ?? rendered(option, false);
  unselectedOnes.set(option, made);
  return made;
}

/** The definition of such a field, without its type. */
export const countryDefinition = {
  summary: 'A country, shown in the form’s language, sent as its code, such as `DE` (ISO 3166-1).',
  missing: 'missing_country_option',
  keys: countryKeys,
  // The country that other samples use, too.
  samples: () => [['GB']],
  offered: ({ countries = countryCodes }: Choice) => countries,
  check: (_: unknown, values: readonly string[]): Message | undefined =>
    values.length > 1 ? { code: 'more_than_one_option' } : undefined,
  comparedAs: 'country',
  normalizeValue: (_: unknown, value: string) => (/^[a-z]{2}$/i.test(value) ? value.toUpperCase() : value),
  words: (_: unknown, stored: readonly string[], { language = 'en' }: ControlState['locale']) =>
    stored.map((code) => countriesIn(language).find(({ value }) => value === code)?.label ?? code),
  control: countrySelect,
} as const;

interface Country extends Option {
  readonly label: string;
}

const known = new Map<string, readonly Country[]>();

/** All countries with their names, in the alphabetical order of the language. */
export function countriesIn(language: string): readonly Country[] {
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

/** The code that a word stands for: in another case, an older or European code such as `UK`, or an English name. */
export function countryMeantBy(word: string): string | undefined {
  const written = word.trim();
  const current = /^[a-z]{2}$/i.test(written) && new Intl.Locale(`und-${written}`).region;
  const near =
    current || countriesIn('en').find(({ label }) => label.toLowerCase() === written.toLowerCase())?.value;
  return near !== undefined && countryCodes.includes(near) ? near : undefined;
}

const country = fieldType({
  ...countryDefinition,
  type: 'country',
  card: { title: 'Country', purpose: 'Choice', words: 'nation address land' },
  problems: (field, at) => {
    countryProblems(field, at);
    valueProblems(field, field.countries ?? countryCodes, at);
  },
});

export const plugin: Plugin = { name: 'country', fields: [country] };
