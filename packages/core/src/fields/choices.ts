/** Choices from a list (select, radio buttons, checkboxes), and a single box to tick. */

import { attributes, type Html, type HtmlValue, html } from '@form-relay/base/html';
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import {
  array,
  boolean,
  isMap,
  jsonSchemaOf,
  label,
  localizedText,
  name,
  number,
  object,
  optional,
  type Parsed,
  type Properties,
  required,
  type Schema,
  schema,
  schemaLike,
  withDefault,
} from '@form-relay/schema/kinds';
import { partId, withOwn } from '../html/element_ids.ts';
import type { Locale, Message } from '../messages/message.ts';
import { type ControlState, type Field, fieldType, type Option } from './field.ts';
import { controlAttributes } from './text.ts';

const threeChoices = ['First choice', 'Second choice', 'Third choice'];

/** A list of choices. Each choice may have these keys besides `value` and `label`. */
export function optionsWith<K extends Properties>(
  keys: K,
  what: Choosable = 'option',
): Schema<readonly (Option & Partial<Parsed<K>>)[]> {
  const labelled = object({
    value: required('Submitted value: `small`.', name()),
    label: optional('Text for visitors (`Small`). Default: the value.', localizedText(label())),
    ...keys,
  }) as Schema<Partial<Option>>;
  const option = schema<Option & Partial<Parsed<K>>>(
    () => ({ anyOf: [jsonSchemaOf(name()), jsonSchemaOf(labelled)] }),
    (written, at) => {
      const read = isMap(written) ? labelled(written, at) : { value: name()(written, at) };
      return read?.value === undefined
        ? undefined
        : ({ ...read, value: read.value, label: read.label ?? read.value } as Option & Partial<Parsed<K>>);
    },
  );
  const all = array(option, { least: 1 });
  return schemaLike(all, (written, at) => {
    const read = all(written, at);
    twiceIn(read ?? [], at, what);
    return read;
  });
}

/** The key `options` of types that offer a choice. */
export const options = required(
  'Choices (`[small, large]`): texts, or `{value: …, label: …}`. Other values are rejected.',
  optionsWith({}),
);

type Choice = Partial<Pick<Field, 'options' | 'value'>>;

export function optionProblems({ options = [], value }: Choice, at: Diagnostics): void {
  valueProblems({ value }, offered({ options }), at);
}

type Choosable = 'option' | 'row';

export function twiceIn(options: readonly Option[], at: Diagnostics, what: Choosable): void {
  const seen = new Set<string>();
  for (const [index, { value }] of options.entries()) {
    if (seen.has(value))
      at.in(index).error(`"${value}" is already ${what === 'option' ? 'an' : 'a'} ${what}`);
    seen.add(value);
  }
}

export function valueProblems(
  { value = [] }: Pick<Choice, 'value'>,
  possible: readonly string[],
  at: Diagnostics,
): void {
  for (const one of value)
    if (one !== '' && !possible.includes(one)) at.in('value').error(`"${one}" is not one of the options`);
}

export const offered = ({ options = [] }: Choice): readonly string[] => options.map(({ value }) => value);

export const optionWords = ({ options = [] }: Choice, values: readonly string[], { text }: Locale) =>
  values.map((value) => text(options.find((one) => one.value === value)?.label ?? value));

/** Radio buttons or checkboxes in labels. The first enabled one has the group's id, so that errors can link to it. */
export function choiceGroup(
  type: 'radio' | 'checkbox',
  name: string,
  options: readonly { readonly value: string; readonly label: HtmlValue; readonly disabled?: true }[],
  state: ControlState,
): Html {
  const first = Math.max(
    0,
    options.findIndex(({ disabled }) => !disabled),
  );
  const choices = options.map(({ value, label, disabled }, index) => {
    const all = {
      type,
      id: index === first ? state.id : partId(state.id, index + 1),
      class: state.classes.check_input,
      name,
      value,
      checked: state.values.includes(value),
      disabled,
      autofocus: state.autofocus && index === first,
      // Radio buttons have it on the group. HTML groups of checkboxes cannot have it, so each checkbox does.
      'aria-invalid': type === 'checkbox' && state.invalid && 'true',
      // The fieldset already has the description, but some screen readers skip it, and users must hear an error.
      'aria-describedby': state.invalid && state.describedBy,
      // A single required radio button makes the group required, but each required checkbox would have to be ticked.
      required: type === 'radio' && state.required,
    };
    return html`<label class="${withOwn('choice', state.classes.check)}"><input${attributes(all)}> ${label}</label>\n`;
  });
  return html`${choices}`;
}

const inWords = (
  options: readonly Option[],
  { text }: ControlState['locale'],
): Parameters<typeof choiceGroup>[2] => options.map((option) => ({ ...option, label: text(option.label) }));

export function tickBox(field: Pick<Field, 'name'>, value: string, state: ControlState): Html {
  const all = {
    type: 'checkbox',
    ...controlAttributes(field, state, 'check_input'),
    // HTML allows no autocomplete on checkboxes.
    autocomplete: undefined,
    value,
    checked: state.values.includes(value),
  };
  return html`<input${attributes(all)}>`;
}

export const atMostOne = (_: unknown, values: readonly string[]): Message | undefined =>
  values.length > 1 ? { code: 'more_than_one_option' } : undefined;

interface Limits {
  readonly min_choices?: number | undefined;
  readonly max_choices?: number | undefined;
}

/** The text of these limits: for a hint, or with `chosen` for an error. In an optional group they apply once a box is ticked. */
function limitWords(
  { min_choices: min = 0, max_choices: max }: Limits,
  chosen?: number,
): Message | undefined {
  const isError = chosen !== undefined;
  const params = { chosen, min, max };
  if (max === undefined)
    return min > 1 || isError ? { code: isError ? 'too_few_options' : 'choose_at_least', params } : undefined;
  if (min === max) return { code: isError ? 'wrong_number_of_options' : 'choose_exactly', params };
  if (min > 1) return { code: isError ? 'options_outside_range' : 'choose_range', params };
  return { code: isError ? 'too_many_options' : 'choose_at_most', params };
}

export const choiceTypes = [
  fieldType({
    type: 'select',
    aliases: ['dropdown', 'list', 'choice'],
    summary: 'A choice from a list, or several with `multiple`.',
    card: {
      title: 'Drop-down list',
      purpose: 'Choice',
      words: 'dropdown menu options',
      sample: { name: 'choice', label: 'Choose from a list', options: threeChoices },
    },
    missing: 'missing_option',
    keys: { options, multiple: withDefault('false', 'Whether several options may be chosen.', boolean()) },
    problems: optionProblems,
    offered,
    words: optionWords,
    takesSeveral: ({ multiple }) => multiple,
    check: ({ multiple }, values) => (multiple ? undefined : atMostOne(undefined, values)),
    control: (field, state) => {
      const { multiple, placeholder } = field;
      const choices = field.options.map(
        ({ value, label, disabled }) =>
          html`<option${attributes({ value, selected: state.values.includes(value), disabled })}>${state.locale.text(label)}</option>`,
      );
      const prompt =
        !multiple &&
        html`<option value="">${placeholder === undefined ? state.locale.translate({ code: 'select_prompt' }) : state.locale.text(placeholder)}</option>`;
      return html`<select${attributes({ ...controlAttributes(field, state, 'select'), multiple, ...state.attributes })}>${prompt}${choices}</select>`;
    },
  }),
  fieldType({
    type: 'radios',
    aliases: ['radio', 'radiobuttons'],
    summary: 'A choice, with all options in view.',
    card: {
      title: 'One choice',
      purpose: 'Choice',
      words: 'radio buttons options',
      sample: { name: 'choice', options: threeChoices },
    },
    missing: 'missing_option',
    layout: 'radiogroup',
    keys: { options },
    problems: optionProblems,
    offered,
    words: optionWords,
    check: atMostOne,
    control: ({ name, options }, state) => choiceGroup('radio', name, inWords(options, state.locale), state),
  }),
  fieldType({
    type: 'checkboxes',
    summary: 'Any number of choices, all in view.',
    card: {
      title: 'Several choices',
      purpose: 'Choice',
      words: 'boxes multiple options',
      sample: { name: 'choices', label: 'Choose any', options: threeChoices },
    },
    missing: ({ min_choices: min = 0 }) =>
      min > 1 ? { code: 'missing_several_options', params: { min } } : { code: 'missing_options' },
    hint: (field) => limitWords(field),
    layout: 'group',
    keys: {
      options,
      min_choices: optional(
        'Minimum number of choices, if any; `required` demands at least one.',
        number({ least: 0, whole: true }),
      ),
      max_choices: optional('Maximum number of choices.', number({ least: 1, whole: true })),
    },
    problems: (field, at) => {
      optionProblems(field, at);
      const { min_choices: min = 0, max_choices: most, options } = field;
      const max = most ?? options?.length ?? Infinity;
      const limit = most === undefined ? 'the number of options' : '`max_choices`';
      if (min > max) at.in('min_choices').error(`found ${min}; expected at most ${limit}, which is ${max}`);
    },
    offered,
    words: optionWords,
    takesSeveral: () => true,
    check: (field, values) => {
      const { min_choices: min = 0, max_choices: max = Infinity } = field;
      const chosen = new Set(values).size;
      return chosen < min || chosen > max ? limitWords(field, chosen) : undefined;
    },
    control: ({ name, options }, state) =>
      choiceGroup('checkbox', name, inWords(options, state.locale), state),
  }),
  fieldType({
    type: 'checkbox',
    summary: 'A box to tick.',
    card: {
      title: 'Tick box',
      purpose: 'Choice',
      words: 'terms agree yes no single',
      sample: { name: 'consent', label: 'I agree' },
    },
    missing: 'missing_tick',
    layout: 'box',
    keys: {
      checked_value: withDefault('on', 'Submitted value of the ticked box.', name()),
    },
    problems: ({ value = [], checked_value: own }, at) => {
      for (const one of value)
        if (one !== own) at.in('value').error(`found "${one}"; expected checked_value, which is "${own}"`);
    },
    offered: ({ checked_value }) => [checked_value],
    checkValue: (field, value) => (value === field.checked_value ? undefined : { code: 'not_a_tick' }),
    words: (_, values) => (values.length > 0 ? ['✓'] : []),
    json: (_, values) => values.length > 0,
    control: (field, state) => tickBox(field, field.checked_value, state),
  }),
] as const;
