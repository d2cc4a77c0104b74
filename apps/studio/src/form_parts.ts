import { renderField } from '@form-relay/core/html/field_view';
import type { Field, Form, Html, Locale } from '@form-relay/core/index';
import { attributes, html, withLinks } from '@form-relay/core/kit';
import { viewOf } from './form_shape.ts';
import type { Canvas } from './state.ts';

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
export function formParts(form: Form, locale: Locale): FormParts {
  const { text, translate } = locale;
  const { title, submitLabel } = form;
  const { classes = {} } = viewOf(form, locale);
  const render = (field: Field): Html =>
    renderField(field, stateOf(field), { form, locale, classes, render });
  const submit = submitLabel === undefined ? translate({ code: 'submit' }) : text(submitLabel);
  return {
    title: title === undefined ? html`` : html`<h2>${text(title)}</h2>`,
    fields: form.fields.map(render),
    notes: form.notes.map((note) => html`<p class="field-note">${withLinks(text(note.text))}</p>`),
    submit: html`<button${attributes({ type: 'submit', class: classes.button })}>${submit}</button>`,
  };
}

const stateOf = ({ value = [], inputs }: Field) => ({
  values: value,
  error: undefined,
  takesFocus: false,
  isMarked: true,
  ...(inputs && { inputs: inputs.shown(new Map()) }),
});

export function canvasOf(form: Form, locale: Locale): Canvas {
  const { fields, notes, title, submit } = formParts(form, locale);
  return {
    direction: locale.direction ?? 'ltr',
    names: form.fields.map(({ name }) => name),
    fields: Object.fromEntries(
      form.fields.flatMap(({ name, layout }, index) =>
        layout === 'bare' ? [] : [[name, String(fields[index])]],
      ),
    ),
    notes: Object.fromEntries(form.notes.map(({ text }, index) => [locale.text(text), String(notes[index])])),
    title: String(title),
    submit: String(submit),
  };
}
