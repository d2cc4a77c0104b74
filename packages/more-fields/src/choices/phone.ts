/** `country` of telephone numbers: asks for the country, validates the number, and delivers it as E.164. */

import { canonicalText } from '@form-relay/base/canonical';
import { attributes, html } from '@form-relay/base/html';
import { asciiDigits } from '@form-relay/base/unicode';
import { withoutEmpty } from '@form-relay/base/values';
import { fieldExtension } from '@form-relay/core/extensions';
import { controlAttributes, input } from '@form-relay/core/fields/text';
import { partId } from '@form-relay/core/html/element_ids';
import type { ControlState, Field, Html, Message, Plugin } from '@form-relay/core/index';
import {
  getCountryCallingCode,
  isSupportedCountry,
  type PhoneNumber,
  phoneNumberIn,
} from '@form-relay/element/parts/phone_number';
import { shown } from '@form-relay/schema/diagnostics';
import { booleanMeantBy, textSchema } from '@form-relay/schema/scalars';
import { jsonSchemaOf, optional } from '@form-relay/schema/schema';
import { didYouMean } from '@form-relay/schema/suggestion';
import { countriesIn, countryCode, countryMeantBy } from './country.ts';

const isTrue = (value: string) => value.toLowerCase() === 'true';

const keys = {
  country: optional(
    'Asks for the country, checks the number, and delivers it as `+4930901820`: `true`, or the code of the initial country, such as `DE`.',
    textSchema(
      (value, at): { readonly atFirst?: string } | undefined => {
        if (isTrue(value)) return {};
        if (isSupportedCountry(value)) return { atFirst: value };
        const near = booleanMeantBy(value) === 'true' ? 'true' : countryMeantBy(value);
        return at.error(
          `found ${shown(value, at)}; expected true, or a country code such as DE${didYouMean(near)}`,
        );
      },
      { title: 'true or country code', anyOf: [{ const: true }, jsonSchemaOf(countryCode)] },
    ),
  ),
};

/** Separates a typed number from its chosen country. */
const separator = ';country=';

const isCountry = (value: string): boolean => /^[A-Z]{2}$/.test(value);

/**
 * Joins a number and its country, whose controls share the field's name. A pair of capital letters cannot be a number,
 * so it is the country. A plain form sends only the number, which belongs to the country in the config.
 */
function joined(sent: readonly string[], atFirst?: string): readonly string[] {
  const [only = ''] = sent;
  const isNumber = only !== '' && !only.includes(separator) && !isCountry(only);
  if (sent.length === 1 && atFirst && isNumber && !isInternational(only))
    return [`${only}${separator}${atFirst}`];
  const filled = withoutEmpty(sent);
  const [country, ...countries] = filled.filter(isCountry);
  const [typed, ...more] = filled.filter((value) => !isCountry(value));
  if (typed === undefined) return [];
  if (country === undefined || countries.length > 0 || more.length > 0) return filled;
  return [`${typed}${separator}${country}`];
}

function apart(value: string): readonly [typed: string, country: string | undefined] {
  const at = value.lastIndexOf(separator);
  return at < 0 ? [value, undefined] : [value.slice(0, at), value.slice(at + separator.length)];
}

/** Longer than any number with its extension; the library reads up to 250 characters. */
const mostCharacters = 100;

function numberIn(value: string): PhoneNumber | undefined {
  const [typed, chosen] = apart(value);
  const plain = asciiDigits(typed).trim();
  if (plain.length > mostCharacters) return undefined;
  return phoneNumberIn(plain, chosen !== undefined && isSupportedCountry(chosen) ? chosen : undefined);
}

const isInternational = (typed: string) => /^[([\s]*(\+|00)/.test(asciiDigits(typed));

function checkPhone(value: string): Message | undefined {
  const [typed, chosen] = apart(value);
  if (chosen !== undefined && !isSupportedCountry(chosen)) return { code: 'not_an_option' };
  if (numberIn(value)) return undefined;
  return chosen === undefined && !isInternational(typed)
    ? { code: 'tel_choose_country' }
    : { code: 'not_a_tel' };
}

/** The number as E.164, with its extension. */
function stored(value: string): string {
  const found = numberIn(value);
  return found ? `${found.number}${found.ext ? `;ext=${found.ext}` : ''}` : value;
}

/** The number as a condition compares it: a number in the default country, or a part of one. */
function wanted(value: string, isPart: boolean, atFirst = ''): string | undefined {
  if (!isPart) return numberIn(`${value}${separator}${atFirst}`) && stored(`${value}${separator}${atFirst}`);
  const part = asciiDigits(value).replaceAll(/[\s()./-]/g, '');
  return /^[+\d]*(;?e?x?t?=?\d*)$/.test(part) && part !== '' ? part : undefined;
}

/** The countries that have telephone numbers, with their names and calling codes. */
const phoneCountries = (language: string) =>
  countriesIn(language).flatMap(({ value, label }) =>
    isSupportedCountry(value) ? [{ value, label: `${label} (+${getCountryCallingCode(value)})` }] : [],
  );

function control(field: Field, atFirst: string | undefined, state: ControlState): Html {
  const [shown = ''] = state.values;
  const [typed, chosen = typed === '' ? atFirst : undefined] = apart(shown);
  const { translate, language = 'en' } = state.locale;
  const choices = phoneCountries(language).map(
    ({ value, label }) => html`<option${attributes({ value, selected: value === chosen })}>${label}</option>`,
  );
  const country = {
    ...controlAttributes(field, { ...state, required: false, autofocus: false }, 'select'),
    id: partId(state.id, 'country'),
    autocomplete: 'off',
    'aria-label': translate({ code: 'tel_country' }),
    'aria-describedby': undefined,
    'aria-invalid': undefined,
    'data-beside': '1',
  };
  const number = { ...field, autocomplete: field.autocomplete ?? 'tel' };
  const wrong = translate({ code: 'not_a_tel' });
  return html`<div class="field-phone"><select${attributes(country)}><option value="">${translate({ code: 'tel_country' })}</option>${choices}</select>
${input('tel', number, { ...state, values: [typed] }, { 'data-wrong': wrong, dir: 'ltr' })}</div>`;
}

const unread = ['pattern', 'min_length', 'max_length'];

const phone = fieldExtension({
  name: 'phone',
  types: ['tel'],
  keys,
  configure: (field, at) => {
    const { country, name } = field;
    if (!country) return undefined;
    for (const key of unread)
      if (at.in(key).written !== undefined)
        at.in(key).error(
          'with country, the relay checks the whole number, so this key has no effect; remove it',
          { fix: 'remove' },
        );
    return {
      members: {
        part: 'tel',
        takesOne: true,
        wanted: (value, isPart) => wanted(value, isPart, country.atFirst),
      },
      // The relay compares, because the table of all countries' numbers is too large for pages.
      comparedAs: 'relay',
      canonical: (value) => canonicalText(stored(value)),
      normalize: (sent) => {
        const values = sent.get(name);
        return values && joined(values, country.atFirst);
      },
      check: (values) => (values.length > 1 ? { code: 'more_than_one_value' } : checkPhone(values[0] ?? '')),
      store: stored,
      words: (values) =>
        withoutEmpty(values).map((one) => phoneNumberIn(one, undefined)?.formatInternational() ?? one),
      control: (state) => control(field, country.atFirst, state),
    };
  },
});

export const plugin: Plugin = {
  name: 'phone',
  fieldExtensions: [phone],
  messages: {
    en: {
      tel_country: 'Country',
      tel_choose_country: 'Choose the country of this phone number, or start it with + and the country code.',
      not_a_tel:
        'Enter a complete phone number for the chosen country, or one that starts with + and the country code.',
    },
  },
};
