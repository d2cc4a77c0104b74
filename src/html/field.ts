import type { Field } from '../fields/field.ts';
import type { Form } from '../form.ts';
import { attributes, type Html, html } from './html.ts';
import { fieldElementId, partId } from './ids.ts';

/** What a field shows besides its config. */
export interface FieldState {
  readonly values: readonly string[];
  /** What was wrong with them. */
  readonly error: string | undefined;
  /** The first field with an error takes the focus. */
  readonly takesFocus: boolean;
  /** Said beside the label when the field applies only sometimes, and the page cannot hide it. */
  readonly onlyIf?: string | undefined;
}

/** A field with its label, help and error (WCAG 1.3.1, 3.3.1, 3.3.2). */
export function renderField(form: Form, field: Field, state: FieldState): Html {
  const { layout, help } = field;
  const { error, onlyIf, takesFocus } = state;
  // A field that may not apply cannot be demanded by the browser; the server decides.
  const required = field.required && onlyIf === undefined;
  const id = fieldElementId(form, field.name);
  const helpId = help && partId(id, 'help');
  const errorId = error && partId(id, 'error');
  const describedBy = [helpId, errorId].filter(Boolean).join(' ') || undefined;
  const control = field.control({
    id,
    values: state.values,
    required,
    describedBy,
    invalid: error !== undefined,
    autofocus: takesFocus,
  });
  // What is not there to be seen cannot take the focus: its error does.
  const focus = layout === 'bare' && takesFocus && { tabindex: -1, autofocus: true };
  const problem =
    error && html`<p class="field-error"${attributes({ id: errorId, ...focus })}>${error}</p>\n`;
  const about = html`${help && html`<p class="field-help"${attributes({ id: helpId })}>${help}</p>\n`}${problem}`;
  const mark = required && html` <span class="field-required" aria-hidden="true">*</span>`;
  const label = html`${labelOf(field)}${mark}${onlyIf && html` <span class="field-condition">(${onlyIf})</span>`}`;
  switch (layout) {
    case 'bare':
      return html`${control}\n${problem}`;
    case 'box':
      return html`<div class="field">\n<label class="choice">${control} <span>${label}</span></label>\n${about}</div>\n`;
    case 'group':
      return html`<fieldset class="field"${attributes({ 'aria-describedby': describedBy })}>\n<legend>${label}</legend>\n${about}${control}</fieldset>\n`;
    case 'labelled':
      return html`<div class="field">\n<label${attributes({ for: id })}>${label}</label>\n${about}${control}\n</div>\n`;
  }
}

/** `first_name` reads "First name". */
export function labelOf({ label, name }: Pick<Field, 'label' | 'name'>): string {
  if (label !== undefined) return label;
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
