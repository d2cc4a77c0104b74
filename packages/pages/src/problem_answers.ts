/** Responses for the element's script, and for programs that ask for problem details (RFC 9457). */

import { hasLinks, withLinks, withoutLinks } from '@form-relay/base/html';
import { jsonPointer } from '@form-relay/base/json';
import { homepage } from '@form-relay/base/version';
import { errorWords, labelIn, unlabelledError } from '@form-relay/core/fields/label';
import { confirmationWords, jsonAnswer } from '@form-relay/core/html/fragments';
import { confirmationOf, describe } from '@form-relay/core/http/answers';
import type {
  FieldError,
  Form,
  Locale,
  Outcome,
  RelayRequest,
  RelayResponse,
  RenderContext,
} from '@form-relay/core/index';
import { redirectOf } from './negotiation.ts';
import { fromOwnPage } from './script_view.ts';

export async function problemAnswer(outcome: Outcome, answering: RenderContext): Promise<RelayResponse> {
  const { form, request } = answering;
  const locale = scriptLocale(answering);
  const answer = outcome.message
    ? problem(outcome, form, locale)
    : success(outcome, form, locale, await sentPage(request, outcome, answering));
  const type = outcome.message && { 'content-type': 'application/problem+json' };
  const language = locale.language !== undefined && { 'content-language': locale.language };
  return { ...answer, headers: { ...answer.headers, ...type, ...language } };
}

/** The page to which the script of the relay's own page redirects. */
const sentPage = async (request: RelayRequest, outcome: Outcome, answering: RenderContext) =>
  request.query.includes(fromOwnPage)
    ? (await import('./page_answers.ts')).sentAddress(outcome, answering)
    : undefined;

/** The language of a script's page, and the form's first language for programs. */
function scriptLocale({ form, request, locale }: RenderContext): Locale {
  if (!form || !request.query.includes('lang=')) return form?.locale(undefined) ?? locale;
  return form.locale({ ...request, headers: { ...request.headers, 'accept-language': undefined } });
}

function success(outcome: Outcome, form: Form | undefined, locale: Locale, next?: string): RelayResponse {
  const { codes, json } = outcome;
  const words = confirmationOf(outcome, form, locale);
  return jsonAnswer(200, {
    message: 'ok',
    ...textAndMarkup('confirmation', words),
    // The form's script shows the markup, if there is any.
    ...(codes && { confirmation_html: confirmationWords(words, codes, locale).toString() }),
    ...codes,
    ...json,
    redirect: redirectOf(outcome, form, locale) ?? next,
  });
}

function problem(outcome: Outcome, form: Form | undefined, locale: Locale): RelayResponse {
  const { status, message, errors, json, ownersText, resend } = outcome;
  const code = message?.code ?? outcome.kind;
  return jsonAnswer(status, {
    type: homepage ? `${homepage}problems.html#${code}` : 'about:blank',
    title: titles[status],
    status,
    detail: describe(outcome, form, locale),
    code,
    errors: errors?.map((error) => aboutField(error, form, locale)),
    pointer: message?.params?.pointer,
    ...json,
    token: resend?.token(),
    ...textAndMarkup('failure_message', ownersText === undefined ? undefined : locale.text(ownersText)),
  });
}

const aboutField = (error: FieldError, form: Form | undefined, locale: Locale) => ({
  field: error.field,
  label: form && labelIn(form, error.field, locale),
  code: error.code,
  message: errorWords(form, error, locale),
  summary: form && unlabelledError(form, error, locale),
  pointer: error.pointer ?? pointerTo(error, form),
});

/** A JSON Pointer (RFC 6901) to the wrong value or field in the JSON body, or in the equivalent JSON. */
function pointerTo({ field, at }: FieldError, form: Form | undefined): string {
  const input = form?.inputs.find(({ name }) => name === field);
  const place = at !== undefined && input?.takesSeveral ? [at] : [];
  return jsonPointer(...(input?.path ?? [field]), ...place);
}

/** The owner's text, and its markup (`<key>_html`) if it contains a link. */
const textAndMarkup = (key: string, words: string | undefined): object =>
  words === undefined
    ? {}
    : {
        [key]: withoutLinks(words),
        ...(hasLinks(words) && { [`${key}_html`]: withLinks(words).toString() }),
      };

/** From RFC 9110. Does not use `STATUS_CODES` from `node:http`, which cold starts would have to load. */
const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};
