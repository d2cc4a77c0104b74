import * as v from 'valibot';
import { type Finding, finding } from '../base/config_finding.ts';
import { optional, perLanguage, required, section } from '../schema/keys.ts';
import { isMap, label, list, name } from '../schema/kinds.ts';

/** A choice that a field offers. */
export interface Option {
  readonly value: string;
  readonly label: string;
}

const optionKeys = {
  value: required('What is submitted.', name()),
  label: optional('What the visitor reads; the value when absent.', perLanguage(label())),
};

const labelled = v.pipe(
  section(optionKeys),
  v.transform(({ value, label }): Option => ({ value, label: label ?? value })),
);
const bare = v.pipe(
  name(),
  v.transform((value): Option => ({ value, label: value })),
);
const option = v.pipe(
  v.lazy((input): v.GenericSchema<unknown, Option> => (isMap(input) ? labelled : bare)),
  v.metadata({ either: [bare, labelled] }),
);

/** The key of fields that offer a choice: select, radios, checkboxes. */
export const options = required(
  'The choices: texts, or `{value: …, label: …}`. Nothing else can be submitted.',
  list(option, { least: 1 }),
);

interface Choice {
  readonly options: readonly Option[];
  readonly value?: readonly string[] | undefined;
}

/** Options named twice, and an initial value that is no option. */
export function optionProblems(field: Choice): readonly Finding[] {
  const seen = new Set<string>();
  const twice = field.options.flatMap((option, index) => {
    if (!seen.has(option.value)) return seen.add(option.value) && [];
    return [finding('option_twice', ['options', index], { value: option.value })];
  });
  const unknown = (field.value ?? []).filter((value) => !seen.has(value));
  return [...twice, ...unknown.map((value) => finding('value_no_option', ['value'], { value }))];
}

export const optionValues = ({ options }: Pick<Choice, 'options'>): readonly string[] =>
  options.map(({ value }) => value);
