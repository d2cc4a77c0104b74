import { createHash } from 'node:crypto';
import { attributes, html } from '@form-relay/base/html';
import { labelOf } from '@form-relay/core/fields/label';
import { renderField } from '@form-relay/core/html/field_view';
import { renderForm, renderNote } from '@form-relay/core/html/form_view';
import type { Field, Form, FormView, Html, Locale } from '@form-relay/core/index';
import { pageLook } from '@form-relay/pages/look/style';
import type { Canvas } from './state.ts';

/**
 * All fields as a page with the form's script shows them, including those that a condition hides at first,
 * with their initial values.
 */
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
    names: fields.filter(({ comesWith }) => comesWith === undefined).map(({ name }) => name),
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

/** A hash of everything that a visitor sees of the form. `now`: the form may be closed. */
export function shapeOf(form: Form, now: number): string {
  const hash = createHash('sha256');
  for (const locale of localesOf(form)) {
    const view = viewOf(form, locale, now);
    const { outcome } = view;
    // A closed form shows the reason.
    hash.update(
      outcome ? JSON.stringify([outcome.message, outcome.ownersText]) : String(pictureOf(form, view)),
    );
  }
  return hash.update(String(lookOf(form) ?? '')).digest('base64url');
}

/** Shows the form on its own page's background. */
export function lookOf({ provided }: Pick<Form, 'provided'>): Html | undefined {
  const look = provided.get('look');
  return (
    look &&
    html`${pageLook(look, '')}body{color:var(--text);background:var(--sheet)}.form-relay{--form-relay-space:inherit}`
  );
}

/** All languages of a form. */
export function localesOf(form: Form): readonly Locale[] {
  const languages = form.provided.get('languages');
  const all = languages?.offered.flatMap((tag) => languages.localeOf(tag) ?? []) ?? [];
  return all.length > 0 ? all : [form.locale(undefined)];
}

/** The form without its counters, which change with submissions. @param now Default: never closed, as on a static page. */
export function viewOf(form: Form, locale: Locale, now?: number): FormView {
  const { fields } = form;
  const blank = { form, locale, fields, base: '', values: new Map(), sent: undefined };
  let view: FormView = { ...blank, now, settings: undefined, services: undefined };
  for (const prepare of form.prepareView) {
    const prepared = prepare(view);
    if (prepared instanceof Promise) continue;
    if ('kind' in prepared) return { ...view, ...(prepared.isClosed && { outcome: prepared }) };
    view = prepared;
  }
  return view;
}

/** The form as a visitor first sees it. Without a time, it has no token, which would differ each time. */
export const pictureOf = (form: Form, view: FormView): Html =>
  renderForm(form, { ...view, now: undefined, seen: [], errors: [] }).html;

export const titleOf = (form: Form, locale: Locale): string =>
  form.title === undefined ? labelOf({ name: form.id }, locale) : locale.text(form.title);
