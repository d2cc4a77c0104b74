/** The page behind an approver’s link. Only its form decides, since mail scanners open every link. */
import { ClientError } from '@form-relay/base/client_error';
import { attributes, html } from '@form-relay/base/html';
import { momentWords } from '@form-relay/base/time_zone';
import { parseQuery } from '@form-relay/base/urlencoded';
import { firstValue, noValues } from '@form-relay/base/values';
import { apiPath } from '@form-relay/core/html/element_ids';
import { errorList, hiddenInput } from '@form-relay/core/html/fragments';
import type { RelayResponse, RouteContext } from '@form-relay/core/index';
import { bodyOf, urlencoded } from '@form-relay/core/pipeline/compose';
import { refused } from '@form-relay/core/submission';
import { pageAnswer } from '@form-relay/pages/page_view';
import type { HeldDelivery } from '@form-relay/stores/store';
import {
  type Approval,
  approveOf,
  choices,
  entryOf,
  openLink,
  readApproval,
  stateKey,
  verdictOf,
} from './approval.ts';
import { entriesOf, heldIn, settle } from './asking.ts';
import type { Approve } from './index.ts';

const formBodies = new Map([[urlencoded.mediaType, urlencoded]]);

/** GET shows the waiting submission, and POST decides about it. */
export async function answer(call: RouteContext): Promise<RelayResponse> {
  const { form, request, requestId, services } = call;
  const answer = await answerTo(call);
  if (request.method === 'POST' && answer.status >= 400)
    services.log('info', 'approval_refused', { request_id: requestId, form: form.id, status: answer.status });
  // Keeps the link out of `Referer` headers.
  return { ...answer, headers: { ...answer.headers, 'referrer-policy': 'no-referrer' } };
}

async function answerTo(call: RouteContext): Promise<RelayResponse> {
  const { request, form, services, settings } = call;
  const isPost = request.method === 'POST';
  const body = isPost ? await bodyOf({ ...call, isTrusted: false }, formBodies) : undefined;
  if (body && 'kind' in body) return call.respond(body);
  const sent = body?.values ?? parseQuery(request.query) ?? noValues;
  const sealed = firstValue(sent, 't');
  const link = openLink(settings.formTokenSecret, form.id, sealed);
  if (!link) return call.respond(refused(400, 'approve_unknown'));
  const { id, approver } = link;
  const own = form.outputs
    .flatMap((_, output) => approveOf(form, output) ?? [])
    .filter(({ by }) => by.includes(approver));
  if (own.length === 0) return call.respond(refused(403, 'approve_not_named', { address: approver }));
  const { state } = form.provided.get('approvals') ?? {};
  const now = services.now();
  const isDecided = ({ decisions }: Approval) =>
    decisions.some(([one]) => one === approver) || own.every((one) => verdictOf(one, decisions));
  try {
    const approval = readApproval(await state?.read(call, stateKey(id)), now);
    if (isDecided(approval)) return resultPage(approval, own, call);
    const waiting = ((await heldIn(form)).get(id) ?? []).filter(({ output }) =>
      own.some((one) => one === approveOf(form, output)),
    );
    const [first] = waiting;
    if (!first) return call.respond(refused(410, 'approve_over'));
    const choice = isPost ? choices.find((one) => one === firstValue(sent, 'choice')) : undefined;
    if (!choice) return formPage(first, { sealed, approver, isWrong: isPost }, call);
    const entry = await state?.change(call, stateKey(id), (entry) => {
      const latest = readApproval(entry, now);
      return isDecided(latest)
        ? entry
        : entryOf({ ...latest, decisions: [...latest.decisions, [approver, choice, now]] });
    });
    const decided = readApproval(entry, now);
    await settle(form, waiting, decided, call);
    return resultPage(decided, own, call);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    services.log('error', 'approvals_unavailable', { form: form.id, reason: error.message });
    return call.respond({ ...refused(503, 'overloaded'), headers: { 'retry-after': '10' } });
  }
}

function resultPage({ decisions }: Approval, own: readonly Approve[], call: RouteContext): RelayResponse {
  const context = call.renderContext();
  const said = own.map((approve) => {
    const verdict = verdictOf(approve, decisions);
    const time = verdict && momentWords(verdict.at, call.form.provided.get('time_zone'));
    return context.pageLocale.translate(
      verdict
        ? { code: `approve_${verdict.choice}d`, params: { who: verdict.by, time } }
        : { code: 'approve_more' },
    );
  });
  const words = [...new Set(said)].map((one, index) => html`${index > 0 && html`<br>`}${one}`);
  return pageAnswer(200, 'sent', { html: html`<div class="form-confirmation">${words}</div>\n` }, context);
}

function formPage(
  { submission }: HeldDelivery,
  {
    sealed,
    approver,
    isWrong,
  }: { readonly sealed: string; readonly approver: string; readonly isWrong: boolean },
  call: RouteContext,
): RelayResponse {
  const { form, request } = call;
  const context = call.renderContext();
  const { pageLocale: locale } = context;
  const { translate, query } = locale;
  const action = `${apiPath(request.mountPath ?? '', 'approvals', form.id)}${query ? `?${query}` : ''}`;
  const entries = entriesOf(form, submission, locale).map(
    ({ label, values }) =>
      html`<div class="field">\n<b>${label}</b>\n${values.map((one) => html`<p class="field-fixed" dir="auto">${one}</p>\n`)}</div>\n`,
  );
  const options = choices.map((value) => {
    const input = attributes({ type: 'radio', name: 'choice', value, required: true });
    return html`<label class="choice"><input${input}> <span>${translate({ code: `approve_${value}` })}</span></label>\n`;
  });
  const content = html`<form${attributes({ class: 'form-relay', method: 'post', action })}>
${isWrong && html`<div class="form-status" role="alert">${errorList([translate({ code: 'missing_option' })])}</div>\n`}${entries}${hiddenInput('t', sealed)}
<fieldset class="field" role="radiogroup">
<legend>${translate({ code: 'approve_as', params: { address: approver } })}</legend>
${options}</fieldset>
<button type="submit">${translate({ code: 'opt_in_button' })}</button>
</form>
`;
  return pageAnswer(isWrong ? 422 : 200, isWrong ? 'error' : 'form', { html: content }, context);
}
