import { sendAtOnceCode } from '../../../built/inline.ts';
import { apiPath, sealedField } from '../../api_urls.ts';
import { noFiles } from '../../base/files.ts';
import { attributes, type Html, html, inlineScript } from '../../base/html.ts';
import type { RelayResponse } from '../../base/http.ts';
import type { Outcome } from '../../base/outcome.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { Soon } from '../../base/soon.ts';
import { idsOf } from '../../base/trace.ts';
import { firstValue } from '../../base/values.ts';
import { parseBody } from '../../bodies/parse_body.ts';
import { parseQuery } from '../../bodies/urlencoded.ts';
import type { AnswerContext, AnswerTo, Call, Form, Held } from '../../form.ts';
import { createConfirmed } from '../../memory/confirmed.ts';
import { addressBase } from '../../pages/form_shown_first.ts';
import { errorList, hiddenInput } from '../../pages/fragments.ts';
import { page } from '../../pages/page_answer.ts';
import { failure, respond } from '../../pages/respond.ts';
import { forVisitor } from '../../pages/visitors_language.ts';
import { withLinks } from '../../schema/linked_text.ts';
import { openSubmission, unpacked } from './sealed_submission.ts';
import type { DoubleOptIn } from './visitor_mail.ts';

/** The form's `double_opt_in`, if it has one. */
type AskedOf = (form: Form) => DoubleOptIn | undefined;

/** GET /api/v1/confirm/{form}: it changes nothing, since programs open the links of mails, too. */
export async function showConfirmation(call: Call, askedOf: AskedOf): Promise<RelayResponse> {
  const sealed = firstValue(parseQuery(call.request.query) ?? new Map(), sealedField);
  const opened = await openLink(sealed, call, askedOf);
  if (!opened.ok) return opened.error;
  const { form } = opened.value;
  return confirmPage(form, sealed, call.context(form), askedOf(form)?.confirm === 'click');
}

/** POST /api/v1/confirm/{form}: delivers what the link holds, as if it had come just now, and once. */
export async function postConfirmation(call: Call, askedOf: AskedOf): Promise<RelayResponse> {
  const { effects } = call;
  const refused = (answer: RelayResponse) => {
    effects.log('info', 'refused', { ...idsOf(call), status: answer.status });
    return answer;
  };
  const body = await parseBody(call.request);
  if (!body.ok) return refused(await respond({ kind: 'bad_request', refusal: body.error }, call.context()));
  const sealed = firstValue(body.value.values, sealedField);
  const opened = await openLink(sealed, call, askedOf);
  if (!opened.ok) return refused(opened.error);
  const { form, declared, held } = opened.value;
  // The same each time, as the answer is.
  const about = { ...held, taken: { ...held, files: noFiles } };
  const receipt = await form.stages.receipt?.({ kind: 'delivered' }, form, about, call.settings);
  const context = await call.reloadable(call.context(form));
  const answerTo = (outcome: Outcome) => {
    switch (outcome.kind) {
      case 'delivered':
        return respond(outcome, { ...context, ...(!outcome.byNobody && { receipt }) });
      // Whoever clicks has the address, and gets a mail about it.
      case 'dropped':
        return respond(
          { kind: 'delivered', ...(outcome.waitsFor && { waitsFor: outcome.waitsFor }) },
          context,
        );
      case 'full':
      case 'invalid':
      case 'registered':
      case 'link_needed':
        return respond(outcome, context);
      case 'uncounted':
      case 'busy':
        return confirmAgainPage(503, form, sealed, context);
      default:
        return confirmAgainPage(500, form, sealed, context);
    }
  };
  return answerTo(await deliverOnce(declared, held, call, answerTo));
}

interface Opened {
  /** In the visitor's language. */
  readonly form: Form;
  /** In its first language, which its outputs speak. */
  readonly declared: Form;
  readonly held: Held;
}

/** The link's content, or the answer if it cannot be used. */
async function openLink(
  sealed: string,
  call: Call,
  askedOf: AskedOf,
): Promise<Result<Opened, RelayResponse>> {
  const { request, settings, effects } = call;
  const found = await call.findForm();
  if (!found.ok) return found;
  const form = forVisitor(found.value, request);
  const asked = askedOf(form);
  if (!asked) return err(await failure(404, { code: 'unknown_page' }, call.context(form)));
  const refused = await call.withoutTokenSecret(form);
  if (refused) return err(refused);
  const held = openSubmission(settings, form.id, sealed);
  const isExpired = held !== undefined && effects.now() - held.receivedAt > asked.expires;
  if (held && !isExpired) {
    const declared = found.value;
    return ok({ form, declared, held: { ...held, values: unpacked(declared, held.values) } });
  }
  const reason = isExpired ? 'it has expired' : 'it is not whole, or of another form or FORM_TOKEN_SECRET';
  effects.log('info', 'link_refused', { ...idsOf(call), form: form.id, reason });
  return err(await linkRefused(isExpired, call.context(form)));
}

/**
 * A link that is opened twice delivers once, as far as this process knows. Others know it by the `Idempotency-Key` and
 * the `Message-ID`, which are the same each time.
 */
async function deliverOnce(form: Form, held: Held, call: Call, answerTo: AnswerTo): Promise<Outcome> {
  const { memory, effects, trace } = call;
  const key = `${form.id}\0${held.requestId}\0${held.receivedAt}`;
  const { outcome, isAgain } = await memory
    .late('confirmed', createConfirmed)
    .once(key, () => call.deliverHeld(form, held, answerTo));
  if (isAgain)
    effects.log('info', 'confirmed_again', { ...idsOf({ requestId: held.requestId, trace }), form: form.id });
  return outcome;
}

/**
 * The first page behind a link in a mail: a form that sends what the link holds.
 *
 * @param needsClick Whether it waits for its button. Otherwise it sends itself if scripts run.
 */
function confirmPage(form: Form, sealed: string, context: AnswerContext, needsClick: boolean): RelayResponse {
  const words = html`<p>${form.say({ code: needsClick ? 'opt_in_click' : 'opt_in_page' })}</p>`;
  const content = formAround(words, form, baseOf(context), sealed);
  if (needsClick) return withoutTrace(page(200, form, 'form', html`${content}\n`, context));
  const sendsItself = html`${content}${inlineScript(sendAtOnceCode)}\n`;
  return withoutTrace(page(200, form, 'form', sendsItself, context, sendAtOnceCode));
}

/** The same where it could not be delivered: its button sends it once more, and nothing else does. */
function confirmAgainPage(
  status: 500 | 503,
  form: Form,
  sealed: string,
  context: AnswerContext,
): RelayResponse {
  const content = confirmFormAgain(form, baseOf(context), sealed);
  return withoutTrace(page(status, form, 'error', content, context));
}

/** A link that is none of this form's, or too old. */
const linkRefused = (isExpired: boolean, context: AnswerContext): Soon<RelayResponse> =>
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
