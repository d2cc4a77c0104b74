import { type Condition, decidersOf, opposites } from '@form-relay/base/condition';
import type { Html, HtmlValue } from '@form-relay/base/html';
import { attributes, html, inlineScript, withLinks, withoutBraces } from '@form-relay/base/html';
import type { Values } from '@form-relay/base/values';
import { formEventsCode, partsInFormCode } from '@form-relay/element/built/inline';
import { visibleFields } from '@form-relay/schema/condition';
import { gathered, sourcesOf, withDerived } from '../fields/derived.ts';
import type { Field } from '../fields/field.ts';
import { errorWords, labelIn, labelledError, unlabelledError } from '../fields/label.ts';
import type { Form, Note } from '../form.ts';
import type { Locale } from '../messages/message.ts';
import type { FormMarkup, FormView, Rendered } from '../plugin.ts';
import type { FieldError } from '../submission.ts';
import { apiPath, fieldElementId, formElementId, partId, slotElementId, withOwn } from './element_ids.ts';
import { type FieldState, hasAsterisk, renderField, renderFixed, type Surroundings } from './field_view.ts';
import { errorList, hiddenInput } from './fragments.ts';

export interface Shown extends FormView {
  readonly errors: readonly FieldError[];
  /** Values without a control, to be submitted again with the others. */
  readonly carried?: Values;
  /** Fields that the visitor has already seen: one without a value was left empty, and remains empty. */
  readonly seen: readonly Field[];
  /** Fields whose files the visitor has to choose again. */
  readonly forgotten?: ReadonlySet<string>;
}

/** The whole `<form>` element (SPEC: GET /api/v1/form/{form}). */
export function renderForm(form: Form, view: Shown): Rendered {
  const { fields, locale, medium, classes = {} } = view;
  const { translate, text } = locale;
  const markups = form.renderMarkup.map((add) => add(view));
  const added = (place: 'before' | 'inputs' | 'challenge' | 'after') => markups.map((one) => one[place]);
  const values = withDerived(withInitialValues(form, view), form);
  const entries = form.notes.length > 0 ? [...fields, ...form.notes] : fields;
  const visible = visibleFields(entries, values);
  const hidesFields = medium === undefined;
  const shown = fields
    .filter((field) => !hidesFields || visible.includes(field))
    .flatMap((field) => (field.inputs ? [field, ...field.inputs.shown(values)] : field));
  // The status line shows errors of fields that are not in the form.
  const fieldOf = ({ field }: FieldError) => shown.find(({ name }) => name === field);
  const firstError = view.errors.find(fieldOf);
  const hasSummary = view.errors.length > 1;
  const labelled = (error: FieldError) => labelledError(form, error, locale);
  const messages: readonly HtmlValue[] = [
    ...(view.messages ?? []),
    ...view.errors.flatMap((error): readonly HtmlValue[] => {
      const field = fieldOf(error);
      if (!field) return [labelled(error)];
      if (!hasSummary) return [];
      const words = unlabelledError(form, error, locale) ?? labelled(error);
      return [html`<a href="#${errorTarget(form, field)}">${words}</a>`];
    }),
  ];
  const around: Surroundings = {
    form,
    locale,
    classes,
    render: (input, onlyIf) =>
      // Browsers cannot require an input of a field that does not always apply.
      rendered(onlyIf !== undefined && input.required ? input.withKeys({ isLenient: true }) : input),
  };
  const rendered = (field: Field, onlyIf?: string): Html => {
    const found = view.errors.find((one) => one.field === field.name);
    const error = found && (field.layout === 'bare' ? labelled(found) : errorWords(form, found, locale));
    // Entries that a script adds are not among the values, and without a script an initial result would never change.
    const isEarly = field.derive && !view.sent;
    const own = (isEarly ? undefined : (values.get(field.name) ?? initialOf(field, view))) ?? [];
    const { required_when: demandedWhen } = field;
    if (view.locked?.has(field.name))
      return renderFixed(field, { values: field.inputs ? gathered(field, values) : own, error }, around);
    const state: FieldState = {
      values: own,
      error,
      takesFocus: !hasSummary && found !== undefined && found === firstError,
      onlyIf,
      demandedIf: demandedWhen && conditionWords(demandedWhen, form, locale),
      isMarked: medium === 'page' ? 'later' : medium === 'script',
      isForgotten: view.forgotten?.has(field.name) ?? false,
      ...(field.inputs && { inputs: field.inputs.shown(values) }),
    };
    return renderField(field, state, around);
  };
  const inSlot = slotting(form, view, entries);
  const each = fields.map((field): HtmlValue => {
    if (hidesFields) return inSlot(field, visible.includes(field) && rendered(field));
    return rendered(field, field.visible_when && conditionWords(field.visible_when, form, locale));
  });
  const notes = form.notes.map((note) => {
    const { before, visible_when: when } = note;
    const content = renderNote(text(note.text), markups);
    if (!when) return [before, content] as const;
    if (hidesFields) return [before, inSlot(note, visible.includes(note) && content)] as const;
    const words = html`<p class="field-note field-condition">(${conditionWords(when, form, locale)})</p>`;
    return [before, html`<div data-note="${note.name.trim()}">\n${content}${words}\n</div>\n`] as const;
  });
  const hasMark = (isMarked: (field: Field, owner: Field) => unknown) =>
    fields.some((field) =>
      (field.inputs?.shown(values) ?? [field]).some((one) => isMarked(one, field) && hasAsterisk(one)),
    );
  const isMarkedByScript = hasMark(({ required, required_when }) => required || (medium && required_when));
  const isMarked =
    medium === 'page'
      ? hasMark(({ required }, { visible_when }) => required && !visible_when)
      : isMarkedByScript;
  const title = view.hasHeading !== false && form.title !== undefined && html`<h2>${text(form.title)}</h2>\n`;
  const noteAttributes = attributes({ class: 'form-note', hidden: !isMarked });
  const note = isMarkedByScript && html`<p${noteAttributes}>${translate({ code: 'asterisk_note' })}</p>\n`;
  const carried = [...(view.carried ?? [])].flatMap(([name, all]) =>
    all.map((value) => html`${hiddenInput(name, value)}\n`),
  );
  const words = form.submitLabel === undefined ? translate({ code: 'submit' }) : text(form.submitLabel);
  const send = html`<button${attributes({ type: 'submit', class: classes.button })}>${words}</button>`;
  const ofFields = new Set(form.inputs.concat(fields).flatMap(({ script }) => script ?? []));
  const ofFeatures = markups.flatMap((one) => one.scripts ?? []);
  const parts = partsOf(form, view, markups);
  const loader = parts.length > 0 ? [partsInFormCode] : [];
  const scripts = medium ? [] : [formEventsCode, ...loader, ...ofFields, ...ofFeatures];
  const markup = html`<form${formAttributes(form, view, markups, parts)}>
${added('before')}${title}${note}${arrange(each, notes, markups)}${carried}${added('inputs')}${statusLine(messages, hasSummary && (title ? 3 : 2), locale)}
${added('challenge')}${send}
${added('after')}${scripts.map(inlineScript)}</form>
`;
  return {
    html: medium === 'script' ? withoutBraces(markup) : markup,
    sources: markups.flatMap(({ sources }) => (sources ? [sources] : [])),
    scripts,
    hasScript: medium === 'page',
    isUnstored: markups.some((one) => one.isUnstored),
  };
}

/**
 * The files that the form's script loads, in this order: fields show their controls before a draft is filled
 * in. With htmx, the markup already contains some of this code.
 */
function partsOf(
  form: Form,
  { medium, parts = [] }: Shown,
  markups: readonly FormMarkup[],
): readonly string[] {
  const all = [...form.fields, ...form.inputs];
  const inMarkup = medium ? all.flatMap(({ script, type }) => (script ? type : [])) : [];
  return [
    ...new Set([
      ...inMarkup,
      ...form.inputs.flatMap(({ part }) => part ?? []),
      ...markups.flatMap(({ part }) => part ?? []),
      ...parts,
    ]),
  ];
}

function formAttributes(
  form: Form,
  view: Shown,
  markups: readonly FormMarkup[],
  parts: readonly string[],
): Html {
  const { locale, medium, base, classes = {} } = view;
  const query = [locale.query, view.query].filter(Boolean).join('&');
  const post = `${apiPath(base, 'submit', form.id)}${query && `?${query}`}`;
  const isMultipart = markups.some((one) => one.isMultipart);
  const multipart = isMultipart && 'multipart/form-data';
  const own = {
    id: formElementId(form),
    class: withOwn('form-relay', classes.form),
    action: post,
    method: 'post',
    enctype: multipart,
    'aria-label': form.title && locale.text(form.title),
    'data-parts': parts.length > 0 && parts.join(' '),
    lang: locale.language,
    dir: locale.direction,
    ...view.attributes,
    ...Object.assign({}, ...markups.map((one) => one.attributes)),
  };
  // A second click during a request sends nothing.
  const hx = medium === undefined && {
    'data-not-sent': locale.translate({ code: 'not_sent' }),
    'hx-post': post,
    'hx-target': 'this',
    'hx-swap': 'outerHTML',
    'hx-sync': 'this:drop',
    'hx-disinherit': '*',
    'hx-encoding': multipart,
  };
  return html`${attributes(own)}${attributes(hx)}`;
}

/** Above the button, with the focus if it has text. Several invalid fields make a summary with links (WCAG 3.3.1). */
function statusLine(messages: readonly HtmlValue[], summary: 2 | 3 | false, { translate }: Locale): Html {
  const focus = messages.length > 0 && { tabindex: -1, autofocus: true };
  const title = summary && heading(summary, 'form-summary', translate({ code: 'summary_title' }));
  return html`<div${attributes({ class: 'form-status', role: 'alert', ...focus })}>${title}${messages.length > 0 && errorList(messages)}</div>`;
}

export const heading = (level: 2 | 3, className: string, words: HtmlValue): Html =>
  level === 2 ? html`<h2 class="${className}">${words}</h2>` : html`<h3 class="${className}">${words}</h3>`;

/** The target of a link to an error: the control, the first one of a group, or the message if the control is invisible. */
const errorTarget = (form: Form, { name, layout }: Field): string =>
  layout === 'bare' ? partId(fieldElementId(form, name), 'error') : fieldElementId(form, name);

/** A field that was neither submitted nor seen shows its initial value. */
const initialOf = (field: Field, { values, seen }: Shown): readonly string[] | undefined =>
  values.has(field.name) || seen.some(({ name }) => name === field.name) ? undefined : field.value;

function withInitialValues({ inputs }: Form, view: Shown): Values {
  const { values } = view;
  const initial = inputs.flatMap((field) => {
    const value = field.value && initialOf(field, view);
    return value ? [[field.name, value] as const] : [];
  });
  return initial.length === 0 ? values : new Map([...values, ...initial]);
}

/** The rendered fields in order, one entry each, with the notes between them, as arranged by features. */
function arrange(
  fields: readonly HtmlValue[],
  notes: readonly (readonly [before: number, html: HtmlValue])[],
  markups: readonly FormMarkup[],
): HtmlValue {
  const notesBefore = (index: number): HtmlValue =>
    notes.filter(([before]) => before === index).map(([, one]) => one);
  const arranged = (place: 'rows' | 'runs', items: readonly HtmlValue[]) =>
    markups.reduce((all, one) => one[place]?.(all) ?? all, items);
  const items = arranged('rows', fields).map((field, index): HtmlValue => [notesBefore(index), field]);
  return arranged('runs', [...items, notesBefore(fields.length)]);
}

export const renderNote = (text: string, markups: readonly FormMarkup[]): HtmlValue =>
  markups.find(({ note }) => note)?.note?.(text) ?? html`<p class="field-note">${withLinks(text)}</p>\n`;

/** A condition in words, for pages that cannot hide the field. */
function conditionWords(
  condition: Condition,
  form: Form,
  locale: Locale,
  isNegated = false,
  isInner = false,
): string {
  const { translate } = locale;
  if ('not' in condition) return conditionWords(condition.not, form, locale, !isNegated, isInner);
  if ('field' in condition) {
    const { field, test, values } = condition;
    const decider = form.fields.find(({ name }) => name === field);
    const either = inOneText(
      few(values, (value) => {
        const option = decider?.options?.find((one) => decider.canonical(one.value) === value);
        return option ? locale.text(option.label) : (decider?.words([value], locale).join() ?? value);
      }),
      'one_or_other',
      locale,
    );
    const params = { field: labelIn(form, field, locale), values: either };
    return translate({ code: `only_if_${isNegated ? opposites[test] : test}`, params });
  }
  const isAll = 'all' in condition;
  const parts = few(isAll ? condition.all : condition.any, (one) =>
    conditionWords(one, form, locale, isNegated, true),
  );
  const joined = inOneText(parts, isAll === isNegated ? 'one_or_other' : 'one_and_other', locale);
  return isInner && parts.length > 1 ? `(${joined})` : joined;
}

const inOneText = (parts: readonly string[], code: string, { translate }: Locale): string =>
  parts.length === 0 ? '' : parts.reduce((one, other) => translate({ code, params: { one, other } }));

/** Readers would skip a longer list. */
const mostSaid = 20;
const few = <T>(all: readonly T[], say: (one: T) => string): readonly string[] => [
  ...all.slice(0, mostSaid).map(say),
  ...(all.length > mostSaid ? ['…'] : []),
];

/** Conditional fields and their deciding fields have slots. A page only replaces slots whose field was shown or hidden. */
function slotting(
  form: Form,
  { base, locale: { query } }: Shown,
  entries: readonly (Field | Note)[],
): (of: Field | Note, content: HtmlValue) => HtmlValue {
  const conditional = entries.filter(({ visible_when }) => visible_when);
  if (conditional.length === 0) return (_, content) => content;
  const deciders = new Set(
    conditional.flatMap(({ visible_when }) =>
      visible_when ? [...decidersOf(visible_when)].flatMap((name) => sourcesOf(name, form)) : [],
    ),
  );
  const taking = entries.filter(({ name, visible_when }) => visible_when || deciders.has(name));
  const slots = (fields: readonly { readonly name: string }[]) =>
    fields.map(({ name }) => `#${slotElementId(form, name)}`);
  const ask = attributes({
    'hx-get': `${apiPath(base, 'form', form.id)}${query ? `?${query}` : ''}`,
    // During typing, so that the Tab key reaches the new field.
    'hx-trigger': 'change, input delay:300ms',
    // Only the deciding fields: other values do not belong in an address, which may be logged.
    'hx-include': slots(entries.filter(({ name }) => deciders.has(name))).join(', '),
    'hx-swap': 'none',
    'hx-select-oob': slots(conditional).join(','),
    // The latest change wins, whichever field it was in.
    'hx-sync': `${slots(taking)[0]}:replace`,
  });
  return (field, content) =>
    taking.includes(field)
      ? html`<div id="${slotElementId(form, field.name)}" class="field-slot"${deciders.has(field.name) && ask}>\n${content}</div>\n`
      : content;
}
