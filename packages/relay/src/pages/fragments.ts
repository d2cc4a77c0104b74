/** The small fragments that SPEC names, to the letter. */
import { attributes, type Html, type HtmlValue, html, partId } from '../base/html.ts';
import type { Refusal } from '../base/outcome.ts';
import { withOwn } from '../fields/classes.ts';
import type { Form } from '../form.ts';
import { withLinks } from '../schema/linked_text.ts';

/** @param receipt A code, in forms that ask for one. */
export function confirmationFragment(form: Form, receipt?: string): Html {
  return html`<div${attributes({ class: 'form-confirmation', ...languageAttributes(form) })}>${confirmationWords(form, receipt)}</div>\n`;
}

export function confirmationWords({ confirmation, say }: Form, receipt?: string): Html {
  if (receipt === undefined) return withLinks(confirmation);
  // The code is read from left to right, whatever the language around it.
  const [before = '', after = ''] = say({ code: 'receipt', params: { code: receipt } }).split(receipt);
  return html`${withLinks(confirmation)}<p class="form-receipt">${before}<code dir="ltr">${receipt}</code>${after}</p>`;
}

/** In place of the form while it cannot be sent. */
export function closedFragment(form: Form, why: Refusal, hasHeading = true): Html {
  const { title, classes, say, closedText, fullText, direction } = form;
  const owners = why.code === 'form_closed' ? closedText : why.code === 'form_full' ? fullText : undefined;
  const name = withOwn('form-relay form-closed', classes?.form);
  return html`<div${attributes({ class: name, ...languageAttributes(form) })}>
${hasHeading && title && html`<h2>${title}</h2>\n`}<p>${say(why)}</p>
${owners !== undefined && html`<p${attributes({ dir: direction === 'rtl' ? 'auto' : undefined })}>${withLinks(owners)}</p>\n`}</div>
`;
}

/** Around words of the form; nothing where the config names no language. */
export const languageAttributes = ({ language, direction }: Form) =>
  direction && { lang: language, dir: direction };

/** @param about Of the list, where nothing around it says its language. */
export const errorList = (
  messages: readonly HtmlValue[],
  about?: ReturnType<typeof languageAttributes>,
): Html =>
  html`<ul${attributes({ class: 'form-errors', ...about })}>${messages.map((message) => html`<li>${message}</li>`)}</ul>\n`;

/** A token, or another value that the visitor need not see. */
export const hiddenInput = (name: string, value: string, more?: Parameters<typeof attributes>[0]): Html =>
  html`<input${attributes({ type: 'hidden', name, value, ...more })}>`;

/**
 * Ids that are unique in a page with several forms, and need no escaping in a selector: letters, digits and `_` stay,
 * everything else becomes `-<hex>_`, so that no two names give the same id and `--` only ever separates names.
 */
const escapeName = (name: string) => name.replaceAll(/\W/g, (unit) => `-${unit.charCodeAt(0).toString(16)}_`);

export const formElementId = (form: Form) => `form-${escapeName(form.id)}`;
/** A field's control, or the first one of a group. */
export const fieldElementId = (form: Form, field: string) => `${formElementId(form)}--${escapeName(field)}`;
/** The element that is rendered again when a field appears or goes (`visible_when`). */
export const slotElementId = (form: Form, field: string) => partId(fieldElementId(form, field), 'slot');
export const slotElementPrefix = (form: Form) => `${formElementId(form)}--`;
