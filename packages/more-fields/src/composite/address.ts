import { html } from '@form-relay/base/html';
import { firstValue } from '@form-relay/base/values';
import { makeField } from '@form-relay/core/fields/compile';
import { fieldType } from '@form-relay/core/fields/field';
import { checkLength, input } from '@form-relay/core/fields/text';
import type { Field, Inputs, Plugin, Values } from '@form-relay/core/index';
import { number } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import { countryDefinition, countryKeys, countryProblems } from '../choices/country.ts';
import { inRows, rowsOf } from '../layout/width.ts';
import { memberOf, valueMistake, wordsOf } from './grid.ts';

const address = fieldType({
  type: 'address',
  summary: 'A postal address that browsers can fill in. Outputs get JSON.',
  card: {
    title: 'Address',
    purpose: 'Text',
    words: 'street city postal zip code billing shipping delivery',
    idleKeys: ['value'],
  },
  layout: 'inputs',
  keys: {
    ...countryKeys,
    max_length: optional('Maximum number of characters in each line.', number({ least: 1, whole: true })),
  },
  problems: (field, at) => {
    countryProblems(field, at);
    if (field.value) at.in('value').error(valueMistake, { fix: 'remove' });
  },
  inputs: inputsOf,
  shape: 'block',
  control: (_, { inputs, render }) => html`${inRows(inputs.map(render), rowsOf(inputs))}`,
});

const line = fieldType({
  type: 'address_line',
  summary: 'A line of an address.',
  keys: {},
  checkValue: (field: Pick<Field, 'name' | 'max_length'>, value) => checkLength(field, value),
  control: (field, state) => input('text', field, state),
});

const countryPart = fieldType({ ...countryDefinition, type: 'country' });

/** The `autocomplete` name of each part, and its width. */
const parts = {
  country: ['country', 'full'],
  line1: ['address-line1', 'full'],
  line2: ['address-line2', 'full'],
  city: ['address-level2', 'full'],
  region: ['address-level1', 'two_thirds'],
  postal_code: ['postal-code', 'third'],
} as const;
type PartName = keyof typeof parts;

const names = Object.keys(parts) as readonly PartName[];
const needed: readonly PartName[] = ['country', 'line1', 'city'];

interface Keys {
  readonly name: string;
  readonly label?: Field['label'];
  readonly required: boolean;
  readonly autocomplete?: string | undefined;
  readonly countries?: readonly string[] | undefined;
  readonly max_length?: number | undefined;
}

function inputsOf({ name, label, required, countries, autocomplete, max_length }: Keys): Inputs {
  const make = (part: PartName, isRequired: boolean): Field => {
    const [token, width] = parts[part];
    const isCountry = part === 'country';
    return makeField(isCountry ? countryPart : line, {
      name: `${name}.${part}`,
      path: [name, part],
      owner: { name, label },
      label: { code: `address_${part}` },
      required: isRequired && needed.includes(part),
      // A visitor may clear an address again.
      isLenient: !required,
      autocomplete: tokenOf(token, autocomplete),
      width,
      ...(isCountry ? { countries, value: countries?.length === 1 ? countries : undefined } : { max_length }),
    });
  };
  const all = names.map((part) => make(part, required));
  const whole = required ? all : names.map((part) => make(part, true));
  const filled = (values: Values) =>
    names.flatMap((part) => {
      const value = firstValue(values, `${name}.${part}`);
      return value === '' ? [] : [[part, value] as const];
    });
  /** Browsers fill in the country by themselves, so the country alone does not start an address. */
  const isBegun = (values: Values) => filled(values).some(([part]) => part !== 'country');
  const validated = (values: Values) => (isBegun(values) ? whole : all);
  return {
    shape: 'map',
    all,
    shown: validated,
    validated,
    gather: (values) => (isBegun(values) ? Object.fromEntries(filled(values)) : undefined),
    words: (value, locale) => {
      const [country, line1, line2, city, region, code] = all.map((part, index) =>
        wordsOf(part, memberOf(value, names[index] as PartName), locale),
      );
      const town = [city, region].filter(Boolean).join(' ');
      const lines = [line1, line2, town, code, country].filter(Boolean);
      return lines.length > 0 ? [lines.join('\n')] : [];
    },
  };
}

/** `autocomplete` is the part before the token, such as `billing`, or `off`. */
function tokenOf(token: string, section: string | undefined): string {
  if (section === undefined) return token;
  return section === 'off' ? section : `${section} ${token}`;
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
      address_postal_code: 'Postal code',
    },
  },
};
