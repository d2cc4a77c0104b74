import { renderField } from '@form-relay/core/html/field_view';
import type { Field, Form, Html, Locale } from '@form-relay/core/index';
import { attributes, html, withLinks } from '@form-relay/core/kit';
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
  const button = attributes({ type: 'submit', class: viewOf(form, locale).classes?.button });
  return {
    direction: locale.direction ?? 'ltr',
    names: fields.map(({ name }) => name),
    fields: Object.fromEntries(
      fields.flatMap(({ name, layout }, index) =>
        layout === 'bare' ? [] : [[name, String(pictures[index])]],
      ),
    ),
    notes: Object.fromEntries(
      notes.map((note) => [
        text(note.text),
        String(html`<p class="field-note">${withLinks(text(note.text))}</p>`),
      ]),
    ),
    title: title === undefined ? '' : String(html`<h2>${text(title)}</h2>`),
    submit: String(html`<button${button}>${submit}</button>`),
  };
}
