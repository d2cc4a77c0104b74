import { attributes, type Html, html, partId } from '../base/html.ts';
import { controlClass, withOwn } from './classes.ts';
import type { ControlState, Field } from './field.ts';

/** Radio buttons or checkboxes, each in its label. The first one carries the group's id, so that errors can link to it. */
export function choiceGroup(
  type: 'radio' | 'checkbox',
  { name, options }: Required<Pick<Field, 'name' | 'options'>>,
  state: ControlState,
): Html {
  const { check, check_label } = state.classes ?? {};
  const className = withOwn('choice', check);
  const choices = options.map(({ value, label }, index) => {
    const all = {
      type,
      id: index === 0 ? state.id : partId(state.id, index + 1),
      class: controlClass(state, 'check_input'),
      name,
      value,
      checked: state.values.includes(value),
      autofocus: state.autofocus && index === 0,
      // Of radio buttons the group has it, of boxes each: HTML's groups have no such state.
      'aria-invalid': type === 'checkbox' && state.invalid && 'true',
      // The fieldset has the description, and says it once; some screen readers skip it, and an error must be heard.
      'aria-describedby': state.invalid && state.describedBy,
      // One required radio button makes the whole group required. Of boxes, HTML would demand every one.
      required: type === 'radio' && state.required,
    };
    const words = check_label ? html`<span class="${check_label}">${label}</span>` : label;
    return html`<label class="${className}"><input${attributes(all)}> ${words}</label>\n`;
  });
  return html`${choices}`;
}
