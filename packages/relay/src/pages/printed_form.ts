import { withoutHtmxCode } from '../../built/inline.ts';
import { type Html, html, inlineScript } from '../base/html.ts';
import type { Form, Medium } from '../form.ts';
import { scriptTag, styleLink } from './form_tag.ts';
import { renderForm } from './form_view.ts';

export interface Printing {
  /** Also print what loads the script, or with htmx the script that does what htmx would. */
  readonly script?: boolean;
  /** `false`: without the link to the stylesheet, which comes with all that is pasted as it is. Default: with it. */
  readonly style?: boolean;
  /** For a page with htmx. */
  readonly htmx?: boolean;
  /** For a page without any script. */
  readonly plain?: boolean;
}

/** The `<form>` element, to paste into a page. @param base The relay's address, without a slash at its end. */
export function printedForm(
  form: Form,
  base: string,
  { script: withScript = false, style = true, htmx, plain }: Printing,
): Html {
  const medium: Medium = plain ? 'plain' : htmx ? 'paste' : 'script';
  const markup = renderForm(form, {
    base,
    values: new Map(),
    seen: [],
    errors: [],
    messages: [],
    medium,
    isScriptless: plain,
  });
  if (!withScript && !plain) return markup;
  const link = style && html`${styleLink(base)}\n`;
  if (plain) return html`${link}${markup}`;
  return htmx
    ? html`${link}${markup}${inlineScript(withoutHtmxCode)}\n`
    : html`${link}${scriptTag(base)}\n${markup}`;
}
