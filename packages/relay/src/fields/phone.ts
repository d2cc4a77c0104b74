import { phoneNumberIn } from '@form-relay/element/parts/phone_number';
import { getCountryCallingCode, isSupportedCountry, type PhoneNumber } from 'libphonenumber-js/min';
import * as v from 'valibot';
import { attributes, type Html, html, partId } from '../base/html.ts';
import { withoutEmpty } from '../base/values.ts';
import type { Message } from '../messages/message.ts';
import { wrong } from '../schema/issue.ts';
import { flagMeantBy, text } from '../schema/kinds.ts';
import { countriesIn, countryMeantBy } from './country_list.ts';
import { asciiDigits } from './digits.ts';
import type { ControlState, Field, Option } from './field.ts';
import { controlAttributes, input } from './text_like.ts';

/** The key `country`: the country that is chosen at first, if it names one. */
export interface PhoneCountry {
  readonly at_first: string | undefined;
}

const isTrue = (value: string) => value.toLowerCase() === 'true';

export const phoneCountry = v.pipe(
  text(),
  v.check(
    (value) => isTrue(value) || isSupportedCountry(value),
    (issue) => {
      const word = String(issue.input);
      return wrong('not_a_phone_country', {
        near: flagMeantBy(word) === 'true' ? 'true' : countryMeantBy(word),
      })(issue);
    },
  ),
  v.transform((value): PhoneCountry => ({ at_first: isTrue(value) ? undefined : value })),
  v.metadata({
    jsonSchema: {
      title: 'true or country code',
      anyOf: [{ const: true }, { $ref: '#/definitions/country' }],
    },
  }),
);

/** Between a number as it was typed, and the country that was chosen beside it. */
const separator = ';country=';

/** Both controls have the field's name. A capital pair of letters is no number, so that it names the country. */
function joined(sent: readonly string[]): readonly string[] {
  const filled = withoutEmpty(sent);
  const [country, ...countries] = filled.filter((value) => /^[A-Z]{2}$/.test(value));
  const [typed, ...more] = filled.filter((value) => !/^[A-Z]{2}$/.test(value));
  if (typed === undefined) return [];
  if (country === undefined || countries.length > 0 || more.length > 0) return filled;
  return [`${typed}${separator}${country}`];
}

function apart(value: string): readonly [typed: string, country: string | undefined] {
  const at = value.lastIndexOf(separator);
  return at < 0 ? [value, undefined] : [value.slice(0, at), value.slice(at + separator.length)];
}

/** Longer than any number with its extension; the library looks at 250 characters. */
const mostCharacters = 100;

function numberIn(value: string): PhoneNumber | undefined {
  const [typed, chosen] = apart(value);
  const plain = asciiDigits(typed).trim();
  if (plain.length > mostCharacters) return undefined;
  return phoneNumberIn(plain, chosen !== undefined && isSupportedCountry(chosen) ? chosen : undefined);
}

export function checkPhone(value: string): Message | undefined {
  const [typed, chosen] = apart(value);
  if (chosen !== undefined && !isSupportedCountry(chosen)) return { code: 'not_an_option' };
  if (numberIn(value)) return undefined;
  return chosen === undefined && !/^[([\s]*(\+|00)/.test(asciiDigits(typed))
    ? { code: 'tel_choose_country' }
    : { code: 'not_a_tel' };
}

/** What a `tel` has with `country`. */
export const alsoOfPhone: Pick<Field, 'part' | 'joined' | 'stored' | 'inWords'> = {
  part: 'tel',
  joined,
  stored: (value) => {
    const found = numberIn(value);
    return found ? `${found.number}${found.ext ? `;ext=${found.ext}` : ''}` : value;
  },
  inWords: (stored) => phoneNumberIn(stored, undefined)?.formatInternational() ?? stored,
};

/** The countries that have telephone numbers, with their names and calling codes. */
export const phoneCountries = (language: string): readonly Option[] =>
  countriesIn(language).flatMap(({ value, label }) =>
    isSupportedCountry(value) ? [{ value, label: `${label} (+${getCountryCallingCode(value)})` }] : [],
  );

interface Phone extends Pick<Field, 'name' | 'help' | 'placeholder' | 'autocomplete'> {
  readonly country?: PhoneCountry | undefined;
  readonly callable?: readonly Option[];
}

export function phoneControl(field: Phone, state: ControlState): Html {
  const [shown = ''] = state.values;
  const [typed, chosen = typed === '' ? field.country?.at_first : undefined] = apart(shown);
  const { say } = state;
  const choices = field.callable?.map(
    ({ value, label }) => html`<option${attributes({ value, selected: value === chosen })}>${label}</option>`,
  );
  const country = {
    ...controlAttributes(field, { ...state, required: false, autofocus: false }, 'select'),
    id: partId(state.id, 'country'),
    autocomplete: 'off',
    'aria-label': say({ code: 'tel_country' }),
    'aria-describedby': undefined,
    'aria-invalid': undefined,
    'data-beside': '1',
  };
  const number = { ...field, autocomplete: field.autocomplete ?? 'tel' };
  const wrongWords = say({ code: 'not_a_tel' });
  return html`<div class="field-phone"><select${attributes(country)}><option value="">${say({ code: 'tel_country' })}</option>${choices}</select>
${input('tel', number, { ...state, values: [typed] }, { 'data-wrong': wrongWords, dir: 'ltr' })}</div>`;
}
