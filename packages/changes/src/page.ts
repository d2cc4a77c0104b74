/** The page of the link: what was sent, and the buttons to change or withdraw it. */

import { attributes, html } from '@form-relay/base/html';
import { momentWords } from '@form-relay/base/time_zone';
import { formSegments } from '@form-relay/base/url';
import { parseQuery } from '@form-relay/base/urlencoded';
import { firstValue, noValues } from '@form-relay/base/values';
import { hiddenInput } from '@form-relay/core/html/fragments';
import type { Outcome, RelayResponse, RouteContext } from '@form-relay/core/index';
import { bodyOf, urlencoded } from '@form-relay/core/pipeline/compose';
import { refused } from '@form-relay/core/submission';
import { withdrawalOf } from '@form-relay/more-outputs/archive_layout';
import { filledIn } from '@form-relay/more-outputs/filled_in';
import { pageAnswer } from '@form-relay/pages/page_view';
import { found, takenBy } from './change.ts';
import { changeField, linkParameter, openLink } from './link.ts';
import { type Current, deliverInTurn } from './status.ts';

const formBodies = new Map([[urlencoded.mediaType, urlencoded]]);

/** GET and POST /api/v1/changes/{form}. GET changes nothing, since programs open the links of mails, too. */
export async function answerLink(call: RouteContext): Promise<RelayResponse> {
  const { request, form } = call;
  if (!form.provided.get('changes')) return call.respond(refused(404, 'unknown_page'));
  const isPost = request.method === 'POST';
  const body = isPost ? await bodyOf({ ...call, isTrusted: false }, formBodies) : undefined;
  if (body && 'kind' in body) return refuse(body, call);
  const values = body?.values ?? parseQuery(request.query) ?? noValues;
  const sealed = firstValue(values, linkParameter);
  const link = openLink(call.settings, form, sealed, call.services.now());
  if ('kind' in link) return refuse(link, call);
  const current = await found(form, link, call);
  if ('kind' in current) return refuse(current, call);
  return isPost ? withdraw(link, current, call) : page(sealed, link, current, call);
}

async function refuse(outcome: Outcome, call: RouteContext): Promise<RelayResponse> {
  const { form, requestId: request_id } = call;
  call.services.log('info', 'link_refused', { request_id, form: form.id, reason: outcome.why });
  return call.respond(outcome);
}

type Link = Exclude<ReturnType<typeof openLink>, Outcome>;

/** Outputs get the values again: their conditions and recipients may depend on them. */
async function withdraw(link: Link, { values }: Current, call: RouteContext): Promise<RelayResponse> {
  const said: Outcome = { kind: 'delivered', status: 200, says: { code: 'change_withdrawn' } };
  if (link.isDecoy) return call.respond(said);
  const { form, requestId, services, settings } = call;
  const submission = call.resume({
    requestId,
    receivedAt: services.now(),
    values: new Map([...values, [withdrawalOf, [link.id]]]),
  });
  submission.addLogFields({ withdrawn: link.id });
  const outcome = await deliverInTurn(
    link,
    submission,
    async ({ taken = takenBy(form, link.values, settings) }) => {
      const ending = await form.deliver(submission);
      if (!ending.message && taken) await form.provided.get('places')?.free(submission, taken);
      return ending;
    },
    () => ({ isWithdrawn: true }),
  );
  const answer = await call.respond(outcome.message ? outcome : said);
  call.observe(submission, outcome, answer);
  return answer;
}

function page(sealed: string, link: Link, current: Current, call: RouteContext): RelayResponse {
  const context = call.renderContext();
  const { form, request } = call;
  const { pageLocale: locale } = context;
  const say = (code: string, at?: number) =>
    locale.translate({ code, params: at === undefined ? undefined : { time: momentWords(at) } });
  const { fields } = form;
  const { status, values, isPart, isStale } = current;
  const templateContext = { formId: form.id, fields: values, env: () => undefined, submittedAt: '' };
  const undeclared = new Map(
    [...values].filter(([name]) => !name.startsWith('_') && !fields.some((field) => field.name === name)),
  );
  const all = { mapping: undefined, static: undefined };
  const rows = filledIn(all, { fields, locale }, { values, undeclared, templateContext }).map(
    ({ label, values }) => html`<div class="field">
<p class="field-label"><b>${label}</b></p>
${values.map((one) => html`<p class="field-fixed" dir="auto">${one}</p>\n`)}</div>
`,
  );
  const mount = request.mountPath ?? '';
  const lang = firstValue(parseQuery(locale.query ?? '') ?? noValues, 'lang');
  const inputs = (name: string) => html`${lang && hiddenInput('lang', lang)}${hiddenInput(name, sealed)}`;
  const change = html`<form${attributes({ action: `${mount}/f/${formSegments(form.id)}` })}>
${inputs(changeField)}<button>${say('change_button')}</button>
</form>
`;
  const content = html`<div class="form-relay">
<p class="form-note">${say('change_sent', link.receivedAt)} ${status.at !== undefined && say('change_changed', status.at)} ${isStale && say('change_stale')} ${isPart && say('change_partial')}</p>
${rows}${!isPart && change}<details class="withdraw">
<summary>${say('withdraw_button')}</summary>
<form method="post">
<p>${say('withdraw_sure')}</p>
${inputs(linkParameter)}<button>${say('withdraw_button')}</button>
</form>
</details>
</div>
`;
  const answer = pageAnswer(200, 'form', { html: content }, context);
  return { ...answer, headers: { ...answer.headers, 'referrer-policy': 'no-referrer' } };
}
