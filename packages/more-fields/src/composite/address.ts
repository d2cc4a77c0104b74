import type { Field, Inputs, Message, Plugin, Values } from '@form-relay/core/index';
import {
  checkLength,
  fieldType,
  firstValue,
  html,
  input,
  makeField,
  number,
  optional,
} from '@form-relay/core/kit';
import {
  countryCode,
  countryCodes,
  countryDefinition,
  countryKeys,
  countryMeant,
  countryProblems,
} from '../choices/country.ts';
import { type AddressFormat, addressFormat, asciiCode } from './address_formats.ts';
import { inRows, memberOf, valueMistake, wordsOf } from './inputs.ts';

const address = fieldType({
  type: 'address',
  summary:
    'A postal address: street, city, postal code and what else the country writes, which browsers fill in at once. One value, as JSON.',
  card: {
    title: 'Address',
    purpose: 'Text',
    words: 'street city postal zip code billing shipping delivery',
    idleKeys: ['value'],
  },
  layout: 'inputs',
  keys: {
    country: optional(
      'The code of the country in which all addresses are, such as `DE`. Default: visitors choose it.',
      countryCode,
    ),
    ...countryKeys,
    max_length: optional(
      'The most characters of each line: UTF-16 units, as browsers count them.',
      number({ least: 1, whole: true }),
    ),
  },
  problems: (field, at) => {
    countryProblems(field, at);
    for (const key of ['countries', 'first'] as const)
      if (field.country !== undefined && field[key])
        at.in(key).error(
          'country says in which country all addresses are, so there is none to choose; leave out one of the two',
        );
    if (field.value) at.in('value').error(valueMistake, { fix: 'remove' });
  },
  inputs: inputsOf,
  shape: 'block',
  control: (_, { inputs, render }) => html`${inRows(inputs, render)}`,
});

interface CodeTested extends Pick<Field, 'name' | 'max_length'> {
  readonly isCode?: boolean;
  readonly isPostalCode?: AddressFormat['isPostalCode'];
}

/** One of each form. */
const postalCodes = 'W1S 4BE,10115,1010,90210,560001,1000001,01310100,K1A 0B1,1012 JS,101'.split(',');

const line = fieldType({
  type: 'address_line',
  summary: 'A line of an address.',
  keys: {},
  samples: ({ isPostalCode }: CodeTested) => isPostalCode && postalCodes.map((code) => [code]),
  checkValue: (field: CodeTested, value): Message | undefined =>
    field.isPostalCode?.(value) === false ? { code: 'wrong_postal_code' } : checkLength(field, value),
  store: (field: CodeTested, value) => (field.isCode ? asciiCode(value) : value),
  control: (field, state) => input('text', field, state),
});

const countryPart = fieldType({ ...countryDefinition, type: 'country' });

/**
 * What browsers call each part, and its letter in formats. While a visitor may choose any country, they stand in the order that
 * is most alike everywhere, with these widths, so that nothing moves once it is chosen.
 */
const parts = {
  country: ['country', '', 'full'],
  line1: ['address-line1', 'A', 'full'],
  line2: ['address-line2', 'A', 'full'],
  city: ['address-level2', 'C', 'full'],
  region: ['address-level1', 'S', 'two_thirds'],
  postal_code: ['postal-code', 'Z', 'third'],
} as const;
type PartName = keyof typeof parts;

const general = Object.keys(parts) as readonly PartName[];

const partsWith = (letter: string): readonly PartName[] =>
  general.filter((part) => parts[part][1] === letter);

interface Keys {
  readonly name: string;
  readonly label?: Field['label'];
  readonly required: boolean;
  readonly autocomplete?: string | undefined;
  readonly country?: string | undefined;
  readonly countries?: readonly string[] | undefined;
  readonly first?: readonly string[] | undefined;
  readonly max_length?: number | undefined;
}

function inputsOf(field: Keys): Inputs {
  const { country: fixed, first, autocomplete, max_length } = field;
  const countries = fixed === undefined ? field.countries : [fixed];
  const nameOf = (part: PartName) => `${field.name}.${part}`;
  const make = (part: PartName, format: AddressFormat, isRequired: boolean): Field => {
    const isCountry = part === 'country';
    const isNeeded =
      isCountry || part === 'line1' || (part !== 'line2' && format.required.includes(parts[part][1]));
    return makeField(isCountry ? countryPart : line, {
      name: nameOf(part),
      path: [field.name, part],
      owner: { name: field.name, label: field.label },
      label: { code: labelCode(part, format) },
      required: isRequired && isNeeded,
      // Another country may not have it, and an address that was begun may be emptied.
      isLenient: !field.required || (fixed === undefined && !isCountry && part !== 'line1'),
      autocomplete: tokenOf(part, autocomplete),
      width: fixed === undefined ? parts[part][2] : widthIn(part, format.lines),
      ...(isCountry ? { first, countries } : { max_length }),
      ...(part === 'postal_code' ? { isCode: true, isPostalCode: format.isPostalCode } : {}),
    });
  };
  const made = new Map<string, readonly Field[]>();
  const partsIn = (country: string | undefined, isRequired = field.required): readonly Field[] => {
    const key = `${country} ${isRequired}`;
    const known = made.get(key);
    if (known) return known;
    const format = addressFormat(country);
    const names = fixed === undefined ? general : [...format.lines].flatMap(partsWith);
    const all = names.map((part) => make(part, format, isRequired));
    made.set(key, all);
    return all;
  };
  /** A country alone, which browsers fill in, begins no address. */
  const isBegun = (values: Values) => all.some((part) => nameIn(part) !== 'country' && isSent(values)(part));
  const partsFor = (values: Values) => partsIn(fixed ?? chosen(values), field.required || isBegun(values));
  /** Pages of the owner's may send the fixed country, too. Another one is an error. */
  const fixedPart = fixed === undefined ? [] : [make('country', addressFormat(fixed), false)];
  const isSent = (values: Values) => (part: Field) => firstValue(values, part.name) !== '';
  const chosen = (values: Values): string | undefined => {
    const country = countryMeant(firstValue(values, nameOf('country')));
    return (countries ?? countryCodes).includes(country) ? country : undefined;
  };
  const all = [...partsIn(fixed), ...fixedPart];
  const nameIn = (part: Field) => part.path?.[1] as PartName;
  return {
    shape: 'map',
    all,
    shown: partsFor,
    asked: (values) => [...partsFor(values), ...fixedPart.filter(isSent(values))],
    gather: (values) => {
      if (!isBegun(values)) return undefined;
      const filled = partsIn(fixed).flatMap((part) => {
        const value = firstValue(values, part.name);
        return value === '' ? [] : [[nameIn(part), value] as const];
      });
      return Object.fromEntries(fixed === undefined ? filled : [...filled, ['country', fixed]]);
    },
    words: (value, locale) => {
      const texts = new Map(
        partsIn(fixed).map((part) => [nameIn(part), wordsOf(part, memberOf(value, nameIn(part)), locale)]),
      );
      const country = texts.get('country') ?? '';
      texts.delete('country');
      const code = fixed ?? memberOf(value, 'country');
      const { lines } = addressFormat(typeof code === 'string' ? code : undefined);
      const address = [...linesOf(lines, texts), country].filter((one) => one !== '');
      return address.length > 0 ? [address.join('\n')] : [];
    },
  };
}

function labelCode(part: PartName, { regionLabel, codeLabel }: AddressFormat) {
  if (part === 'region') return regionLabel;
  return part === 'postal_code' ? codeLabel : (`address_${part}` as const);
}

/** `autocomplete` is what stands before the tokens, such as `billing`, or `off`. */
function tokenOf(part: PartName, section: string | undefined): string {
  const [token] = parts[part];
  if (section === undefined) return token;
  return section === 'off' ? section : `${section} ${token}`;
}

/** What is written on one line stands in one row; of three, the town has a row of its own. */
function widthIn(part: PartName, lines: string): Field['width'] {
  const [, own] = parts[part];
  const letters = (lines.split('|').find((one) => one.includes(own)) ?? '').replaceAll(/[^ACSZ]/g, '');
  if (letters.length === 1 || (letters.length > 2 && own === 'C')) return 'full';
  if (letters.length > 2 || !letters.includes('Z')) return 'half';
  return own === 'Z' ? 'third' : 'two_thirds';
}

/** What the format has no place for stands below. */
function linesOf(format: string, texts: Map<PartName, string>): readonly string[] {
  const take = (part: PartName) => {
    const text = texts.get(part) ?? '';
    texts.delete(part);
    return text;
  };
  const written = format.split('|').flatMap((line) => {
    if (line === 'A') return [take('line1'), take('line2')];
    let text = '';
    for (const [, before = '', letter = ''] of line.matchAll(/([^A-Z]*)([A-Z])/g)) {
      const [value = ''] = partsWith(letter).map(take);
      if (value !== '') text += text === '' ? value : `${before}${value}`;
    }
    return text;
  });
  return [...written, ...texts.values()];
}

export const plugin: Plugin = {
  name: 'address',
  fields: [address],
  messages: {
    en: {
      address_country: 'Country',
      address_line1: 'Street and number',
      address_line2: 'Apartment, floor or c/o',
      address_city: 'Town or city',
      address_region: 'State, province or region',
      address_state: 'State',
      address_province: 'Province',
      address_prefecture: 'Prefecture',
      address_county: 'County',
      address_postal_code: 'Postal code',
      address_zip_code: 'ZIP code',
      address_postcode: 'Postcode',
    },
  },
};
