import { type Html, html } from '../base/html.ts';
import type { Form } from '../form.ts';
import { scriptTag, styleLink } from './form_tag.ts';
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
