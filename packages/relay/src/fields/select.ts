import { attributes, html } from '../base/html.ts';
import { withDefault } from '../schema/keys.ts';
import { flag } from '../schema/kinds.ts';
import { fieldType } from './field_type.ts';
import { optionProblems, options, optionValues } from './option_list.ts';
import { controlAttributes } from './text_like.ts';

export const select = fieldType({
  type: 'select',
  summary: 'One choice from a list, or several with `multiple`.',
  missing: { code: 'missing_option' },
  keys: { options, multiple: withDefault('false', 'Whether several options may be chosen.', flag()) },
  problems: optionProblems,
  possibleValues: optionValues,
  takesSeveral: ({ multiple }) => multiple,
  check: ({ multiple }, values) =>
    values.length > 1 && !multiple ? { code: 'more_than_one_option' } : undefined,
  control: (field, state) => {
    const choices = field.options.map(
      ({ value, label, disabled }) =>
        html`<option${attributes({ value, selected: state.values.includes(value), disabled })}>${label}</option>`,
    );
    const prompt =
      !field.multiple &&
      html`<option value="">${field.placeholder ?? state.say({ code: 'select_prompt' })}</option>`;
    return html`<select${attributes({ ...controlAttributes(field, state, 'select'), multiple: field.multiple })}>${prompt}${choices}</select>`;
  },
});
