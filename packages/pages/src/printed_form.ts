/** Markup for an owner's page, from the command line or the studio. */

import { attributes, dataOnLines, html, withoutBraces } from '@form-relay/base/html';
import { formSegments } from '@form-relay/base/url';
import { apiPath } from '@form-relay/core/html/element_ids';
import { renderForm } from '@form-relay/core/html/form_view';
import type { Form, Html, Locale } from '@form-relay/core/index';
import { scriptView } from './script_view.ts';

export interface Printing {
  /** The language, for a form that has several. Default: its first. */
  readonly locale?: Locale;
  /** Also print what loads the script. */
  readonly script?: boolean;
  /** `false`: without the link to the stylesheet, which comes with all that is pasted as it is. Default: with it. */
  readonly style?: boolean;
}

/** The relay's own script, which shows forms and sends them. */
export const formScriptPath = '/api/v1/form.js';

/** The `<form>` element, to paste into a page. @param base The relay's address, without a slash at its end. */
export function printedForm(form: Form, base: string, printing: Printing = {}): Html {
  const { locale = form.locale(undefined), script: withScript = false, style = true } = printing;
  const view = scriptView({
    form,
    locale,
    fields: form.fields,
    base,
    values: new Map(),
    sent: undefined,
    now: undefined,
    settings: undefined,
    services: undefined,
  });
  const markup = dataOnLines(renderForm(form, { ...view, seen: [], errors: [] }).html);
  if (!withScript) return markup;
  return html`${style && html`${styleLink(base, form)}\n`}${scriptTag(base)}\n${markup}`;
}

export const scriptTag = (base: string): Html =>
  html`<script${attributes({ src: base + formScriptPath, defer: true })}></script>`;

/** The relay's own style of forms. A page whose own stylesheet has one leaves it out. */
export function styleLink(base: string, { id, provided }: Pick<Form, 'id' | 'provided'>): Html {
  const look = provided.get('look') && `?form=${encodeURIComponent(id)}`;
  return html`<link${attributes({ rel: 'stylesheet', href: `${base}/api/v1/form.css${look ?? ''}` })}>`;
}

/** Leads to the form as a page of the relay's own. Builds of sites read braces as theirs. */
export function formLink(form: Form, base: string, locale: Locale = form.locale(undefined)): Html {
  const words = form.title === undefined ? locale.translate({ code: 'open_form' }) : locale.text(form.title);
  return withoutBraces(html`<a${attributes({ href: pageAddress(base, form, locale) })}>${words}</a>`);
}

/** The form's place. Until it is there, and where no script runs, stands the link. */
export function formTag(form: Form, base: string, locale: Locale = form.locale(undefined)): Html {
  const { language = 'en', translate } = locale;
  const words = language !== 'en' && { 'data-not-loaded': translate({ code: 'not_loaded' }) };
  // On lines of their own, so that Markdown does not take the tag for a part of a sentence.
  return html`<relay-form${attributes({ src: formAddress(base, form, locale), ...words })}>
  ${formLink(form, base, locale)}
</relay-form>`;
}

/** Where the form is, in this language. */
export const formAddress = (base: string, { id }: Form, { query }: Locale): string =>
  withQuery(apiPath(base, 'form', id), query);

/** The form's own page, for a link. */
export const pageAddress = (
  base: string,
  { id }: Pick<Form, 'id'>,
  { query }: Pick<Locale, 'query'> = {},
): string => withQuery(`${base}/f/${formSegments(id)}`, query);

/** The address with some more in its query, before a fragment. */
export const withQuery = (address: string, query = ''): string =>
  query === ''
    ? address
    : address.replace(/^[^#]*/, (before) => `${before}${before.includes('?') ? '&' : '?'}${query}`);
