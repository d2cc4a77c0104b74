import { attributes, type Html, html } from '../html/html.ts';
import type { ControlState } from './field.ts';
import type { Option } from './options.ts';

interface Group {
  readonly name: string;
  readonly options: readonly Option[];
}

/** Radio buttons or checkboxes, each in its label. The first one carries the group's id, so that errors can link to it. */
export function choiceGroup(
  type: 'radio' | 'checkbox',
  field: Group,
  state: ControlState,
  more: Readonly<Record<string, boolean>> = {},
): Html {
  const choices = field.options.map(({ value, label }, index) => {
    const all = {
      type,
      id: index === 0 ? state.id : `${state.id}-${index + 1}`,
      name: field.name,
      value,
      checked: state.values.includes(value),
      'aria-invalid': state.invalid && 'true',
      'aria-describedby': state.describedBy,
      ...more,
    };
    return html`<label class="choice"><input${attributes(all)}> ${label}</label>\n`;
  });
  return html`${choices}`;
}
