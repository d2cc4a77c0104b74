import { attributes, type Html, html } from '../base/html.ts';
import type { ControlState, Field } from './field.ts';
import { controlAttributes } from './text_like.ts';

/** A checkbox that sends this value. */
export function tickBox(field: Pick<Field, 'name' | 'help'>, value: string, state: ControlState): Html {
  const all = {
    type: 'checkbox',
    ...controlAttributes(field, state, 'check_input'),
    // HTML has no autocomplete for checkboxes.
    autocomplete: undefined,
    value,
    checked: state.values.includes(value),
  };
  return html`<input${attributes(all)}>`;
}
