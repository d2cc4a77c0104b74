import { renderField } from '@form-relay/core/html/field_view';
import { renderNote } from '@form-relay/core/html/form_view';
import { attributes, html } from '@form-relay/core/html/html';
import type { Field, Form, Html, Locale } from '@form-relay/core/index';
import { viewOf } from './form_shape.ts';
import type { Canvas } from './state.ts';

/** All fields as a page with the form's script shows them, those included that a condition hides at first, with their initial values. */
export function fieldPictures(form: Form, locale: Locale): readonly Html[] {
  const { classes = {} } = viewOf(form, locale);
  const render = (field: Field): Html =>
    renderField(field, stateOf(field), { form, locale, classes, render });
  return form.fields.map(render);
}

const stateOf = ({ value = [], inputs }: Field) => ({
  values: value,
  error: undefined,
  takesFocus: false,
  isMarked: true,
  ...(inputs && { inputs: inputs.shown(new Map()) }),
});

export function canvasOf(form: Form, locale: Locale): Canvas {
  const { text, translate } = locale;
  const { fields, notes, title, submitLabel } = form;
  const pictures = fieldPictures(form, locale);
  const submit = submitLabel === undefined ? translate({ code: 'submit' }) : text(submitLabel);
  const view = viewOf(form, locale);
  const additions = form.renderMarkup.map((add) => add(view));
  const button = attributes({ type: 'submit', class: view.classes?.button });
  return {
    direction: locale.direction ?? 'ltr',
    names: fields.map(({ name }) => name),
    fields: Object.fromEntries(
      fields.flatMap(({ name, layout }, index) =>
        layout === 'bare' ? [] : [[name, String(pictures[index])]],
      ),
    ),
    notes: Object.fromEntries(
      notes.map((note) => [text(note.text), String(renderNote(text(note.text), additions))]),
    ),
    title: title === undefined ? '' : String(html`<h2>${text(title)}</h2>`),
    submit: String(html`<button${button}>${submit}</button>`),
  };
}
