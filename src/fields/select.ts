import { attributes, html } from '../html.ts';
import { flag, withDefault } from '../schema/kinds.ts';
import { fieldType } from './field.ts';
import { areOptions, optionProblems, options } from './options.ts';
import { controlAttributes } from './text_like.ts';

export const select = fieldType({
  type: 'select',
  summary: 'One choice from a list, or several with `multiple`.',
  missing: 'Choose an option.',
  keys: { options, multiple: withDefault('false', 'Whether several options may be chosen.', flag()) },
  problems: optionProblems,
  check: (field, values) => {
    if (!areOptions(field, values)) return 'Choose from the list.';
    return values.length > 1 && !field.multiple ? 'Choose one option.' : undefined;
  },
  control: (field, state) => {
    const choices = field.options.map(
      ({ value, label }) =>
        html`<option${attributes({ value, selected: state.values.includes(value) })}>${label}</option>`,
    );
    const prompt =
      !field.multiple && html`<option value="">${field.placeholder ?? 'Choose an option'}</option>`;
    return html`<select${attributes({ ...controlAttributes(field, state), multiple: field.multiple })}>${prompt}${choices}</select>`;
  },
});
