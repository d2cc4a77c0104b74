import type { Field } from '../fields/field.ts';
import { type Condition, visibleFields } from '../fields/visible_when.ts';
import type { Form, Values } from '../form.ts';
import type { FieldError } from '../outcome.ts';
import { captchaWidget } from './captcha.ts';
import { labelOf, renderField } from './field.ts';
import { errorList } from './fragments.ts';
import { attributes, type Html, html } from './html.ts';
import { formHandlers, keepItsField, keepTheirFields } from './htmx.ts';
import { fieldElementId, formElementId, slotElementId, statusElementId } from './ids.ts';

/** What a rendered form shows besides its config, and for which page it is made. */
export interface FormView {
  /** What stands before `/api/v1` in the form's addresses: nothing on the relay's own origin. */
  readonly base: string;
  readonly values: Values;
  /** Fields that the visitor has had in view: one that is not among the values was left empty, and stays so. */
  readonly seen: readonly Field[];
  readonly errors: readonly FieldError[];
  /** Messages about the submission as a whole. */
  readonly messages: readonly string[];
  /** Markup of the min-fill token, or of what fetches it; nothing for forms without min-fill. */
  readonly token: Html | undefined;
  /**
   * Where it goes, and so what becomes of a field whose `visible_when` does not hold: a `fragment`, for a page with
   * htmx, asks for it when it is needed; one to `paste` holds it in `noscript`; a `plain` form, for pages without any
   * script, shows it with its condition.
   */
  readonly medium: 'fragment' | 'paste' | 'plain';
}

const apiPath = (base: string, route: 'submit' | 'form' | 'token', form: Form) =>
  `${base}/api/v1/${route}/${encodeURIComponent(form.id)}`;

/** The whole `<form>` element (SPEC: GET /api/v1/form/{form}). */
export function renderForm(form: Form, view: FormView): Html {
  const values = withInitialValues(form, view);
  const visible = new Set(visibleFields(form.fields, values));
  const isShown = (field: Field) => view.medium === 'plain' || visible.has(field);
  const shownError = view.errors.find(({ field }) =>
    form.fields.some((candidate) => candidate.name === field && isShown(candidate)),
  );
  const inSlot = slotting(form, view.base);
  const fields = form.fields.map((field) => {
    const error = view.errors.find((candidate) => candidate.field === field.name);
    const render = (onlyIf?: string) =>
      renderField(form, field, {
        values: values.get(field.name) ?? [],
        error: error?.message,
        takesFocus: error !== undefined && error === shownError,
        onlyIf,
      });
    const renderWithCondition = () => render(field.visible_when && describe(field.visible_when, form));
    if (view.medium === 'plain') return renderWithCondition();
    if (visible.has(field)) return inSlot(field, render());
    return inSlot(field, view.medium === 'paste' && html`<noscript>\n${renderWithCondition()}</noscript>\n`);
  });
  const isPlain = view.medium === 'plain';
  return html`<form${attributes(formAttributes(form, view))}${!isPlain && formHandlers}>
${form.title && html`<h2>${form.title}</h2>\n`}${fields}${honeypot(form)}${view.token}${form.captcha && captchaWidget(form.captcha, isPlain)}
${statusLine(form, view, shownError === undefined)}
<button type="submit">${form.submitLabel}</button>
</form>
`;
}

function formAttributes(form: Form, { base, medium }: FormView) {
  const action = apiPath(base, 'submit', form);
  const common = { id: formElementId(form), class: 'form-relay', action, method: 'post' };
  if (medium === 'plain') return common;
  return {
    ...common,
    'hx-post': action,
    'hx-target': 'this',
    'hx-swap': 'outerHTML',
    // A second click while the first is under way sends nothing.
    'hx-sync': 'this:drop',
    'hx-disinherit': '*',
  };
}

/** Above the button, where the visitor looks. Alone with its messages it takes the focus. */
function statusLine(form: Form, { messages, errors }: FormView, takesFocus: boolean): Html {
  const undeclared = errors.filter(({ field }) => !form.fields.some(({ name }) => name === field));
  const all = [...messages, ...undeclared.map(({ field, message }) => `${field}: ${message}`)];
  const focus = all.length > 0 && takesFocus && { tabindex: -1, autofocus: true };
  const status = { id: statusElementId(form), class: 'form-status', role: 'alert', ...focus };
  return html`<div${attributes(status)}>${all.length > 0 && errorList(all)}</div>`;
}

/** A field that was neither sent nor seen shows its initial value. */
function withInitialValues({ fields }: Form, { values, seen }: FormView): Values {
  const initial = fields.flatMap((field) =>
    field.value && !values.has(field.name) && !seen.includes(field)
      ? [[field.name, field.value] as const]
      : [],
  );
  return initial.length === 0 ? values : new Map([...values, ...initial]);
}

/**
 * Fields that come and go, and the fields that decide it, stand in a slot each. When a deciding field changes, the
 * slots are rendered again, and only those are exchanged whose field came or went.
 */
function slotting(form: Form, base: string): (field: Field, content: Html | false) => Html | false {
  const conditional = form.fields.filter(({ visible_when }) => visible_when);
  if (conditional.length === 0) return (_, content) => content;
  const deciders = new Set(conditional.map(({ visible_when }) => visible_when?.field));
  const taking = form.fields.filter(({ name, visible_when }) => visible_when || deciders.has(name));
  const slots = taking.map(({ name }) => `#${slotElementId(form, name)}`);
  const ask = attributes({
    'hx-get': apiPath(base, 'form', form),
    'hx-trigger': 'change',
    'hx-include': slots.join(', '),
    'hx-swap': 'none',
    'hx-select-oob': slots.filter((_, index) => taking[index]?.visible_when).join(','),
    // The latest change counts, whichever field it was in.
    'hx-sync': `${slots[0]}:replace`,
  });
  return (field, content) => {
    if (!taking.includes(field)) return content;
    const id = attributes({ id: slotElementId(form, field.name) });
    const asking = deciders.has(field.name) && html`${ask}${keepTheirFields}`;
    return html`<div${id} class="field-slot"${field.visible_when && keepItsField}${asking}>\n${content}</div>\n`;
  };
}

/** A condition in words, for pages that cannot hide the field. */
function describe(condition: Condition, { fields }: Form): string {
  const decider = fields.find(({ name }) => name === condition.field) ?? { name: condition.field };
  const choices = 'options' in decider ? (decider.options ?? []) : [];
  const label = (chosen: string) => choices.find(({ value }) => value === chosen)?.label ?? chosen;
  return `only if “${labelOf(decider)}” ${condition.describe(label)}`;
}

/** The decoy: not `type=hidden`, which bots leave alone, yet out of sight and reach of people and their tools. */
function honeypot(form: Form): Html | undefined {
  const decoy = form.spam?.honeypot;
  if (decoy === undefined) return undefined;
  const id = fieldElementId(form, decoy);
  const input = attributes({ type: 'text', id, name: decoy, autocomplete: 'off', tabindex: -1 });
  return html`<div hidden aria-hidden="true">\n<label${attributes({ for: id })}>Leave this field empty</label>\n<input${input}>\n</div>\n`;
}

/** For pages that are built once: fetches a token when the page is shown. Without script, the relay's own form helps. */
export const tokenLoader = (form: Form, base: string): Html | undefined =>
  form.spam?.minFill &&
  html`<input${attributes({
    type: 'hidden',
    name: form.spam.minFill.tokenField,
    'hx-get': apiPath(base, 'token', form),
    'hx-trigger': 'load',
    'hx-swap': 'outerHTML',
  })}><noscript><p>Without JavaScript, please use <a${attributes({ href: apiPath(base, 'form', form) })}>this form</a>.</p></noscript>`;
