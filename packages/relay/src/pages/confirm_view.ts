import { sendAtOnceCode } from '../../built/inline.ts';
import { apiPath, sealedField } from '../api_urls.ts';
import { attributes, type Html, html, inlineScript } from '../base/html.ts';
import type { Form } from '../form.ts';
import { withLinks } from '../schema/linked_text.ts';
import { errorList, hiddenInput } from './fragments.ts';

/** What a link in a mail leads to: a form that sends on what the link holds, by itself where scripts run. */
export function confirmForm(form: Form, base: string, sealed: string): Html {
  const words = html`<p>${form.say({ code: 'opt_in_page' })}</p>`;
  return html`${formAround(words, form, base, sealed)}${inlineScript(sendAtOnceCode)}\n`;
}

/** The same once it failed: it waits for its button. */
export function confirmFormAgain(form: Form, base: string, sealed: string): Html {
  const { say, failureMessage } = form;
  const owners = failureMessage === undefined ? [] : [withLinks(failureMessage)];
  const errors = errorList([say({ code: 'opt_in_failed' }), ...owners], form);
  return html`${formAround(html`<div class="form-status" role="alert">${errors}</div>`, form, base, sealed)}\n`;
}

function formAround(content: Html, form: Form, base: string, sealed: string): Html {
  const { say, classes } = form;
  const about = attributes({ class: 'form-relay', method: 'post', action: apiPath(base, 'confirm', form) });
  return html`<form${about}>
${hiddenInput(sealedField, sealed)}
${content}
<button${attributes({ type: 'submit', class: classes?.button, autofocus: true })}>${say({ code: 'opt_in_button' })}</button>
</form>`;
}
