import * as v from 'valibot';
import { attributes, type Html, type HtmlValue, html, partId } from '../base/html.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { optional, perLanguage, required, section } from '../schema/keys.ts';
import { isMap, label, list, name, number } from '../schema/kinds.ts';
import { withOwn } from './classes.ts';
import type { ControlState, Option } from './field.ts';

/** The number for formulas. Numbers hold 15 digits. */
export const worth = () => number({ least: -1e9, most: 1e9 });

const optionKeys = {
  value: required('What is submitted.', name()),
  label: optional('What the visitor reads; the value when absent.', perLanguage(label())),
  worth: optional(
    'The number that the option stands for in a `formula`, such as its price. Default: its value, if that is a number.',
    worth(),
  ),
};

const labelled = v.pipe(
  section(optionKeys),
  v.transform(({ value, label, worth }): Option => ({ value, label: label ?? value, worth })),
);
const bare = v.pipe(
  name(),
  v.transform((value): Option => ({ value, label: value })),
);
const option = v.pipe(
  v.lazy((input): v.GenericSchema<unknown, Option> => (isMap(input) ? labelled : bare)),
  v.metadata({ either: [bare, labelled] }),
);

export const optionList = list(option, { least: 1 });

/** The key of types that offer a choice: select, radios, checkboxes. */
export const options = required(
  'The choices: texts, or `{value: …, label: …}`. Nothing else can be submitted.',
  optionList,
);

interface Initial {
  readonly value?: readonly string[] | undefined;
}

interface Choice extends Initial {
  readonly options: readonly Option[];
}

export function optionProblems(field: Choice): readonly Finding[] {
  return [...twiceIn('options', field.options), ...valueProblems(field, optionValues(field))];
}

export function twiceIn(key: 'options' | 'rows', options: readonly Option[]): readonly Finding[] {
  const seen = new Set<string>();
  return options.flatMap(({ value }, index) => {
    if (!seen.has(value)) return seen.add(value) && [];
    return [finding(key === 'rows' ? 'row_twice' : 'option_twice', [key, index], { value })];
  });
}

export const valueProblems = ({ value = [] }: Initial, possible: readonly string[]): readonly Finding[] =>
  value
    .filter((one) => !possible.includes(one))
    .map((one) => finding('value_no_option', ['value'], { value: one }));

export const optionValues = ({ options }: Pick<Choice, 'options'>): readonly string[] =>
  options.map(({ value }) => value);

interface ChoiceGroup {
  readonly name: string;
  readonly options: readonly {
    readonly value: string;
    readonly label: HtmlValue;
    readonly disabled?: true;
  }[];
}

/** Radio buttons or checkboxes in labels. The first that can be chosen has the group's id, so that errors can link to it. */
export function choiceGroup(
  type: 'radio' | 'checkbox',
  { name, options }: ChoiceGroup,
  state: ControlState,
): Html {
  const className = withOwn('choice', state.classes?.check);
  const first = Math.max(
    0,
    options.findIndex(({ disabled }) => !disabled),
  );
  const choices = options.map(({ value, label, disabled }, index) => {
    const all = {
      type,
      id: index === first ? state.id : partId(state.id, index + 1),
      class: state.classes?.check_input,
      name,
      value,
      checked: state.values.includes(value),
      disabled,
      autofocus: state.autofocus && index === first,
      // For radio buttons the group has it. For checkboxes each has it, because HTML groups have no such state.
      'aria-invalid': type === 'checkbox' && state.invalid && 'true',
      // The fieldset has the description already, but some screen readers skip it, and an error must be heard.
      'aria-describedby': state.invalid && state.describedBy,
      // A single required radio button makes the group required; required checkboxes would all have to be ticked.
      required: type === 'radio' && state.required,
    };
    return html`<label class="${className}"><input${attributes(all)}> ${label}</label>\n`;
  });
  return html`${choices}`;
}
