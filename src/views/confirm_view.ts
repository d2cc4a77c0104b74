import type { Form } from '../form.ts';
import { attributes, type Html, html, inlineScript } from '../html.ts';
import { apiPath } from './api_urls.ts';
import { sendAtOnceCode } from './browser_code.ts';
import { hiddenInput } from './fragments.ts';

/** The field that carries what the link in a mail holds. */
export const sealedField = 't';

/**
 * What a link in a mail leads to: a form that sends on what the link holds. It does so by itself where scripts run, unless
 * it `waits` for its button.
 */
export function confirmForm(form: Form, base: string, sealed: string, words: string, waits: boolean): Html {
  const { say, classes } = form;
  const about = attributes({ class: 'form-relay', method: 'post', action: apiPath(base, 'confirm', form) });
  const status = waits && attributes({ class: 'form-status', role: 'alert' });
  return html`<form${about}>
${hiddenInput(sealedField, sealed)}
<p${status}>${words}</p>
<button${attributes({ type: 'submit', class: classes?.button, autofocus: true })}>${say({ code: 'opt_in_button' })}</button>
</form>${!waits && inlineScript(sendAtOnceCode)}
`;
}
