/** Visitors change and withdraw their submissions (docs/changes.md). */

import { attributes, html } from '@form-relay/base/html';
import { momentWords } from '@form-relay/base/time_zone';
import { formSegments } from '@form-relay/base/url';
import { parseQuery } from '@form-relay/base/urlencoded';
import { firstValue, noValues } from '@form-relay/base/values';
import { lockedValues } from '@form-relay/capacity/places/claims';
import { outputExtension } from '@form-relay/core/extensions';
import { hiddenInput } from '@form-relay/core/html/fragments';
import type {
  Outcome,
  OutputContext,
  Plugin,
  RelayResponse,
  RouteContext,
  Submission,
  Transport,
  Withdrawing,
} from '@form-relay/core/index';
import { withRemark } from '@form-relay/core/outputs/delivery';
import { bodyOf, urlencoded } from '@form-relay/core/pipeline/compose';
import { feature } from '@form-relay/core/plugin';
import { onOutcome, refused } from '@form-relay/core/submission';
import { changeOf, withdrawalOf } from '@form-relay/more-outputs/archive_layout';
import { filledIn } from '@form-relay/more-outputs/filled_in';
import { answeredValues } from '@form-relay/pages/answering_text';
import { pageAnswer } from '@form-relay/pages/page_view';
import { duration } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import { purposeIn } from '@form-relay/senders/links/index';
import { longestLinkMs } from '@form-relay/senders/links/sealed_link';
import { placesFor } from '@form-relay/stores/index';
import {
  carryChange,
  changeMarkup,
  deliverChange,
  found,
  openChange,
  pendingField,
  showChange,
  takenBy,
} from './change.ts';
import { type Changeable, changeAddress, changeField, linkParameter, openLink } from './link.ts';
import messages from './messages.json' with { type: 'json' };
import { type Current, deliverInTurn, forgetTaken } from './status.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly changes: Changes;
  }
}

interface Changes extends Withdrawing {
  /** How long visitors may change or withdraw a submission. */
  readonly forMs: number;
}

const forMs = ({ form }: Submission): number => form.provided.get('changes')?.forMs ?? 0;

/** Adds the link to the outcome of a submission or a change that was just delivered or dropped. */
function withLink(outcome: Outcome, submission: Submission, about?: Changeable): Outcome {
  // The answer to an ask is final, since the asker already has it.
  if (purposeIn(submission, 'ask')) return outcome;
  const { requestId: id, receivedAt, form } = submission;
  const isDecoy = outcome.kind === 'dropped';
  const locked = submission.getState(lockedValues);
  const first = {
    id,
    receivedAt,
    until: receivedAt + forMs(submission),
    locked: locked instanceof Map ? [...locked.keys()] : [],
  };
  const all = isDecoy ? answeredValues(submission) : submission.values;
  const hidesFiles = (name: string) => form.fields.some((field) => field.name === name && field.takeFiles);
  const values = new Map([...all].filter(([name]) => !name.startsWith('_') && !hidesFiles(name)));
  const changes = changeAddress(submission, { ...(about ?? first), latest: id, values, isDecoy });
  // The submission counts, even without a link.
  return changes === undefined ? outcome : { ...outcome, codes: { ...outcome.codes, changes } };
}

/** Runs before all checks that tell people from bots. */
const changeLink = feature({
  name: 'change_link',
  before: ['accept_undeclared', 'captcha', 'honeypot', 'links', 'schedule', 'verify', 'double_opt_in'],
  configure: (_, at) => {
    if (at.in('changes').written === undefined) return undefined;
    const isConfirmed = at.in('double_opt_in').written !== undefined;
    const reserved = [changeField, pendingField, changeOf, withdrawalOf];
    return {
      reserves: reserved.map((name) => ({ name, key: [], what: 'the change of a submission' })),
      // A missing link must not reveal to bots that they were dropped.
      ...(!isConfirmed && {
        onRequest: onOutcome((outcome, submission) =>
          outcome.kind === 'dropped' ? withLink(outcome, submission) : outcome,
        ),
      }),
      beforeValidation: openChange,
      afterValidation: carryChange,
      view: showChange,
      markup: changeMarkup,
    };
  },
});

const changes = feature({
  name: 'changes',
  after: ['change_link', 'double_opt_in', 'confirmation_mail', 'receipt', 'link_uses', 'thanks', 'redirect'],
  before: ['places', 'payment'],
  reads: ['shared_state', 'archived'],
  keys: {
    form: {
      changes: optional(
        'How long visitors can change or withdraw a submission, by a link on the page and in the mail that follow: `7d` (docs/changes.md). Needs FORM_TOKEN_SECRET and PUBLIC_URL, and `counted_in` or `keep` at the top.',
        duration({ leastMs: 60_000, mostMs: longestLinkMs, hasDays: true }),
      ),
    },
  },
  configure: ({ form: { changes: forMs }, provided }, at) => {
    if (forMs === undefined) return undefined;
    const place = at.in('changes');
    place.needsEnv('FORM_TOKEN_SECRET', 'PUBLIC_URL');
    if (!provided.get('shared_state')) {
      if (!at.fromTop('counted_in').isWrong)
        place.error(
          `the relay needs a store to record changes and withdrawals; add counted_in at the top: ${placesFor('counts')}`,
          { aboutKey: true, fix: [[['counted_in'], '/var/lib/form-relay']] },
        );
      return undefined;
    }
    if (at.in('payment').written !== undefined)
      place.error(
        'paid submissions cannot be changed or withdrawn by a link, because you would have to refund them; remove one of the two',
        { aboutKey: true },
      );
    const leaves = provided.get('redirect') ?? provided.get('thanks')?.redirects;
    if (leaves && !provided.get('confirmation_mail'))
      place.warning(
        'visitors are redirected to `redirect`, which does not show the link; add a confirmation_mail, or remove one of the two',
        { aboutKey: true },
      );
    return {
      provides: { forMs, withdraw: (submission) => forgetTaken(submission, forMs) },
      afterValidation: (next) => {
        const first = onOutcome((outcome, submission) =>
          outcome.kind === 'delivered' ? withLink(outcome, submission) : outcome,
        )(next);
        const change = deliverChange(withLink, next);
        return (submission) => (submission.values.has(pendingField) ? change : first)(submission);
      },
    };
  },
  routes: [{ name: 'changes', method: 'GET, POST', answer: answerLink }],
});

/** Tells outputs which submission a delivery changes or withdraws. */
const marking = outputExtension({
  name: 'changes',
  keys: {},
  configure: ({ provided }) => (provided.get('changes') ? { wrapTransport: marked } : undefined),
});

const marks = [
  { name: changeOf, code: 'mail_changed', header: 'X-Form-Change-Of' },
  { name: withdrawalOf, code: 'mail_withdrawn', header: 'X-Form-Withdrawn' },
];

function marked(inner: Transport, { form: { locale } }: OutputContext): Transport {
  return {
    ...inner,
    send: (delivery, call) => {
      const mark = marks.find(({ name }) => delivery.values.has(name));
      // The mail belongs to another feature, and its recipient is somebody else.
      if (!mark || delivery.mail?.to) return inner.send(delivery, call);
      const { name, code, header } = mark;
      const value = firstValue(delivery.values, name);
      const label = locale.translate({ code });
      const titlePrefix = `[${label}]`;
      const note = delivery.payload.length === 0 && { note: `${label}: ${value}` };
      const remarked = withRemark(delivery, { name, value, label, words: value, header });
      const mail = { ...remarked.mail, subjectPrefix: titlePrefix, ...note };
      return inner.send({ ...remarked, titlePrefix, mail }, call);
    },
  };
}

export const plugin: Plugin = {
  name: 'changes',
  features: [changeLink, changes],
  outputExtensions: [marking],
  messages: { en: messages },
};

const formBodies = new Map([[urlencoded.mediaType, urlencoded]]);

/** GET and POST /api/v1/changes/{form}. GET changes nothing, since programs open links in mails. */
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

/** Outputs get the values again, since their conditions and recipients may depend on them. */
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
