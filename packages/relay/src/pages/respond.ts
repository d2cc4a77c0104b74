import type { RelayRequest, RelayResponse } from '../base/http.ts';
import { late } from '../base/late.ts';
import type { FieldError, Outcome, Refusal, WaitsFor } from '../base/outcome.ts';
import { after, type Soon } from '../base/soon.ts';
import type { AnswerContext, Form, Said } from '../form.ts';
import { type MessageCode, say as sayInEnglish } from '../messages/message.ts';
import { confirmationWords } from './fragments.ts';
import { audienceOf } from './negotiation.ts';
import { jsonAnswer, textAndMarkup } from './problem_answer.ts';
import { errorBeside, errorsIn } from './visitors_language.ts';

/** Plain JSON, which most scripts and servers get, needs none of it. */
const rest = late(() => import('./form_answers.ts'));

/** Every outcome's status and words; nothing else knows them (SPEC: POST /api/v1/submit/{form}). */
export function respond(outcome: Outcome, context: AnswerContext): Soon<RelayResponse> {
  switch (outcome.kind) {
    case 'delivered':
      return success(context, outcome.isKept, outcome.waitsFor);
    case 'held':
      return held(context);
    case 'saved':
      return saved(context);
    case 'dropped':
      return dropped(context, outcome.waitsFor);
    case 'limited':
      return tryLater(
        outcome.by === 'address' ? 429 : 503,
        { code: outcome.by === 'address' ? 'opt_in_limited' : 'opt_in_busy' },
        limitedSeconds,
        context,
      );
    case 'invalid': {
      const errors = context.form ? errorsIn(context.form, outcome.errors) : outcome.errors;
      return failure(422, invalid(errors, context.form ?? english), context, errors);
    }
    case 'expired':
      return withFreshToken(failure(422, { code: 'form_expired' }, context), context);
    case 'token_missing':
      return failure(422, { code: 'try_again' }, context);
    case 'captcha_failed':
      return failure(400, { code: outcome.isUnverified ? 'captcha_unverified' : 'captcha_failed' }, context);
    case 'challenged': {
      const { asks, isUsual, isUsed } = outcome;
      const asked = { ...context, challenge: asks, isUsual, isUsed };
      const code = challengeIn(asked) === 'captcha' ? 'challenge_captcha' : 'challenge_proof';
      return failure(422, { code: isUsed ? 'challenge_used' : code }, asked);
    }
    case 'script_needed':
      return failure(403, { code: 'script_needed' }, context);
    case 'origin_refused':
      return failure(403, { code: 'origin_refused' }, context);
    case 'not_open':
    case 'closed':
    case 'full':
    case 'link_needed':
      return failure(403, outcome.refusal, context);
    case 'registered':
      return failure(403, { code: 'already_registered' }, context);
    case 'uncounted':
      return withRetryAfter(30, failure(503, outcome.refusal, context));
    case 'rate_limited':
      return tryLater(
        429,
        outcome.by === 'key'
          ? { code: 'key_limited' }
          : { code: 'rate_limited', params: { wait: { seconds: outcome.retryAfterSeconds } } },
        outcome.retryAfterSeconds,
        context,
      );
    case 'bad_request':
      return failure(400, outcome.refusal, context);
    case 'key_refused':
      return withHeader('www-authenticate', 'Bearer', failure(401, { code: 'key_refused' }, context));
    case 'replayed':
      return withHeader('idempotency-replayed', 'true', outcome.answer);
    case 'in_progress':
      return withRetryAfter(
        outcome.retryAfterSeconds,
        failure(409, { code: 'idempotency_in_progress' }, context),
      );
    case 'key_reused':
      return failure(422, { code: 'idempotency_key_reused' }, context);
    case 'unknown_form':
      return failure(404, { code: 'unknown_form' }, context);
    case 'busy':
      return withRetryAfter(5, failure(503, { code: 'busy' }, context));
    case 'undelivered':
      return failure(500, { code: 'undelivered' }, context);
    case 'no_config':
      return failure(500, { code: 'no_config' }, context);
    case 'no_token_secret':
    case 'no_public_url':
      return failure(500, { code: 'no_token_secret' }, context);
  }
}

/** The form itself, or the whole page around it (SPEC: GET /api/v1/form/{form}). */
export const formAnswer = (form: Form, context: AnswerContext): Soon<RelayResponse> =>
  rest.use((loaded) => loaded.formAnswer(form, context));

/** Do not redirect a kept submission if the owner has words for it: the next page knows nothing of that. */
function success(context: AnswerContext, isKept = false, waitsFor?: WaitsFor): Soon<RelayResponse> {
  const { form } = context;
  if (!form) return ok;
  // The next page knows nothing of the waiting list either.
  if (waitsFor)
    return wellDone(form, waitsFor === 'place' ? 'waiting_list' : 'waiting_option', undefined, context);
  return isKept && form.keptMessage !== undefined
    ? wellDone(form, 'kept_message', undefined, context)
    : wellDone(form, 'confirmation', form.redirect, context);
}

/** Answers like the form's other submissions, so that nothing tells a drop apart. */
function dropped(context: AnswerContext, waitsFor?: WaitsFor): Soon<RelayResponse> {
  const { form } = context;
  const like = form?.answers.dropsAs?.(form, context.sent);
  if (like === 'saved') return saved(context);
  return like === 'held' ? held(context) : success(context, like === 'kept', waitsFor);
}

const challengeIn = (context: AnswerContext) => context.form?.answers.challenged?.(context);

/** Do not redirect before the address is confirmed. */
const held = (context: AnswerContext): Soon<RelayResponse> =>
  context.form ? wellDone(context.form, 'opt_in_sent', undefined, context) : ok;

/** The form is not sent yet, so nothing redirects. */
const saved = (context: AnswerContext): Soon<RelayResponse> =>
  context.form ? wellDone(context.form, 'resume_sent', undefined, context) : ok;

/** The form with these words as its confirmation. */
export function saying(form: Form, said: Said): Form {
  switch (said) {
    case 'confirmation':
      return form;
    case 'kept_message':
      return { ...form, confirmation: form.keptMessage ?? form.confirmation };
    case 'opt_in_sent':
    case 'resume_sent':
    case 'waiting_list':
    case 'waiting_option':
      return { ...form, confirmation: form.say({ code: said }) };
  }
}

function wellDone(
  declared: Form,
  said: Said,
  redirect: URL | undefined,
  context: AnswerContext,
): Soon<RelayResponse> {
  const { request, receipt, sentAddress } = context;
  const form = saying(declared, said);
  const { confirmation } = form;
  switch (audienceOf(request, form)) {
    case 'htmx':
      return rest.use((loaded) => loaded.confirmationAnswer(form, receipt));
    case 'page': {
      const next = redirect?.href ?? sentAddress?.(form, said, context);
      return next === undefined
        ? rest.use(({ confirmationPage }) => confirmationPage(form, context))
        : { status: 303, headers: { location: next, 'cache-control': 'no-store' }, body: '' };
    }
    case 'problem_json':
      if (said === 'resume_sent') {
        // The form's script stays with the form, since nothing was sent, and sends it later with this token.
        const renewal = form.answers.renewal?.problem(context);
        return jsonAnswer(200, { message: 'saved', code: said, detail: confirmation, ...renewal });
      }
      return jsonAnswer(200, {
        message: 'ok',
        ...textAndMarkup('confirmation', confirmation),
        // The form's script shows the markup, where there is some.
        ...(receipt && { confirmation_html: confirmationWords(form, receipt).toString(), receipt }),
        redirect: redirect?.href,
      });
    case 'json':
      return receipt ? jsonAnswer(200, { message: 'ok', receipt }) : ok;
  }
}

/** `Retry-After` of limits that hold for an hour, some of which has passed. */
const limitedSeconds = 1_800;

const ok = jsonAnswer(200, { message: 'ok' });

/**
 * An error for whoever asked: a fragment for htmx, a complete page for browsers that sent a form of the relay's own or one
 * with a `redirect`, RFC 9457 for programs that ask for it, `{"error": …}` for everybody else.
 */
export function failure(
  status: number,
  message: Refusal,
  asked: AnswerContext,
  errors?: readonly FieldError[],
): Soon<RelayResponse> {
  const { request, form } = asked;
  const context = { ...asked, challenge: challengeIn(asked) };
  if (audienceOf(request, form) === 'json') {
    return jsonAnswer(status, {
      error: (form ?? english).say(message),
      ...form?.answers.renewal?.json(context),
    });
  }
  const owners = tellsOwnersWords(status) ? ownersWords(message, form) : undefined;
  const onPage = { code: pageCode(message.code, request), params: message.params };
  return rest.use((loaded) => loaded.failureAnswer(status, { message, onPage, errors, owners }, context));
}

/** Beyond a limit of the relay. */
export const tryLater = (
  status: 429 | 503,
  message: Refusal,
  afterSeconds: number,
  context: AnswerContext,
): Soon<RelayResponse> => withRetryAfter(afterSeconds, failure(status, message, context));

export const internalError = (context: AnswerContext): Soon<RelayResponse> =>
  failure(500, { code: 'internal_error' }, context);

/** Whether sending failed for a reason that the visitor cannot correct. */
const tellsOwnersWords = (status: number): boolean =>
  status === 400 || status === 403 || status === 429 || status >= 500;

const ownersWords = ({ code }: Refusal, form: Form | undefined): string | undefined => {
  const own = code === 'form_closed' ? form?.closedText : code === 'form_full' ? form?.fullText : undefined;
  return own ?? form?.failureMessage;
};

const withRetryAfter = (seconds: number, answer: Soon<RelayResponse>): Soon<RelayResponse> =>
  withHeader('retry-after', String(seconds), answer);

const withHeader = (name: string, value: string, answer: Soon<RelayResponse>): Soon<RelayResponse> =>
  after(answer, (ready) => ({ ...ready, headers: { ...ready.headers, [name]: value } }));

/** The voice of answers about no form. */
const english: Pick<Form, 'say' | 'sentences'> = { say: sayInEnglish, sentences: new Map() };

/** All that is wrong, in one line. */
const invalid = (errors: readonly FieldError[], form: typeof english): Refusal => ({
  code: 'invalid',
  params: {
    errors: errors
      .map((error) => ({ field: error.field, error: errorBeside(form, error) }))
      .map((params) => form.say({ code: 'field_error', params }))
      .join(' '),
  },
});

const pageCodes: Partial<Record<MessageCode, MessageCode>> = {
  // The form stands there with a new token already. To reload the page would send the old one again.
  form_expired: 'form_ready_again',
  // A visitor gets here by pressing Enter in the address bar, after a page with errors.
  method_not_allowed: 'nothing_sent',
  undelivered: 'not_delivered_page',
  // These come before the body was read, or where that did not go well: the page cannot show it. To reload it sends the
  // form again, as it was.
  throttled: 'reload_later',
  rate_limited: 'rate_limited_page',
  overloaded: 'reload_later',
  internal_error: 'reload_after_error',
  no_config: 'reload_after_error',
  body_too_long: 'too_long_page',
  text_too_long: 'too_long_page',
  body_over_limit: 'upload_too_large_page',
  uploads_busy: 'uploads_busy_page',
  unknown_form: 'unknown_form_page',
};

/** The same after a POST. Browsers ask before they send it again, and some have no button for that; all can go back. */
const pageCodesAfterPost: typeof pageCodes = {
  ...pageCodes,
  throttled: 'go_back_later',
  overloaded: 'go_back_later',
};

const pageCode = (code: MessageCode, { method }: RelayRequest): MessageCode =>
  (method === 'POST' ? pageCodesAfterPost : pageCodes)[code] ?? code;

/** In a page with htmx, an event makes an expired form ready to be sent again, beside SPEC's fragment. */
function withFreshToken(answer: Soon<RelayResponse>, context: AnswerContext): Soon<RelayResponse> {
  const { form, request } = context;
  if (!form || audienceOf(request, form) !== 'htmx') return answer;
  const trigger = form.answers.renewal?.event(context);
  return trigger === undefined
    ? answer
    : after(answer, (ready) => ({ ...ready, headers: { ...ready.headers, 'hx-trigger': trigger } }));
}
