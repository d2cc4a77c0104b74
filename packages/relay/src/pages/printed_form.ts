import { apiPath, pageAddress } from '../api_urls.ts';
import { attributes, type Html, html, withoutBraces } from '../base/html.ts';
import type { Form } from '../form.ts';
import { renderForm } from './form_view.ts';

export interface Printing {
  /** Also print what loads the script. */
  readonly script?: boolean;
  /** `false`: without the link to the stylesheet, which comes with all that is pasted as it is. Default: with it. */
  readonly style?: boolean;
}

/** The `<form>` element, to paste into a page. @param base The relay's address, without a slash at its end. */
export function printedForm(
  form: Form,
  base: string,
  { script: withScript = false, style = true }: Printing,
): Html {
  const markup = renderForm(form, {
    base,
    values: new Map(),
    seen: [],
    errors: [],
    messages: [],
    medium: 'script',
  });
  if (!withScript) return markup;
  const link = style && html`${styleLink(base)}\n`;
  return html`${link}${scriptTag(base)}\n${markup}`;
}

/** Markup for an owner's page, from the command line or the studio. */

/** The relay's own script, which shows forms and sends them. */
export const formScriptPath = '/api/v1/form.js';

export const scriptTag = (base: string): Html =>
  html`<script${attributes({ src: base + formScriptPath, defer: true })}></script>`;

/** The relay's own style of forms. A page whose own stylesheet has one leaves it out. */
export const styleLink = (base: string): Html =>
  html`<link${attributes({ rel: 'stylesheet', href: `${base}/api/v1/form.css` })}>`;

/** Leads to the form as a page of the relay's own. Builds of sites read braces as theirs. */
export const formLink = (form: Form, base: string): Html =>
  withoutBraces(
    html`<a${attributes({ href: pageAddress(base, form) })}>${form.title ?? form.say({ code: 'open_form' })}</a>`,
  );

/** The form's place. Until it is there, and where no script runs, stands the link. */
export function formTag(form: Form, base: string): Html {
  const said = form.language !== 'en' && { 'data-not-loaded': form.say({ code: 'not_loaded' }) };
  // On lines of their own, so that Markdown does not take the tag for a part of a sentence.
  return html`<relay-form${attributes({ src: apiPath(base, 'form', form), ...said })}>
  ${formLink(form, base)}
</relay-form>`;
}
