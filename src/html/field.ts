import type { Field, Layout } from '../fields/field.ts';
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
  const hint = field.hint !== error && field.hint;
  // A field that may not apply cannot be demanded by the browser; the server decides.
  const required = field.required && onlyIf === undefined;
  const id = fieldElementId(form, field.name);
  const helpId = help && partId(id, 'help');
  const hintId = hint && partId(id, 'hint');
  const errorId = error && partId(id, 'error');
  const describedBy = [helpId, hintId, errorId].filter(Boolean).join(' ') || undefined;
  const invalid = error !== undefined;
  const control = field.control({
    id,
    values: state.values,
    required,
    describedBy,
    invalid,
    autofocus: takesFocus,
  });
  const about = [
    help && html`<p class="field-help" id="${helpId}">${help}</p>\n`,
    hint && html`<p class="field-help" id="${hintId}">${hint}</p>\n`,
    error && html`<p class="field-error" id="${errorId}">${error}</p>\n`,
  ];
  const label = html`${labelOf(field)}${required && mark(layout)}${onlyIf && html` <span class="field-condition">(${onlyIf})</span>`}`;
  switch (layout) {
    case 'bare':
      return html`${control}\n`;
    case 'box':
      return html`<div class="field">\n<label class="choice">${control} <span>${label}</span></label>\n${about}</div>\n`;
    case 'radiogroup':
    case 'group': {
      const group = layout === 'radiogroup' && {
        role: 'radiogroup',
        'aria-required': required && 'true',
        'aria-invalid': invalid && 'true',
      };
      return html`<fieldset class="field"${attributes({ ...group, 'aria-describedby': describedBy })}>\n<legend>${label}</legend>\n${about}${control}</fieldset>\n`;
    }
    case 'labelled':
      return html`<div class="field">\n<label for="${id}">${label}</label>\n${about}${control}\n</div>\n`;
  }
}

/** Of boxes in a group, no tool is told natively that one has to be ticked, so words say it. */
const mark = (layout: Layout) =>
  layout === 'group'
    ? html` <span class="field-required">(required)</span>`
    : html` <span class="field-required" aria-hidden="true">*</span>`;

/** Whether a field that is required has the mark that needs explaining. */
export const hasAsterisk = ({ layout }: Field) => layout !== 'bare' && layout !== 'group';

/** `first_name` reads "First name". */
export function labelOf({ label, name }: Pick<Field, 'label' | 'name'>): string {
  if (label !== undefined) return label;
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}
