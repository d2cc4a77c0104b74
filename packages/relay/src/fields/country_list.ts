/** Choosing a country by its name: the keys, their problems, the options and the control. */
import { attributes, type Html, html } from '../base/html.ts';
import type { Message } from '../messages/message.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { optional } from '../schema/keys.ts';
import { list } from '../schema/kinds.ts';
import { countryCodes } from './country_codes.ts';
import { countriesIn, countryCode } from './country_names.ts';
import type { ControlState, Field, Option } from './field.ts';
import { controlAttributes } from './text_like.ts';

export const countryKeys = {
  countries: optional(
    'The codes of the countries to choose from, such as `[DE, AT, CH]`. Default: all.',
    list(countryCode, { least: 1 }),
  ),
  first: optional(
    'The codes of the countries that stand above the others, in this order.',
    list(countryCode, { least: 1 }),
  ),
};

interface Choice {
  readonly countries?: readonly string[] | undefined;
  readonly first?: readonly string[] | undefined;
}

export const countryProblems = ({ countries = countryCodes, first = [] }: Choice): readonly Finding[] => [
  ...twice('countries', countries),
  ...twice('first', first),
  ...first.flatMap((code, index) =>
    countries.includes(code) ? [] : [finding('value_no_option', ['first', index], { value: code })],
  ),
];

const twice = (key: string, codes: readonly string[]): readonly Finding[] =>
  codes.flatMap((code, index) =>
    codes.indexOf(code) < index ? [finding('option_twice', [key, index], { value: code })] : [],
  );

/** The code in capitals. */
export const countryMeant = (value: string): string =>
  /^[a-z]{2}$/i.test(value) ? value.toUpperCase() : value;

export function countryOptions(
  { countries = countryCodes, first = [] }: Choice,
  language: string,
): readonly Option[] {
  const all = countriesIn(language);
  return [
    ...first.flatMap((code) => all.find(({ value }) => value === code) ?? []),
    ...all.filter(({ value }) => countries.includes(value) && !first.includes(value)),
  ];
}

type Chosen = Choice & Pick<Field, 'name' | 'options' | 'placeholder' | 'autocomplete'>;

function countrySelect({ first = [], options = [], ...field }: Chosen, state: ControlState): Html {
  const choices = options.map((option) =>
    state.values.includes(option.value) ? rendered(option, true) : unselected(option),
  );
  if (first.length > 0 && first.length < choices.length) choices.splice(first.length, 0, html`<hr>`);
  const prompt = field.placeholder ?? state.say({ code: 'select_prompt' });
  const own = controlAttributes({ ...field, autocomplete: field.autocomplete ?? 'country' }, state, 'select');
  return html`<select${attributes(own)}><option value="">${prompt}</option>${choices}</select>`;
}

const rendered = ({ value, label }: Option, selected: boolean): Html =>
  html`<option${attributes({ value, selected })}>${label}</option>`;

/** A form shows 249 of them. All fields of a language share its options. */
const unselectedOnes = new WeakMap<Option, Html>();

function unselected(option: Option): Html {
  const made = unselectedOnes.get(option) ?? rendered(option, false);
  unselectedOnes.set(option, made);
  return made;
}

/** A field that is such a choice, but for its type. */
export const countryDefinition = {
  summary: 'A country, chosen by its name in the form’s language; its code of ISO 3166-1 alpha-2 is sent.',
  missing: { code: 'missing_country_option' },
  keys: countryKeys,
  possibleValues: ({ countries = countryCodes }: Choice) => countries,
  check: (_: unknown, values: readonly string[]): Message | undefined =>
    values.length > 1 ? { code: 'more_than_one_option' } : undefined,
  meant: (_: unknown, value: string) => countryMeant(value),
  control: countrySelect,
} as const;
