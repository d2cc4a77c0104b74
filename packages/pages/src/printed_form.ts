/** Markup for an owner's page, printed by the command line or the studio. */

import { attributes, dataOnLines, html, withoutBraces } from '@form-relay/base/html';
import { formSegments } from '@form-relay/base/url';
import { apiPath } from '@form-relay/core/html/element_ids';
import { renderForm } from '@form-relay/core/html/form_view';
import type { Form, Html, Locale } from '@form-relay/core/index';
import { scriptView } from './script_view.ts';

export interface Printing {
  /** The language, for a form in several languages. Default: the first. */
  readonly locale?: Locale;
  /** Also prints the tag that loads the script. */
  readonly script?: boolean;
  /** `false`: omits the link to the stylesheet, which copy-paste markup includes. Default: `true`. */
  readonly style?: boolean;
}

/** The relay's own script, which shows and sends forms. */
export const formScriptPath = '/api/v1/form.js';

/** The `<form>` element to paste into a page. @param base The relay's URL, without a trailing slash. */
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

/** The link to the relay's own form style. Pages with their own style omit it. */
export function styleLink(base: string, { id, provided }: Pick<Form, 'id' | 'provided'>): Html {
  const look = provided.get('look') && `?form=${encodeURIComponent(id)}`;
  return html`<link${attributes({ rel: 'stylesheet', href: `${base}/api/v1/form.css${look ?? ''}` })}>`;
}

/** A link to the form's page at the relay. Has no braces, because site generators interpret them. */
export function formLink(form: Form, base: string, locale: Locale = form.locale(undefined)): Html {
  const words = form.title === undefined ? locale.translate({ code: 'open_form' }) : locale.text(form.title);
  return withoutBraces(html`<a${attributes({ href: pageAddress(base, form, locale) })}>${words}</a>`);
}

/** The tag that the form replaces. Until it has loaded, and without scripts, the link is shown. */
export function formTag(form: Form, base: string, locale: Locale = form.locale(undefined)): Html {
  const { language = 'en', translate } = locale;
  const words = language !== 'en' && { 'data-not-loaded': translate({ code: 'not_loaded' }) };
  // On separate lines, so that Markdown does not treat the tag as part of a sentence.
  return html`<relay-form${attributes({ src: formAddress(base, form, locale), ...words })}>
  ${formLink(form, base, locale)}
</relay-form>`;
}

/** The URL of the form, in this language. */
export const formAddress = (base: string, { id }: Form, { query }: Locale): string =>
  withQuery(apiPath(base, 'form', id), query);

/** The URL of the form's own page, for a link. */
export const pageAddress = (
  base: string,
  { id }: Pick<Form, 'id'>,
  { query }: Pick<Locale, 'query'> = {},
): string => withQuery(`${base}/f/${formSegments(id)}`, query);

/** Adds to the query of a URL, before the fragment. */
export const withQuery = (address: string, query = ''): string =>
  query === ''
    ? address
    : address.replace(/^[^#]*/, (before) => `${before}${before.includes('?') ? '&' : '?'}${query}`);
