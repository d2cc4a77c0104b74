/** A field with its label, help and error (WCAG 1.3.1, 3.3.1, 3.3.2). */

import { attributes, type Html, html, withLinks } from '@form-relay/base/html';
import { fromJson, structureIn } from '@form-relay/base/json';
import { withoutEmpty } from '@form-relay/base/values';
import type { Classes, Field, Layout } from '../fields/field.ts';
import { labelOf, labelText } from '../fields/label.ts';
import type { Form } from '../form.ts';
import type { Locale } from '../messages/message.ts';
import { fieldElementId, partId, withOwn } from './element_ids.ts';
import { hiddenInput } from './fragments.ts';

export interface FieldState {
  readonly values: readonly string[];
  /** The error text; it includes the field's name if the field is invisible. */
  readonly error: string | undefined;
  /** The first field with an error takes the focus. */
  readonly takesFocus: boolean;
  /** Shown next to the label if the field does not always apply and the page cannot hide it. */
  readonly onlyIf?: string | undefined;
  /** Shown next to the label if the field is not always required and the page cannot tell when. */
  readonly demandedIf?: string | undefined;
  /** Whether a required field is marked even if it may not apply: a script shows and hides it (`later`: once it runs). */
  readonly isMarked?: boolean | 'later';
  readonly isForgotten?: boolean;
  readonly inputs?: readonly Field[];
}

export interface Surroundings {
  readonly form: Pick<Form, 'id'>;
  readonly locale: Locale;
  readonly classes: Classes;
  readonly render: (input: Field, onlyIf?: string) => Html;
}

function ownClass({ width = 'full', layout, type }: Field): string {
  if (layout === 'inputs') return `field field-parts field-${type}`;
  return width === 'full' || layout === 'bare' ? 'field' : `field field-${width.replace('_', '-')}`;
}

export function renderField(field: Field, state: FieldState, around: Surroundings): Html {
  const { locale, form } = around;
  const classes = field.classes ? { ...around.classes, ...field.classes } : around.classes;
  const { layout } = field;
  const { error, onlyIf, demandedIf, takesFocus, inputs = [] } = state;
  const id = fieldElementId(form, field.name);
  // The browser cannot require a field that does not always apply; the server decides.
  const required = field.required && onlyIf === undefined && !field.isLenient;
  const invalid = error !== undefined;
  // A bare field is invisible, so it needs no notes.
  const { help, hint } = layout === 'bare' ? { help: undefined, hint: undefined } : field;
  const notes = [
    { part: 'help', text: help && withLinks(locale.text(help)) },
    { part: 'hint', text: hint && [hint].flat().map(locale.translate).join(' ') },
    { part: 'error', text: error },
  ].filter(({ text }) => text);
  const errorClass = withOwn('field-error', classes.error);
  const about = notes.map(({ part, text }) => {
    const name = part === 'error' ? errorClass : withOwn('field-help', classes.help);
    return html`<p${attributes({ class: name, id: partId(id, part) })}>${text}</p>\n`;
  });
  if (state.isForgotten)
    about.push(
      html`<p class="${errorClass}" data-forgotten>${locale.translate({ code: 'file_choose_again' })}</p>\n`,
    );
  const describedBy = notes.map(({ part }) => partId(id, part)).join(' ') || undefined;
  const control = field.control({
    locale,
    id,
    values: withoutEmpty(state.values),
    required,
    describedBy,
    invalid,
    classes,
    dir: locale.direction === 'rtl' ? 'auto' : undefined,
    autofocus: takesFocus,
    inputs,
    render: (input) => around.render(input, onlyIf),
    attributes: field.attributes?.(locale),
  });
  const isRequired = required || (field.isLenient && field.required);
  const mayBeRequired = state.isMarked && (field.required || field.required_when !== undefined);
  const label = [
    labelHtml(field, locale),
    !field.derive &&
      (isRequired || mayBeRequired) &&
      mark(layout, locale, !isRequired && state.isMarked === 'later'),
    onlyIf && html` <span class="field-condition">(${onlyIf})</span>`,
    demandedIf &&
      html` <span class="field-condition">${locale.translate({ code: 'required' })} ${demandedIf}</span>`,
  ];
  const own = attributes({ class: withOwn(ownClass(field), classes.field) });
  const labelClass = attributes({
    class: layout === 'box' ? withOwn('choice', classes.check) : classes.label,
  });
  switch (layout) {
    case 'bare': {
      const focus = takesFocus && { tabindex: -1, autofocus: true };
      return html`${control}\n${invalid && html`<div${own}${attributes(focus)}>\n${about}</div>\n`}`;
    }
    case 'box':
      return html`<div${own}>\n<label${labelClass}>${control} <span>${label}</span></label>\n${about}</div>\n`;
    case 'labelled':
      return html`<div${own}>\n<label for="${id}"${labelClass}>${label}</label>\n${about}${control}\n</div>\n`;
    default: {
      const group = {
        radiogroup: {
          role: 'radiogroup',
          'aria-required': required && 'true',
          'aria-invalid': invalid && 'true',
        },
        inputs: { id, tabindex: invalid && -1, autofocus: takesFocus },
        group: {},
      }[layout];
      return html`<fieldset${own}${attributes({ ...group, 'aria-describedby': describedBy, ...field.attributes?.(locale) })}>\n<legend${labelClass}>${label}</legend>\n${about}${control}</fieldset>\n`;
    }
  }
}

/** The words of a value that the owner's link fixes: the visitor sees it but cannot change it. */
export function renderFixed(
  field: Field,
  { values: given, error }: Pick<FieldState, 'values' | 'error'>,
  { form, locale, classes: ofForm }: Surroundings,
): Html {
  const classes = field.classes ? { ...ofForm, ...field.classes } : ofForm;
  const values = withoutEmpty(given);
  const id = fieldElementId(form, field.name);
  const sent = field.inputs ? sentByInputs(field, values[0] ?? '') : [[field.name, values] as const];
  const inputs = sent.flatMap(([name, all]) => all.map((value) => html`${hiddenInput(name, value)}\n`));
  const errorClass = withOwn('field-error', classes.error);
  const wrong =
    error !== undefined && html`<p class="${errorClass}" id="${partId(id, 'error')}">${error}</p>\n`;
  if (field.layout === 'bare') return html`${inputs}${wrong}`;
  const about = attributes({ class: 'field-fixed', dir: locale.direction === 'rtl' && 'auto' });
  const words = field.words(values, locale).map((one) => html`<p${about}>${one}</p>\n`);
  const own = attributes({ class: withOwn(ownClass(field), classes.field), id });
  // An error links to the field.
  return html`<div${own}>\n<p class="field-label"><b>${labelHtml(field, locale)}</b></p>\n${words}${wrong}${inputs}</div>\n`;
}

/** The names and values that a field's inputs would submit for its stored value. Empty if that has another format. */
export function sentByInputs(
  { inputs, name }: Field,
  value: string,
): readonly (readonly [string, readonly string[]])[] {
  const structure = structureIn(value);
  const maps = Array.isArray(structure)
    ? structure.map((one, index) => [`${name}.${index + 1}`, one] as const)
    : [[name, structure] as const];
  return maps.flatMap(([below, map]) =>
    Object.entries(map ?? {}).flatMap(([key, member]) => {
      const input = inputs?.all.find((one) => one.name === `${below}.${key}`);
      return input ? [[input.name, fromJson(input, member)] as const] : [];
    }),
  );
}

const labelHtml = (field: Field, locale: Locale): Html =>
  withLinks(field.label === undefined ? labelOf(field, locale) : labelText(field.label, locale));

/**
 * HTML cannot require one ticked box in a group, so a text does. The inputs of a field have their own marks.
 * With `isLater`, the script fills the mark in.
 */
function mark(layout: Layout, { translate }: Locale, isLater: boolean): Html | undefined {
  if (layout === 'inputs') return undefined;
  const words = layout === 'group' ? translate({ code: 'required' }) : '*';
  const about = attributes({ class: 'field-required', 'aria-hidden': layout !== 'group' && 'true' });
  return isLater
    ? html`<span${about}${attributes({ 'data-mark': ` ${words}` })}></span>`
    : html` <span${about}>${words}</span>`;
}

/** Whether a required field has the asterisk, which needs an explanation. Visitors do not fill in derived fields. */
export const hasAsterisk = ({ layout, derive }: Field): boolean =>
  !derive && !['bare', 'group', 'inputs'].includes(layout);
