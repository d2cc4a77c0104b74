import { sendAtOnceCode } from '../../../built/inline.ts';
import { apiPath, sealedField } from '../../api_urls.ts';
import { attributes, type Html, html, inlineScript } from '../../base/html.ts';
import type { RelayResponse } from '../../base/http.ts';
import type { Soon } from '../../base/soon.ts';
import type { AnswerContext, Form } from '../../form.ts';
import { addressBase } from '../../pages/base_url.ts';
import { errorList, hiddenInput } from '../../pages/fragments.ts';
import { page } from '../../pages/page_answer.ts';
import { failure } from '../../pages/respond.ts';
import { withLinks } from '../../schema/linked_text.ts';

/**
 * The first page behind a link in a mail: a form that sends what the link holds.
 *
 * @param needsClick Whether it waits for its button. Otherwise it sends itself if scripts run.
 */
export function confirmPage(
  form: Form,
  sealed: string,
  context: AnswerContext,
  needsClick: boolean,
): RelayResponse {
  const words = html`<p>${form.say({ code: needsClick ? 'opt_in_click' : 'opt_in_page' })}</p>`;
  const content = formAround(words, form, baseOf(context), sealed);
  if (needsClick) return withoutTrace(page(200, form, 'form', html`${content}\n`, context));
  const sendsItself = html`${content}${inlineScript(sendAtOnceCode)}\n`;
  return withoutTrace(page(200, form, 'form', sendsItself, context, sendAtOnceCode));
}

/** The same where it could not be delivered: its button sends it once more, and nothing else does. */
export function confirmAgainPage(
  status: 500 | 503,
  form: Form,
  sealed: string,
  context: AnswerContext,
): RelayResponse {
  const content = confirmFormAgain(form, baseOf(context), sealed);
  return withoutTrace(page(status, form, 'error', content, context));
}

/** A link that is none of this form's, or too old. */
export const linkRefused = (isExpired: boolean, context: AnswerContext): Soon<RelayResponse> =>
  isExpired
    ? failure(410, { code: 'opt_in_expired' }, context)
    : failure(400, { code: 'opt_in_unknown' }, context);

const baseOf = ({ request, settings }: AnswerContext) => addressBase(request, settings.publicUrl, 'plain');

/** Keeps the link out of `Referer` headers. */
const withoutTrace = (answer: RelayResponse): RelayResponse => ({
  ...answer,
  headers: { ...answer.headers, 'referrer-policy': 'no-referrer' },
});

/** The same once it failed: it waits for its button. */
function confirmFormAgain(form: Form, base: string, sealed: string): Html {
  const { say, failureMessage } = form;
  const owners = failureMessage === undefined ? [] : [withLinks(failureMessage)];
  const errors = errorList([say({ code: 'opt_in_failed' }), ...owners]);
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
