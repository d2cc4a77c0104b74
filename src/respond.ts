import { STATUS_CODES } from 'node:http';
import { issueToken } from './checks/token.ts';
import type { Form } from './form.ts';
import { confirmationFragment, errorList, renderForm, tokenInput } from './html/form.ts';
import type { Html } from './html/html.ts';
import type { RelayRequest, RelayResponse } from './http.ts';
import type { Outcome } from './outcome.ts';

/** How the client wants its answer. */
export type Audience = 'json' | 'problem_json' | 'htmx';

export function audienceOf({ headers }: RelayRequest): Audience {
  if (headers['hx-request'] === 'true') return 'htmx';
  return headers.accept?.includes('application/problem+json') ? 'problem_json' : 'json';
}

/** What an answer may need beyond the outcome. */
export interface RespondContext {
  readonly audience: Audience;
  /** Absent when the form is unknown. */
  readonly form: Form | undefined;
  readonly formTokenSecret: string;
  readonly now: number;
}

/** Every outcome's status and words; nothing else knows them (SPEC: POST /api/v1/submit/{form}). */
export function respond(outcome: Outcome, context: RespondContext): RelayResponse {
  const { form, audience } = context;
  switch (outcome.kind) {
    case 'delivered':
    case 'dropped':
      return form && audience === 'htmx'
        ? fragment(200, confirmationFragment(form))
        : json(200, { message: 'ok' });
    case 'invalid': {
      if (form && audience === 'htmx') {
        const { errors, values } = outcome;
        return fragment(
          422,
          renderForm(form, { errors, values, token: freshToken(form, context, 'correction') }),
        );
      }
      const text = outcome.errors.map(({ field, message }) => `${field}: ${message}`).join(' ');
      return failure(422, text, audience, { errors: outcome.errors });
    }
    case 'expired':
      return failure(422, 'form expired, please reload', audience);
    case 'captcha_failed':
      return failure(400, 'the captcha was not solved; please try again', audience);
    case 'bad_request':
      return failure(400, outcome.message, audience);
    case 'unknown_form':
      return failure(404, 'there is no such form', audience);
    case 'undelivered':
      return failure(500, 'the submission could not be delivered; please try again later', audience);
    case 'no_config':
      return failure(500, 'the forms are not available at the moment', audience);
    case 'no_token_secret':
      return failure(500, 'this form is not set up completely; please tell its owner', audience);
  }
}

export const json = (status: number, body: object): RelayResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});

export const fragment = (status: number, markup: Html): RelayResponse => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  },
  body: markup.toString(),
});

/** An error for people (fragment), programs (`{"error": …}`) or programs that ask for RFC 9457 (D6). */
export function failure(
  status: number,
  text: string,
  audience: Audience,
  details: object = {},
): RelayResponse {
  if (audience === 'htmx') return fragment(status, errorList([text]));
  if (audience === 'json') return json(status, { error: text });
  const body = { type: 'about:blank', title: STATUS_CODES[status], status, detail: text, ...details };
  const answer = json(status, body);
  return { ...answer, headers: { ...answer.headers, 'content-type': 'application/problem+json' } };
}

/**
 * A fresh min-fill token as a hidden input; nothing for forms without min-fill. The caller has seen to it that the
 * secret is set. The token of a correction counts the waiting already done (D7).
 */
export function freshToken(
  form: Form,
  { formTokenSecret, now }: Pick<RespondContext, 'formTokenSecret' | 'now'>,
  occasion: 'first' | 'correction' = 'first',
): Html | undefined {
  const rule = form.spam?.minFill;
  if (!rule) return undefined;
  const waitedMs = occasion === 'correction' ? rule.minFillMs : 0;
  return tokenInput(rule.tokenField, issueToken(formTokenSecret, form.id, { issuedAt: now, waitedMs }));
}
