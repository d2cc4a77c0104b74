import { sealedField } from '../api_urls.ts';
import { noFiles } from '../base/files.ts';
import type { RelayResponse } from '../base/http.ts';
import type { Outcome } from '../base/outcome.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Soon } from '../base/soon.ts';
import { idsOf } from '../base/trace.ts';
import { firstValue } from '../base/values.ts';
import { parseBody } from '../bodies/parse_body.ts';
import { parseQuery } from '../bodies/urlencoded.ts';
import { doubleOptIn } from '../features/visitor_mails/double_opt_in.ts';
import { type Held, openSubmission } from '../features/visitor_mails/sealed_submission.ts';
import type { Form } from '../form.ts';
import { type Confirmed, createConfirmed } from '../memory/confirmed.ts';

import { confirmAgainPage, confirmPage, linkRefused } from '../pages/confirm_answer.ts';
import { failure, respond } from '../pages/respond.ts';
import { forVisitor } from '../pages/visitors_language.ts';
import { deliver } from './deliver.ts';
import type { Exchange } from './exchange.ts';
import { findForm } from './find_form.ts';
import { listen, reloadable, submissionBudgetMs } from './post_submission.ts';
import { followDelivery } from './submit.ts';

/** GET /api/v1/confirm/{form}: it changes nothing, since programs open the links of mails, too (D88). */
export async function showConfirmation(
  formId: string | undefined,
  exchange: Exchange,
): Promise<RelayResponse> {
  const sealed = firstValue(parseQuery(exchange.request.query) ?? new Map(), sealedField);
  const opened = await openLink(formId, sealed, exchange);
  if (!opened.ok) return opened.error;
  const { form } = opened.value;
  return confirmPage(form, sealed, exchange.context(form));
}

/** POST /api/v1/confirm/{form}: delivers what the link holds, as if it had come just now, and once. */
export async function postConfirmation(
  formId: string | undefined,
  exchange: Exchange,
): Promise<RelayResponse> {
  const { effects } = exchange;
  const refused = (answer: RelayResponse) => {
    effects.log('info', 'refused', { ...idsOf(exchange), status: answer.status });
    return answer;
  };
  const body = await parseBody(exchange.request);
  if (!body.ok)
    return refused(await respond({ kind: 'bad_request', refusal: body.error }, exchange.context()));
  const sealed = firstValue(body.value.values, sealedField);
  const opened = await openLink(formId, sealed, exchange);
  if (!opened.ok) return refused(opened.error);
  const { form, declared, held } = opened.value;
  // The same each time, as the answer is.
  const about = { ...held, taken: { ...held, files: noFiles } };
  const receipt = await form.stages.receipt?.({ kind: 'delivered' }, form, about, exchange.settings);
  const context = await reloadable(exchange.context(form));
  const answerTo = (outcome: Outcome) =>
    outcome.kind === 'delivered'
      ? respond(outcome, { ...context, ...(!outcome.byNobody && { receipt }) })
      : confirmAgainPage(form, sealed, context);
  return answerTo(await deliverOnce(declared, held, exchange, answerTo));
}

interface Opened {
  /** In the visitor's language. */
  readonly form: Form;
  /** In its first language, which its outputs speak. */
  readonly declared: Form;
  readonly held: Held;
}

/** What the link holds, or how the request ends without it. */
async function openLink(
  formId: string | undefined,
  sealed: string,
  exchange: Exchange,
): Promise<Result<Opened, RelayResponse>> {
  const { request, settings, effects, config } = exchange;
  const found = await findForm(formId, config);
  if (!found.ok) return err(await respond(found.error, exchange.context()));
  const form = forVisitor(found.value, request);
  const asked = doubleOptIn.of(form);
  if (!asked) return err(await failure(404, { code: 'unknown_page' }, exchange.context(form)));
  if (settings.formTokenSecret === '') {
    const reason = 'FORM_TOKEN_SECRET is not set';
    effects.log('error', 'no_token_secret', { ...idsOf(exchange), form: form.id, reason });
    return err(await respond({ kind: 'no_token_secret' }, exchange.context(form)));
  }
  const held = openSubmission(settings, form.id, sealed);
  const isExpired = held !== undefined && effects.now() - held.receivedAt > asked.expires;
  if (held && !isExpired) return ok({ form, declared: found.value, held });
  const reason = isExpired ? 'it has expired' : 'it is not whole, or of another form or FORM_TOKEN_SECRET';
  effects.log('info', 'link_refused', { ...idsOf(exchange), form: form.id, reason });
  return err(await linkRefused(isExpired, exchange.context(form)));
}

/**
 * A link that is opened twice delivers once, as far as this process knows. Others know it by the `Idempotency-Key` and
 * the `Message-ID`, which are the same each time.
 */
async function deliverOnce(form: Form, held: Held, exchange: Exchange, answerTo: AnswerTo): Promise<Outcome> {
  const { memory, effects, trace } = exchange;
  const key = `${form.id}\0${held.requestId}\0${held.receivedAt}`;
  const { outcome, isAgain } = await memory
    .late<Confirmed>('confirmed', createConfirmed)
    .once(key, () => deliverHeld(form, held, exchange, answerTo));
  if (isAgain)
    effects.log('info', 'confirmed_again', { ...idsOf({ requestId: held.requestId, trace }), form: form.id });
  return outcome;
}

type AnswerTo = (outcome: Outcome) => Soon<RelayResponse>;

async function deliverHeld(form: Form, held: Held, exchange: Exchange, answerTo: AnswerTo): Promise<Outcome> {
  const { request, effects, transports, observers, trace } = exchange;
  const startedAt = effects.now();
  const { requestId, receivedAt, values, page } = held;
  const tell = listen(observers, { requestId, formId: form.id, asked: form.id, receivedAt, trace });
  tell({ kind: 'received', values, files: noFiles, page });
  tell({ kind: 'confirmed', requestId: exchange.requestId });
  const { timeLeftMs = Infinity, senderAddress } = request;
  const deadline = startedAt + Math.min(submissionBudgetMs, timeLeftMs - 1_000);
  const submission = { ...held, files: noFiles, deadline, senderAddress, endsOnPage: true };
  const keep = form.stages.owed?.(form, tell, exchange);
  const outcome = await deliver(submission, { form, effects, transports, tell, trace, keep });
  if (outcome.kind === 'delivered') await followDelivery(form, submission, outcome, tell, exchange);
  tell({ kind: 'answered', outcome, answer: await answerTo(outcome), ms: effects.now() - startedAt });
  return outcome;
}
