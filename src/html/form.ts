import type { Field } from '../fields/field.ts';
import { visibleFields } from '../fields/visible_when.ts';
import type { Form, Values } from '../form.ts';
import type { FieldError } from '../outcome.ts';
import { attributes, type Html, html } from './html.ts';

/** What a rendered form shows besides its config. */
export interface FormState {
  readonly values: Values;
  readonly errors: readonly FieldError[];
  /** Markup of the min-fill token, or of what fetches it; nothing for forms without min-fill. */
  readonly token: Html | undefined;
}

export const apiPath = (route: 'submit' | 'form' | 'token', form: Form) =>
  `/api/v1/${route}/${encodeURIComponent(form.id)}`;

/** The whole `<form>` element (SPEC: GET /api/v1/form/{form}). */
export function renderForm(form: Form, state: FormState): Html {
  const action = apiPath('submit', form);
  const values = withInitialValues(form, state.values);
  const fields = visibleFields(form.fields, values);
  const loose = state.errors.filter(({ field }) => !fields.some(({ name }) => name === field));
  const all = {
    id: idOf(form.id),
    class: 'form-relay',
    action,
    method: 'post',
    'hx-post': action,
    'hx-swap': 'outerHTML',
  };
  return html`<form${attributes(all)}>
${form.title && html`<h2>${form.title}</h2>\n`}${loose.length > 0 && errorList(loose.map(({ field, message }) => `${field}: ${message}`))}${fields.map((field) => renderField(form, field, values, state.errors))}${honeypot(form)}${state.token}
<button type="submit">${form.submitLabel}</button>
</form>
`;
}

/** A field that was not sent shows its initial value. */
function withInitialValues({ fields }: Form, sent: Values): Values {
  const initial = fields.flatMap(({ name, value }) =>
    value && !sent.has(name) ? [[name, value] as const] : [],
  );
  return initial.length === 0 ? sent : new Map([...sent, ...initial]);
}

function renderField(form: Form, field: Field, values: Values, errors: readonly FieldError[]): Html {
  const id = idOf(form.id, field.name);
  const error = errors.find((candidate) => candidate.field === field.name);
  const help =
    field.help && html`<p class="field-help"${attributes({ id: `${id}-help` })}>${field.help}</p>\n`;
  const problem =
    error && html`<p class="field-error"${attributes({ id: `${id}-error` })}>${error.message}</p>\n`;
  const describedBy = [help && `${id}-help`, problem && `${id}-error`].filter(Boolean).join(' ') || undefined;
  const control = field.control({
    id,
    values: values.get(field.name) ?? [],
    describedBy,
    invalid: error !== undefined,
  });
  const label = html`${field.label ?? labelFor(field.name)}${field.required && html` <span class="field-required" aria-hidden="true">*</span>`}`;
  switch (field.layout) {
    case 'bare':
      return html`${control}\n${problem}`;
    case 'box':
      return html`<div class="field">\n<label${attributes({ for: id })}>${control} ${label}</label>\n${help}${problem}</div>\n`;
    case 'group':
      return html`<fieldset class="field"${attributes({ 'aria-describedby': describedBy })}>\n<legend>${label}</legend>\n${help}${problem}${control}</fieldset>\n`;
    case 'labelled':
      return html`<div class="field">\n<label${attributes({ for: id })}>${label}</label>\n${help}${control}\n${problem}</div>\n`;
  }
}

/** `first_name` reads "First name". */
function labelFor(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The decoy: not `type=hidden`, which bots leave alone, yet out of sight and reach of people and their tools. */
function honeypot({ id, spam }: Form): Html | undefined {
  if (spam?.honeypot === undefined) return undefined;
  const field = idOf(id, spam.honeypot);
  const input = attributes({
    type: 'text',
    id: field,
    name: spam.honeypot,
    autocomplete: 'off',
    tabindex: -1,
  });
  return html`<div hidden aria-hidden="true">\n<label${attributes({ for: field })}>Leave this field empty</label>\n<input${input}>\n</div>\n`;
}

export const tokenInput = (name: string, token: string): Html =>
  html`<input${attributes({ type: 'hidden', name, value: token })}>`;

/** For pages that are built once: fetches a token when the page is shown. */
export const tokenLoader = (form: Form): Html =>
  html`<div${attributes({ 'hx-get': apiPath('token', form), 'hx-trigger': 'load', 'hx-swap': 'outerHTML' })}></div>`;

/** SPEC: HTML fragments. */
export const errorList = (messages: readonly string[]): Html =>
  html`<ul class="form-errors">${messages.map((message) => html`<li>${message}</li>`)}</ul>\n`;

/** SPEC: HTML fragments. */
export const confirmationFragment = ({ confirmation }: Form): Html =>
  html`<div class="form-confirmation">${confirmation}</div>\n`;

/** Unique in a page with several forms: `--` separates the form's name from the field's. */
const idOf = (...names: readonly string[]) =>
  names
    .map((name) => name.replaceAll(/[^A-Za-z0-9_-]/g, (c) => `_${c.charCodeAt(0).toString(16)}`))
    .join('--');
