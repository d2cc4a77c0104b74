/** The page that the link in a mail opens, and the submission that its button delivers. */

import { attributes, html } from '@form-relay/base/html';
import { traceOf } from '@form-relay/base/trace_context';
import { parseQuery } from '@form-relay/base/urlencoded';
import { firstValue } from '@form-relay/base/values';
import { apiPath } from '@form-relay/core/html/element_ids';
import { errorList, hiddenInput } from '@form-relay/core/html/fragments';
import type { Html, Outcome, RelayResponse, RouteContext } from '@form-relay/core/index';
import { bodyOf, urlencoded } from '@form-relay/core/pipeline/compose';
import { noTokenSecret, refused } from '@form-relay/core/submission';
import { sendAtOnceCode } from '@form-relay/element/built/inline';
import { pageAnswer } from '@form-relay/pages/page_view';
import { noOutputSucceeded } from './mail.ts';
import { openSubmission, sealedField, unpacked } from './sealed_submission.ts';

/** GET /api/v1/confirm/{form}: changes nothing, because programs also open the links in mails. */
export async function showConfirmation(call: RouteContext): Promise<RelayResponse> {
  const sealed = firstValue(parseQuery(call.request.query) ?? new Map(), sealedField);
  const opened = openLink(sealed, call);
  if ('kind' in opened) return refuse(opened, call);
  const { confirm } = opened.config;
  const isByClick = confirm === 'click';
  return formPage(
    200,
    isByClick ? 'opt_in_click' : 'opt_in_page',
    sealed,
    call,
    isByClick ? undefined : sendAtOnceCode,
  );
}

const formBodies = new Map([[urlencoded.mediaType, urlencoded]]);

/** POST /api/v1/confirm/{form}: delivers the link's submission once, as if it had just arrived. */
export async function postConfirmation(call: RouteContext): Promise<RelayResponse> {
  const body = await bodyOf({ ...call, isTrusted: false }, formBodies);
  if ('kind' in body) return refuse(body, call);
  const sealed = firstValue(body.values, sealedField);
  const opened = openLink(sealed, call);
  if ('kind' in opened) return refuse(opened, call);
  const { outcome } = await deliverOnce(opened, sealed, call);
  return answerTo(outcome, sealed, call);
}

async function refuse(outcome: Outcome, call: RouteContext): Promise<RelayResponse> {
  const answer = await call.respond(outcome);
  call.services.log('info', 'refused', { ...requestOf(call), status: answer.status });
  return answer;
}

/** A click proves access to the address, so a dropped submission is answered like a delivered one. */
function answerTo(
  outcome: Outcome,
  sealed: string,
  call: RouteContext,
): Promise<RelayResponse> | RelayResponse {
  const { kind, status, message } = outcome;
  if (kind === 'dropped') return call.respond({ ...outcome, kind: 'delivered' });
  if (!message || status < 500) return call.respond(outcome);
  return formPage(status === 503 ? 503 : 500, 'opt_in_failed', sealed, call);
}

const requestOf = ({ requestId, request, services }: RouteContext) => ({
  request_id: requestId,
  trace_id: traceOf(request.headers.traceparent, requestId, services.uuid).traceId,
});

/** The link's content, or the outcome if it cannot be used. */
function openLink(sealed: string, call: RouteContext) {
  const { form, settings, services } = call;
  const optIn = form.provided.get('double_opt_in');
  if (!optIn?.next) return refused(404, 'unknown_page');
  if (settings.formTokenSecret === '') {
    const reason = 'FORM_TOKEN_SECRET is not set';
    services.log('error', 'no_token_secret', { ...requestOf(call), form: form.id, reason });
    return noTokenSecret;
  }
  const { config, next, once } = optIn;
  const held = openSubmission(settings, form.id, sealed);
  const isExpired = held !== undefined && services.now() - held.receivedAt > config.expires;
  if (held && !isExpired)
    return { config, once, deliver: next, held: { ...held, values: unpacked(form.fields, held.values) } };
  const reason = isExpired
    ? 'the link has expired'
    : 'the link is incomplete, or belongs to another form or FORM_TOKEN_SECRET';
  services.log('info', 'link_refused', { ...requestOf(call), form: form.id, reason });
  return isExpired ? refused(410, 'opt_in_expired') : refused(400, 'opt_in_unknown');
}

type Opened = Exclude<ReturnType<typeof openLink>, Outcome>;

/**
 * Delivers once in this process. Other processes and receivers recognise a repeated delivery by its
 * `Idempotency-Key` and `Message-ID`, which stay the same.
 */
async function deliverOnce({ held, once, deliver }: Opened, sealed: string, call: RouteContext) {
  const { form, services, requestId } = call;
  const key = `${form.id}\0${held.requestId}\0${held.receivedAt}`;
  const ended = await once(key, async () => {
    const submission = call.resume(held);
    submission.addLogFields({ confirmed_by: requestId });
    const outcome = await deliver(submission);
    call.observe(submission, outcome, await answerTo(outcome, sealed, call));
    return { outcome, noOutputSucceeded: noOutputSucceeded(submission) };
  });
  if (ended.isAgain) services.log('info', 'confirmed_again', { request_id: held.requestId, form: form.id });
  return ended;
}

/** A form that sends the link's token: when its button is pressed, or else by script. */
function formPage(
  status: 200 | 500 | 503,
  code: string,
  sealed: string,
  call: RouteContext,
  script?: Html,
): RelayResponse {
  const context = call.renderContext();
  const { translate, query } = context.pageLocale;
  const path = apiPath(call.request.mountPath ?? '', 'confirm', call.form.id);
  const action = query ? `${path}?${query}` : path;
  const said = translate({ code });
  const words =
    status === 200
      ? html`<p>${said}</p>`
      : html`<div class="form-status" role="alert">${errorList([said])}</div>`;
  const content = html`<form${attributes({ class: 'form-relay', method: 'post', action })}>
${hiddenInput(sealedField, sealed)}
${words}
<button${attributes({ type: 'submit', autofocus: true })}>${translate({ code: 'opt_in_button' })}</button>
</form>${script && html`<script>${script}</script>`}
`;
  const kind = status === 200 ? 'form' : 'error';
  const answer = pageAnswer(status, kind, { html: content, scripts: script ? [script] : [] }, context);
  // Keeps the link out of `Referer` headers.
  return { ...answer, headers: { ...answer.headers, 'referrer-policy': 'no-referrer' } };
}
