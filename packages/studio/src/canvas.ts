import type { Form } from '@form-relay/relay/base';
import { formParts } from './form_parts.ts';
import type { Canvas } from './state.ts';

export function canvasOf(form: Form): Canvas {
  const { fields, notes, title, submit } = formParts(form);
  return {
    direction: form.direction ?? 'ltr',
    names: form.fields.flatMap(({ name, drawingOf }) => (drawingOf === undefined ? name : [])),
    fields: Object.fromEntries(
      form.fields.flatMap(({ name, layout }, index) =>
        layout === 'bare' ? [] : [[name, String(fields[index])]],
      ),
    ),
    notes: Object.fromEntries(form.notes.map(({ text }, index) => [text, String(notes[index])])),
    title: String(title),
    submit: String(submit),
  };
}
