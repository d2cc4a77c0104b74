import { attributes, type Form, type Html, html } from '@form-relay/relay/base';
import type { Field } from '@form-relay/relay/features';
import { renderField } from '@form-relay/relay/pages';
import { withLinks } from '@form-relay/relay/schema';

/** The form's parts as a page with the form's script shows them, each by itself. */
export interface FormParts {
  /** Empty for a form without a title. */
  readonly title: Html;
  readonly fields: readonly Html[];
  /** One each, in the order of the form's notes. */
  readonly notes: readonly Html[];
  readonly submit: Html;
}

/** All fields, those included that a condition hides at first, with their initial values. */
export function formParts(form: Form): FormParts {
  const { classes, title } = form;
  return {
    title: title ? html`<h2>${title}</h2>` : html``,
    fields: form.fields.map((field) => fieldPart(form, field)),
    notes: form.notes.map(({ text }) => html`<p class="field-note">${withLinks(text)}</p>`),
    submit: html`<button${attributes({ type: 'submit', class: classes?.button })}>${form.submitLabel}</button>`,
  };
}

const fieldPart = (form: Form, field: Field): Html =>
  renderField(form, field, {
    values: field.value ?? [],
    error: undefined,
    takesFocus: false,
    isMarked: true,
    parts: field.parts?.shown(new Map()).map((part) => ({ part, markup: fieldPart(form, part) })),
  });
