import { decidersOf } from '@form-relay/base/condition';
import { hasLinks, withLinks, withoutLinks } from '@form-relay/base/html';
import type { Field, FormView, LocalizedText, Message } from '@form-relay/core/index';

/** The script's texts by attribute, each with the code of its message. */
const spoken = {
  sending: 'sending',
  'not-sent': 'not_sent',
  'not-sent-yet': 'not_sent_yet',
  'not-ready': 'not_ready',
  'summary-title': 'summary_title',
  'field-error': 'field_error',
  'form-expired': 'form_ready_again',
  throttled: 'slow_down_page',
  undelivered: 'not_delivered_page',
};

/** The script fills in the values in braces. */
const params: Message['params'] = { field: '{field}', error: '{error}' };

/** The form for the element's script, with the `data-` attributes that the script reads (packages/element/src/element). */
export function scriptView(view: FormView): FormView {
  const { locale, classes } = view;
  const said = ([name, code]: [string, string]) => [`data-${name}`, locale.translate({ code, params })];
  const { parts, attributes } = conditions(view);
  return {
    ...view,
    medium: 'script',
    parts,
    query: queryOf(view),
    attributes: {
      ...view.attributes,
      ...attributes,
      ...ownersWords(view.form.provided.get('failure_message'), view),
      'data-error-class': classes?.error,
      ...Object.fromEntries(Object.entries(spoken).map(said)),
    },
  };
}

/** The same for the relay's own page, which already shows the title and the errors. */
export function pageView(view: FormView): FormView {
  const { parts = [], attributes, ...rest } = scriptView(view);
  return {
    ...rest,
    medium: 'page',
    hasHeading: false,
    parts: view.sent ? [...parts, 'again'] : parts,
    attributes: { ...attributes, 'data-query': fromOwnPage },
  };
}

/**
 * The query with which the script of the relay's own page sends the form, so that it can redirect to the page
 * that is safe to reload.
 */
export const fromOwnPage = 'as=sent';

/** The form's URL asks for a page, so that visitors never end on JSON. A field with this name has precedence. */
const queryOf = ({ fields }: FormView): string | undefined =>
  fields.some(({ name }) => name === 'as') ? undefined : 'as=page';

/** The owner's text for failed submissions, included because a relay that is down cannot send it. */
function ownersWords(text: LocalizedText | undefined, { locale }: FormView) {
  if (text === undefined) return undefined;
  const words = locale.text(text);
  return {
    'data-failure-message': withoutLinks(words),
    'data-failure-message-html': hasLinks(words) ? withLinks(words).toString() : undefined,
  };
}

/**
 * Simple conditions are in `data-when`: one list per field, with its name (followed by a dot if it has parts), whether
 * the browser requires it, the field that it depends on, the test, and the values. For others, the script loads a part
 * that reads `data-conditions`, in which notes are named by their numbers, and `data-kinds`.
 */
function conditions({ fields, form: { notes } }: FormView): Pick<FormView, 'parts' | 'attributes'> {
  const ofNotes = notes.filter(({ visible_when }) => visible_when);
  const conditional = fields.filter(({ visible_when, required_when }) => visible_when || required_when);
  if (conditional.length + ofNotes.length === 0) return {};
  const kinds = kindsOf(fields, [...conditional, ...ofNotes]);
  const rules = conditional.map(({ name, inputs, layout, required, visible_when, required_when }) => ({
    name: inputs ? `${name}.` : name,
    canDemand: layout !== 'group' && layout !== 'inputs',
    required,
    visible_when,
    required_when,
  }));
  const usual = rules.flatMap(({ name, canDemand, required, visible_when: when, required_when }) =>
    when && 'field' in when && isUsual.has(when.test) && !kinds[when.field] && !required_when
      ? [[name, required && canDemand ? 1 : 0, when.field, when.test, ...when.values]]
      : [],
  );
  if (usual.length === rules.length + ofNotes.length)
    return { attributes: { 'data-when': JSON.stringify(usual) } };
  const all = rules.map(({ name, canDemand, required, visible_when: shown, required_when }) => [
    name,
    canDemand,
    shown ?? true,
    required || (required_when ?? false),
  ]);
  const notesToo = ofNotes.map(({ name, visible_when }) => [Number(name), false, visible_when, false]);
  return {
    parts: ['conditions'],
    attributes: {
      'data-conditions': JSON.stringify([...all, ...notesToo]),
      'data-kinds': Object.keys(kinds).length > 0 ? JSON.stringify(kinds) : undefined,
    },
  };
}

/** How to compare the values of fields that conditions depend on, if not as text. */
function kindsOf(fields: readonly Field[], all: readonly Conditional[]): Readonly<Record<string, string>> {
  const conditions = all.flatMap(({ visible_when, required_when }) =>
    [visible_when ?? [], required_when ?? []].flat(),
  );
  const names = new Set(conditions.flatMap((one) => [...decidersOf(one)]));
  const deciders = fields.filter(({ name, comparedAs }) => names.has(name) && comparedAs !== 'text');
  return Object.fromEntries(deciders.map(({ name, comparedAs }) => [name, comparedAs]));
}

type Conditional = Partial<Pick<Field, 'visible_when' | 'required_when'>>;

const isUsual = new Set(['is', 'is_not', 'filled', 'empty']);
