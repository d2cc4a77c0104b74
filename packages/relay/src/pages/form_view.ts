import { formEventsCode, partsInFormCode } from '../../built/inline.ts';
import { apiPath, linkField, sendAddress } from '../api_urls.ts';
import type { Condition } from '../base/condition.ts';
import {
  attributes,
  type Html,
  type HtmlValue,
  html,
  inlineScript,
  partId,
  withoutBraces,
} from '../base/html.ts';
import type { FieldError } from '../base/outcome.ts';
import type { Values } from '../base/values.ts';
import { withOwn } from '../fields/classes.ts';
import { type Field, visibleFields } from '../fields/field.ts';
import type { Addition, FieldRange, Form, FormView, Range } from '../form.ts';
import { withLinks } from '../schema/linked_text.ts';
import { hasAsterisk, labelIn, renderField, renderFixed, scriptsOfFields } from './field_view.ts';
import {
  errorList,
  fieldElementId,
  formElementId,
  hiddenInput,
  languageAttributes,
  slotElementId,
} from './fragments.ts';
import { labelledError, unlabelledError } from './problem_answer.ts';
import { fileAttributes, partsInPage, scriptAttributes, takesFiles } from './script_attributes.ts';
import { errorBeside } from './visitors_language.ts';

/** The whole `<form>` element (SPEC: GET /api/v1/form/{form}). */
export function renderForm(form: Form, view: FormView, hasHeading = true): Html {
  const { say, classes } = form;
  const additions = form.answers.additions.map((add) => add(form, view));
  const added = (place: keyof Addition) => additions.map((one) => one[place]);
  const isChallenged = additions.some(({ challenge }) => challenge);
  const values = withInitialValues(form, view);
  const visible = visibleFields(form.fields, values);
  const isForScript = view.medium === 'script';
  const isFragment = view.medium === 'fragment';
  const isShown = (field: Field) => !isFragment || visible.includes(field);
  // An error of a field that is not in the form goes into the status line.
  const shown = form.fields
    .filter(isShown)
    .flatMap((field) => (field.parts ? [field, ...field.parts.shown(values)] : field));
  const fieldOf = ({ field }: FieldError) => shown.find(({ name }) => name === field);
  const shownError = view.errors.find(fieldOf);
  // Why it is challenged is read first, and files that are to be chosen again with it.
  const hasSummary = view.errors.length + (isChallenged ? view.messages.length : 0) > 1;
  const messages = [
    ...view.messages,
    ...view.errors.flatMap((error) => {
      const field = fieldOf(error);
      if (!field) return labelledError(form, error);
      if (!hasSummary) return [];
      const words = unlabelledError(form, error) ?? labelledError(form, error);
      return html`<a href="#${errorTarget(form, field)}">${words}</a>`;
    }),
  ];
  const level = hasHeading && form.title ? 3 : 2;
  const inSlot = slotting(form, view.base);
  const rendered = (field: Field, onlyIf?: string): Html => {
    const error = view.errors.find((candidate) => candidate.field === field.name);
    const isFixed = view.link?.locked?.has(field.name);
    const gathered = isFixed && field.parts?.gather(values);
    return (isFixed ? renderFixed : renderField)(form, field, {
      values: gathered ? [JSON.stringify(gathered)] : (values.get(field.name) ?? []),
      error: error && (field.layout === 'bare' ? labelledError : errorBeside)(form, error),
      takesFocus: !hasSummary && error !== undefined && error === shownError,
      onlyIf,
      isMarked: isForScript,
      isForgotten: view.forgotten?.has(field.name),
      parts: field.parts
        ?.shown(values)
        .map((part) => ({ part, markup: rendered(onlyIf === undefined ? part : optional(part)) })),
    });
  };
  const fields = form.fields.map((field) => {
    if (isFragment) return inSlot(field, visible.includes(field) && rendered(field));
    const { visible_when: when } = field;
    return rendered(field, when && describe(when, form));
  });
  const hasNote = form.fields.some(
    (field) =>
      (field.parts?.shown(values) ?? [field]).some((one) => one.required && hasAsterisk(one)) &&
      !(view.medium === 'plain' && field.visible_when),
  );
  const parts = [
    added('before'),
    hasHeading && form.title && html`<h2>${form.title}</h2>\n`,
    hasNote && html`<p class="form-note">${say({ code: 'asterisk_note' })}</p>\n`,
    arrange(form, fields, level),
    carried(view),
    view.link?.token && html`${hiddenInput(linkField, view.link.token)}\n`,
    added('inputs'),
    added('widget'),
  ];
  const send = html`<button${attributes({ type: 'submit', class: classes?.button })}>${form.submitLabel}</button>`;
  const isAlone = additions.every(({ after }) => after === undefined);
  const loads = isForScript ? undefined : partsInPage(form, additions, isFragment);
  const markup = html`<form${formAttributes(form, view, additions, loads)}${added('attributes')}>
${parts}${statusLine(form, messages, hasSummary && level)}
${added('challenge')}${isAlone ? send : html`<p>${send}</p>`}${added('after')}
${isFragment && inlineScript(formEventsCode)}${loads && inlineScript(partsInFormCode)}${!isForScript && scriptsOfFields(form).map(inlineScript)}${added('scripts')}</form>
`;
  return isForScript ? withoutBraces(markup) : markup;
}

const carried = ({ carried = new Map<string, readonly string[]>() }: FormView): readonly Html[] =>
  [...carried].flatMap(([name, values]) => values.map((value) => html`${hiddenInput(name, value)}\n`));

function formAttributes(
  form: Form,
  { base, medium }: FormView,
  additions: readonly Addition[],
  loads: string | undefined,
): Html {
  // A fragment was loaded by htmx, which sends it, too.
  const post = apiPath(base, 'submit', form);
  const action = medium === 'fragment' ? post : sendAddress(base, form);
  const id = formElementId(form);
  const hasFiles = takesFiles(form);
  const common = attributes({
    id,
    class: withOwn('form-relay', form.classes?.form),
    action,
    method: 'post',
    enctype: hasFiles && multipart,
    'aria-label': form.title,
    'data-parts': loads,
    ...languageAttributes(form),
  });
  if (medium === 'plain') return common;
  if (medium === 'script') return html`${common}${scriptAttributes(form, additions)}`;
  const forFiles = hasFiles && html`${attributes({ 'hx-encoding': multipart })}${fileAttributes(form)}`;
  const lost = attributes({ 'data-not-sent': form.say({ code: 'not_sent' }) });
  // A second click while the first is under way sends nothing.
  return html`${common}${lost} hx-post="${post}" hx-target="this" hx-swap="outerHTML" hx-sync="this:drop" hx-disinherit="*"${forFiles}`;
}

/** The encoding of a body with files (RFC 7578). */
const multipart = 'multipart/form-data';

/**
 * Above the button, where the visitor looks. It has the focus when there is something to read in it. Where several fields
 * are wrong, it is a summary with links to them and a heading of this level (WCAG 3.3.1).
 */
function statusLine(form: Form, messages: readonly HtmlValue[], summary: 2 | 3 | false): Html {
  const focus = messages.length > 0 && { tabindex: -1, autofocus: true };
  const status = { class: 'form-status', role: 'alert', ...focus };
  const title = summary && heading(summary, 'form-summary', form.say({ code: 'summary_title' }));
  return html`<div${attributes(status)}>${title}${messages.length > 0 && errorList(messages)}</div>`;
}

/** The target of a link to an error: the control, the first one of a group, or the message if the control is invisible. */
const errorTarget = (form: Form, { name, layout }: Field): string =>
  layout === 'bare' ? partId(fieldElementId(form, name), 'error') : fieldElementId(form, name);

/** A part of a field that may not apply: browsers cannot demand it. */
const optional = (part: Field) => (part.required ? part.withKeys({ isLenient: true }) : part);

/** A field that was neither sent nor seen shows its initial value. */
function withInitialValues({ inputs: fields }: Form, { values, seen }: FormView): Values {
  const isInitial = (field: Field) => field.value && !values.has(field.name) && !seen.includes(field);
  const initial = fields.filter(isInitial).map(({ name, value = [] }) => [name, value] as const);
  return initial.length === 0 ? values : new Map([...values, ...initial]);
}

/**
 * The rendered fields, one each and in their order, with the notes between them, in their rows, groups and steps. `level` is
 * that of the steps' headings.
 */
function arrange(form: Form, rendered: readonly HtmlValue[], level: 2 | 3): HtmlValue {
  const { notes, groups, steps, rows } = form;
  if ([notes, groups, steps, rows].every(({ length }) => length === 0)) return rendered;
  const notesBefore = (index: number) => notes.filter(({ before }) => before === index).map(noteView);
  const inRows = wrap(rendered, rows, (_, inside) => rowView(inside));
  const items = inRows.map((field, index) => [notesBefore(index), field]);
  const grouped = [...wrap(items, groups, groupView), notesBefore(rendered.length)];
  return wrap(grouped, steps, (step, inside) => stepView(step, steps.indexOf(step) + 1, inside, level));
}

/** The items of each run are one item in the place of its first. */
function wrap<R extends Range>(
  items: readonly HtmlValue[],
  runs: readonly R[],
  view: (run: R, inside: readonly HtmlValue[]) => Html,
): readonly HtmlValue[] {
  const wrapped = [...items];
  for (const run of runs) {
    const inside = items.slice(run.from, run.to);
    wrapped.fill(undefined, run.from, run.to);
    wrapped[run.from] = view(run, inside);
  }
  return wrapped;
}

const noteView = ({ text }: Form['notes'][number]): Html =>
  html`<p class="field-note">${withLinks(text)}</p>\n`;

const rowView = (inside: readonly HtmlValue[]): Html => html`<div class="field-row">\n${inside}</div>\n`;

const groupView = ({ title }: FieldRange, inside: readonly HtmlValue[]): Html =>
  html`<fieldset class="field-group">\n<legend>${withLinks(title)}</legend>\n${inside}</fieldset>\n`;

/** The script shows one step at a time. Without it, all of them stand on the page, one below the other. */
function stepView({ title }: FieldRange, number: number, inside: readonly HtmlValue[], level: 2 | 3): Html {
  const section = attributes({ class: 'form-step', 'data-step': number });
  return html`<section${section}>\n${heading(level, 'form-step-title', title)}\n${inside}</section>\n`;
}

/** Under the heading of the page, or of the form. */
const heading = (level: 2 | 3, className: string, words: string): Html =>
  level === 2 ? html`<h2 class="${className}">${words}</h2>` : html`<h3 class="${className}">${words}</h3>`;

/**
 * Fields that come and go, and the fields that decide it, stand in a slot each. When a deciding field changes, the
 * slots are rendered again, and only those are exchanged whose field came or went.
 */
function slotting(form: Form, base: string): (field: Field, content: Html | false) => Html | false {
  const conditional = form.fields.filter(({ visible_when }) => visible_when);
  if (conditional.length === 0) return (_, content) => content;
  const deciders = new Set(conditional.map(({ visible_when }) => visible_when?.field));
  const taking = form.fields.filter(({ name, visible_when }) => visible_when || deciders.has(name));
  const slotsOf = (fields: readonly Field[]) => fields.map(({ name }) => `#${slotElementId(form, name)}`);
  const ask = attributes({
    'hx-get': apiPath(base, 'form', form),
    // While someone is typing, so that the Tab key leads into the new field.
    'hx-trigger': 'change, input delay:300ms',
    // Only what decides: the rest is nothing for an address, which may be logged.
    'hx-include': slotsOf(form.fields.filter(({ name }) => deciders.has(name))).join(', '),
    'hx-swap': 'none',
    'hx-select-oob': slotsOf(conditional).join(','),
    // The latest change counts, whichever field it was in.
    'hx-sync': `${slotsOf(taking)[0]}:replace`,
  });
  return (field, content) => {
    if (!taking.includes(field)) return content;
    const id = attributes({ id: slotElementId(form, field.name) });
    return html`<div${id} class="field-slot"${deciders.has(field.name) && ask}>\n${content}</div>\n`;
  };
}

/** A condition in words, for pages that cannot hide the field. */
function describe({ field, test, values }: Condition, form: Form): string {
  const options = form.fields.find(({ name }) => name === field)?.options ?? [];
  const labels = values.map((chosen) => options.find(({ value }) => value === chosen)?.label ?? chosen);
  const alternatives =
    labels.length === 0
      ? ''
      : labels.reduce((one, other) => form.say({ code: 'one_or_other', params: { one, other } }));
  return form.say({ code: `only_if_${test}`, params: { field: labelIn(form, field), values: alternatives } });
}
