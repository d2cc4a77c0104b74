import type { Form, Locale } from '@form-relay/core/index';
import { formParts } from './form_parts.ts';
import type { Canvas } from './state.ts';

export function canvasOf(form: Form, locale: Locale): Canvas {
  const { fields, notes, title, submit } = formParts(form, locale);
  // The drawing of a signature is part of another field.
  const further = new Set(form.fields.flatMap((field) => field.further ?? []).map(({ name }) => name));
  return {
    direction: locale.direction ?? 'ltr',
    names: form.fields.flatMap(({ name }) => (further.has(name) ? [] : name)),
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
