import { attributes, type Html, html, partId } from '../base/html.ts';
import { withoutEmpty } from '../base/values.ts';
import { type Classes, withOwn } from '../fields/classes.ts';
import { type Field, type Layout, labelOf, type RenderedPart } from '../fields/field.ts';
import { asWords, sentByParts } from '../fields/stored_value.ts';
import type { Form } from '../form.ts';
import type { Message } from '../messages/message.ts';
import { withLinks } from '../schema/linked_text.ts';
import { fieldElementId, hiddenInput } from './fragments.ts';

export interface FieldState {
  readonly values: readonly string[];
  /** The error in them; with the field's name if the field is invisible. */
  readonly error: string | undefined;
  /** The first field with an error takes the focus. */
  readonly takesFocus: boolean;
  /** Said beside the label when the field applies only sometimes, and the page cannot hide it. */
  readonly onlyIf?: string | undefined;
  /** Whether a required field is marked as such even where it may not apply: a script shows and hides it. */
  readonly isMarked?: boolean;
  /** Whether the page may have lost the files that were chosen in it. Its script takes these words back where it has them. */
  readonly isForgotten?: boolean | undefined;
  readonly parts?: readonly RenderedPart[] | undefined;
}

/** The markup around a control, whatever it holds. */
interface Frame {
  readonly id: string;
  readonly label: Html;
  readonly fieldClass: Html;
  readonly labelClass: Html;
  /** Help and hint. */
  readonly about: Html;
  /** The ids of what `about` holds. */
  readonly describedBy: string | undefined;
}

/** Made when a field is first shown, which saves a form a quarter of its time. A field has one form. */
const frames = new WeakMap<Field, Frame>();

function frameOf(form: Form, field: Field): Frame {
  const known = frames.get(field);
  if (known) return known;
  const { classes = {} } = form;
  const id = fieldElementId(form, field.name);
  // A bare field is invisible, so it needs no notes.
  const { help, hint } = field.layout === 'bare' ? {} : field;
  const notes = [
    { id: partId(id, 'help'), text: help && withLinks(help) },
    { id: partId(id, 'hint'), text: hint && [hint, ...together(form, field)].map(form.say).join(' ') },
  ].filter(({ text }) => text);
  const helpClass = withOwn('field-help', classes.help);
  const frame = {
    id,
    label: withLinks(field.label ?? labelOf(field)),
    fieldClass: attributes({ class: withOwn(ownClass(field), classes.field) }),
    labelClass: attributes({ class: labelClass(field.layout, classes) }),
    about: html`${notes.map((note) => html`<p${attributes({ class: helpClass, id: note.id })}>${note.text}</p>\n`)}`,
    describedBy: notes.map((note) => note.id).join(' ') || undefined,
  };
  frames.set(field, frame);
  return frame;
}

function ownClass({ width, layout, type }: Field): string {
  if (layout === 'parts') return `field field-parts field-${type}`;
  return width === 'full' || layout === 'bare' ? 'field' : `field field-${width.replace('_', '-')}`;
}

/** The limit of all files together, if it is below that of the field. */
const together = ({ bodyLimit }: Form, { mostBytes = 0 }: Field): readonly Message[] =>
  mostBytes > bodyLimit ? [{ code: 'file_hint_together', params: { size: { bytes: bodyLimit } } }] : [];

/** A field with its label, help and error (WCAG 1.3.1, 3.3.1, 3.3.2). */
export function renderField(form: Form, field: Field, state: FieldState): Html {
  const { layout } = field;
  const { error, onlyIf, takesFocus } = state;
  const frame = frameOf(form, field);
  const { id } = frame;
  // A field that may not apply cannot be demanded by the browser; the server decides.
  const required = field.required && onlyIf === undefined && !field.isLenient;
  const invalid = error !== undefined;
  const errorId = partId(id, 'error');
  const describedBy = invalid ? [frame.describedBy, errorId].filter(Boolean).join(' ') : frame.describedBy;
  const values = withoutEmpty(state.values);
  const control = field.control({
    say: form.say,
    id,
    values,
    required,
    describedBy,
    invalid,
    classes: form.classes,
    dir: form.direction === 'rtl' ? 'auto' : undefined,
    autofocus: takesFocus,
    parts: state.parts ?? [],
    blank: (field.parts?.blank ?? []).map((part) => renderPart(form, part)),
  });
  const errorClass = withOwn('field-error', form.classes?.error);
  const about = [
    frame.about,
    invalid && html`<p class="${errorClass}" id="${errorId}">${error}</p>\n`,
    state.isForgotten &&
      html`<p class="${errorClass}" data-forgotten>${form.say({ code: 'file_choose_again' })}</p>\n`,
  ];
  const label = [
    frame.label,
    (required || ((state.isMarked || field.isLenient) && field.required)) &&
      hasMark(field) &&
      mark(layout, form.say),
    onlyIf && html` <span class="field-condition">(${onlyIf})</span>`,
  ];
  switch (layout) {
    case 'bare': {
      const focus = takesFocus && { tabindex: -1, autofocus: true };
      return html`${control}\n${invalid && html`<div${frame.fieldClass}${attributes({ ...focus })}>\n${about}</div>\n`}`;
    }
    case 'box':
      return html`<div${frame.fieldClass}>\n<label${frame.labelClass}>${control} <span>${label}</span></label>\n${about}</div>\n`;
    case 'radiogroup':
    case 'group': {
      const group = layout === 'radiogroup' && {
        role: 'radiogroup',
        'aria-required': required && 'true',
        'aria-invalid': invalid && 'true',
      };
      return html`<fieldset${frame.fieldClass}${attributes({ ...group, 'aria-describedby': describedBy })}>\n<legend${frame.labelClass}>${label}</legend>\n${about}${control}</fieldset>\n`;
    }
    case 'parts': {
      const own = { id, tabindex: invalid && -1, autofocus: takesFocus, 'aria-describedby': describedBy };
      return html`<fieldset${frame.fieldClass}${attributes(own)}>\n<legend${frame.labelClass}>${label}</legend>\n${about}${control}</fieldset>\n`;
    }
    case 'labelled':
      return html`<div${frame.fieldClass}>\n<label for="${id}"${frame.labelClass}>${label}</label>\n${about}${control}\n</div>\n`;
  }
}

/** A value that a link of the owner's fixes, in words: its visitor reads it, and sends it as it is. */
export function renderFixed(form: Form, field: Field, { values: given, error }: FieldState): Html {
  const frame = frameOf(form, field);
  const values = withoutEmpty(given);
  const sent = field.parts ? sentByParts(field, values[0] ?? '') : [[field.name, values] as const];
  const inputs = sent.flatMap(([name, all]) => all.map((value) => html`${hiddenInput(name, value)}\n`));
  const errorId = partId(frame.id, 'error');
  const wrong =
    error !== undefined &&
    html`<p class="${withOwn('field-error', form.classes?.error)}" id="${errorId}">${error}</p>\n`;
  if (field.layout === 'bare') return html`${inputs}${wrong}`;
  const about = attributes({ class: 'field-fixed', dir: form.direction === 'rtl' ? 'auto' : undefined });
  const words = asWords(field, values).map((one) => html`<p${about}>${one}</p>\n`);
  // An error links to the field.
  return html`<div${frame.fieldClass}${attributes({ id: frame.id })}>\n<p class="field-label"><b>${frame.label}</b></p>\n${words}${wrong}${inputs}</div>\n`;
}

/** A part as a script first shows it. */
const renderPart = (form: Form, part: Field): RenderedPart => ({
  part,
  markup: renderField(form, part, { values: part.value ?? [], error: undefined, takesFocus: false }),
});

/** HTML cannot say that one box of a group must be ticked, so words do. The parts of a field have marks of their own. */
function mark(layout: Layout, say: Form['say']): Html | undefined {
  if (layout === 'parts') return undefined;
  return layout === 'group'
    ? html` <span class="field-required">${say({ code: 'required' })}</span>`
    : html` <span class="field-required" aria-hidden="true">*</span>`;
}

/** The class of the label's element: a `<label>` above or around the control, or a `<legend>`. */
const labelClass = (layout: Layout, { check, label }: Classes): string | undefined =>
  layout === 'box' ? withOwn('choice', check) : label;

/** Nobody fills in a result. */
const hasMark = ({ computes }: Field) => !computes;

/** Whether a field that is required has the mark that needs explaining. */
export const hasAsterisk = (field: Field) =>
  !['bare', 'group', 'parts'].includes(field.layout) && hasMark(field);

export const scriptsOfFields = ({ fields, inputs }: Pick<Form, 'fields' | 'inputs'>): readonly Html[] => [
  ...new Set([...fields, ...inputs].flatMap(({ script }) => script ?? [])),
];

/** A field's label, also for a name that the form does not declare. */
export function labelIn({ fields, inputs }: Form, field: string): string {
  const isMeant = ({ name }: Field) => name === field;
  const found = fields.find(isMeant) ?? inputs.find(isMeant);
  if (!found) return labelOf({ name: field });
  return found.owner === undefined ? labelOf(found) : `${found.owner}, ${labelOf(found)}`;
}
