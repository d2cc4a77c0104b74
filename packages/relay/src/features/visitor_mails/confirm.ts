import { sealedField } from '../../api_urls.ts';
import { noFiles } from '../../base/files.ts';
import type { RelayResponse } from '../../base/http.ts';
import type { Outcome } from '../../base/outcome.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { idsOf } from '../../base/trace.ts';
import { firstValue } from '../../base/values.ts';
import { parseBody } from '../../bodies/parse_body.ts';
import { parseQuery } from '../../bodies/urlencoded.ts';
import type { AnswerTo, Call, Form, Held } from '../../form.ts';
import { createConfirmed } from '../../memory/confirmed.ts';
import { failure, respond } from '../../pages/respond.ts';
import { forVisitor } from '../../pages/visitors_language.ts';
import { confirmAgainPage, confirmPage, linkRefused } from './confirm_answer.ts';
import { unpacked } from './packed_values.ts';
import { openSubmission } from './sealed_submission.ts';
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
