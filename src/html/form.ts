import type { Field } from '../fields/field.ts';
import { type Condition, visibleFields } from '../fields/visible_when.ts';
import type { Form, Values } from '../form.ts';
import type { FieldError } from '../outcome.ts';
import { captchaWidget } from './captcha.ts';
import { labelOf, renderField } from './field.ts';
import { errorList } from './fragments.ts';
import { attributes, type Html, html } from './html.ts';
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

export const apiPath = (base: string, route: 'submit' | 'form' | 'token', form: Form) =>
  `${base}/api/v1/${route}/${encodeURIComponent(form.id)}`;

/** The whole `<form>` element (SPEC: GET /api/v1/form/{form}). */
export function renderForm(form: Form, view: FormView): Html {
  const values = withInitialValues(form, view);
  const visible = new Set(visibleFields(form.fields, values));
  const isShown = (field: Field) => view.medium === 'plain' || visible.has(field);
  const shownError = view.errors.find(({ field }) =>
    form.fields.some((candidate) => candidate.name === field && isShown(candidate)),
  );
  const fields = form.fields.map((field) => {
    const error = view.errors.find((candidate) => candidate.field === field.name);
    const render = (onlyIf?: string) =>
      renderField(form, field, {
        values: values.get(field.name) ?? [],
        error: error?.message,
        takesFocus: error !== undefined && error === shownError,
        onlyIf,
      });
    const condition = field.visible_when && describe(field.visible_when, form);
    if (view.medium === 'plain') return render(condition);
    if (visible.has(field)) return inSlot(form, field, render(), view.base);
    const away = view.medium === 'paste' && html`<noscript>\n${render(condition)}</noscript>\n`;
    return inSlot(form, field, away, view.base);
  });
  const isPlain = view.medium === 'plain';
  return html`<form${attributes(formAttributes(form, view))}${!isPlain && handlers}>
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

/** htmx 2 (`before-swap`) swaps no 4xx and 5xx on its own; htmx 4 (`before:swap`) does. */
const swapErrors = 'let d=event.detail,s=d.xhr.status;if(s>399){d.shouldSwap=true;d.isError=s>499}';

/** The confirmation takes the place of the form, and the focus: whoever cannot see the page hears it (WCAG 4.1.3). */
const focusConfirmation =
  'if(event.target==this)new MutationObserver((m,o)=>{if(this.isConnected)return;o.disconnect();' +
  "for(let r of m)for(let c of r.addedNodes)if(c.classList?.contains('form-confirmation')){c.tabIndex=-1;c.focus()}" +
  '}).observe(this.parentNode,{childList:true})';

/** Escaped once: they are long. */
const handlers = attributes({
  'hx-on:htmx:before-swap': `${swapErrors};${focusConfirmation}`,
  'hx-on:htmx:before:swap': focusConfirmation,
});

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
function inSlot(
  form: Form,
  field: Field,
  content: Html | undefined | false,
  base: string,
): Html | undefined | false {
  const decides = isDecider(form, field);
  if (!field.visible_when && !decides) return content;
  const slotOf = ({ name }: Field) => `#${slotElementId(form, name)}`;
  const conditional = form.fields.filter(({ visible_when }) => visible_when);
  const taking = form.fields.filter((other) => other.visible_when || isDecider(form, other));
  const live = decides && {
    'hx-get': apiPath(base, 'form', form),
    'hx-trigger': 'change',
    'hx-include': taking.map(slotOf).join(', '),
    'hx-swap': 'none',
    'hx-select-oob': conditional.map(slotOf).join(','),
    'hx-on:htmx:before:swap': keepFields,
    // The latest change counts, whichever field it was in.
    'hx-sync': taking
      .slice(0, 1)
      .map((first) => `${slotOf(first)}:replace`)
      .join(),
  };
  const slot = {
    id: slotElementId(form, field.name),
    class: 'field-slot',
    'hx-on:htmx:oob-before-swap': field.visible_when && keepField,
    ...live,
  };
  return html`<div${attributes(slot)}>\n${content}</div>\n`;
}

/** A slot whose field is there already stays as it is: someone may be typing in it. For htmx 2, then for htmx 4. */
const keepField =
  "let d=event.detail;if(this.querySelector('[name]')&&d.fragment.querySelector('[name]'))d.shouldSwap=false";
const keepFields =
  "for(let t of event.detail.tasks)if(t.type=='oob'&&t.target.querySelector('[name]')&&t.fragment.querySelector('[name]'))" +
  "t.swapSpec.style='none'";

const isDecider = ({ fields }: Form, { name }: Field) =>
  fields.some(({ visible_when }) => visible_when?.field === name);

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
