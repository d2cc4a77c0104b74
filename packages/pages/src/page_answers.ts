/** Responses for people: whole pages, and the redirect after a success. */

import { html, withLinks } from '@form-relay/base/html';
import { chain } from '@form-relay/base/maybe_promise';
import { seal, unseal } from '@form-relay/base/seal';
import { parseQuery } from '@form-relay/base/urlencoded';
import { firstValue } from '@form-relay/base/values';
import { apiPath } from '@form-relay/core/html/element_ids';
import { errorList } from '@form-relay/core/html/fragments';
import type {
  HtmlValue,
  LocalizedText,
  MaybePromise,
  Outcome,
  RelayRequest,
  RelayResponse,
  RenderContext,
  Rendered,
} from '@form-relay/core/index';
import { asksForRedirect, redirectOf } from './negotiation.ts';
import { pageAnswer } from './page_view.ts';
import { formLink } from './printed_form.ts';

/** Going back to the page restores the token along with what was typed. With a newer token, visitors would look like bots. */
export function formPage(rendered: Rendered, answering: RenderContext): RelayResponse {
  const answer = pageAnswer(200, 'form', rendered, answering);
  // The page's URL contains a secret.
  if (rendered.isUnstored)
    return { ...answer, headers: { ...answer.headers, 'referrer-policy': 'strict-origin' } };
  return { ...answer, headers: { ...answer.headers, 'cache-control': 'private, no-cache' } };
}

export function outcomePage(outcome: Outcome, answering: RenderContext): MaybePromise<RelayResponse> {
  return outcome.message ? errorPage(outcome, answering) : successPage(outcome, answering);
}

function errorPage(outcome: Outcome, answering: RenderContext): MaybePromise<RelayResponse> {
  const { status, message, errors, ownersText } = outcome;
  const { form, sent, pageLocale: locale, request } = answering;
  if (!message) return messagePage(status, [], answering);
  if (message.code === 'unknown_page' && isHome(request)) return homePage(answering);
  const words = locale.translate({ ...message, code: pageCode(message.code, request) });
  const messages = ownersText === undefined ? [words] : [words, withLinks(locale.text(ownersText))];
  // After a bug, reloading the page sends the submission again.
  const isBroken = outcome.kind === 'internal_error';
  if (!form || !sent || isBroken) return messagePage(status, messages, answering);
  return chain(answering.renderAgain(outcome, errors ? [] : messages), (again) =>
    'kind' in again
      ? messagePage(status, messages, answering)
      : pageAnswer(status, outcome.isQuestion ? 'form' : 'error', again, answering),
  );
}

/** Whether this is the relay's root URL. */
const isHome = ({ method, path, mountPath }: RelayRequest): boolean =>
  (path === '/' || path === mountPath) && (method === 'GET' || method === 'HEAD');

/** Says what this server is, and lists only forms that are `listed`. */
function homePage(answering: RenderContext): RelayResponse {
  const { forms, request, pageLocale } = answering;
  const listed = [...(forms?.values() ?? [])].filter(({ provided }) => provided.get('look')?.listed);
  const links = listed.map(
    (form) => html`<li>${formLink(form, request.mountPath ?? '', form.locale(request))}</li>\n`,
  );
  const words = html`<p>${pageLocale.translate({ code: 'home_page' })}</p>\n`;
  const content = links.length > 0 ? html`<ul class="listed">\n${links}</ul>\n` : words;
  return pageAnswer(200, 'home', { html: content }, answering);
}

const messagePage = (status: number, messages: readonly HtmlValue[], answering: RenderContext) =>
  pageAnswer(
    status,
    'error',
    { html: html`<div class="form-relay">\n${errorList(messages)}</div>\n` },
    answering,
  );

/** A redirect, or a page that is safe to reload. A form without either is answered with 200 (SPEC: POST …/submit). */
function successPage(outcome: Outcome, answering: RenderContext): RelayResponse {
  const { form, request, locale } = answering;
  const next = asksForRedirect(request, form)
    ? (redirectOf(outcome, form, locale) ?? sentAddress(outcome, answering))
    : undefined;
  if (next === undefined) return confirmationPage(outcome, answering);
  return { status: 303, headers: { location: next, 'cache-control': 'no-store' }, body: '' };
}

const confirmationPage = (
  outcome: Pick<Outcome, 'says' | 'confirmation' | 'codes' | 'html'>,
  answering: RenderContext,
) => pageAnswer(200, 'sent', { html: answering.confirmationFragment(outcome) }, answering);

/** How long the URL shows its page, in milliseconds. */
const shownForMs = 3_600_000;

/** Servers and proxies accept URLs of this length, in characters. */
const longestInAddress = 3_000;

/** The data that the page needs besides the form. A dropped submission has the same data, so that bots cannot tell. */
interface Sent {
  /** The code of the text, or `confirmation` for the form's confirmation. */
  readonly said: string;
  /** The owner's text, by language if there are several. */
  readonly words?: string | Readonly<Record<string, string>> | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly codes?: Outcome['codes'] | undefined;
}

/**
 * The page that follows a success. The URL is relative to where the form was sent, so that it also works
 * behind proxies that add a path. `undefined` without a secret to encrypt it.
 */
export function sentAddress(outcome: Outcome, answering: RenderContext): string | undefined {
  const { form, now: at, settings, requestId, locale } = answering;
  if (!form || settings.formTokenSecret === '') return undefined;
  const { codes, confirmation } = outcome;
  const chosen = outcome.says ?? confirmation;
  const says = typeof chosen === 'function' ? chosen(locale) : chosen;
  const isCode = typeof says === 'object' && 'code' in says;
  const words =
    typeof says === 'object' && !isCode ? Object.fromEntries(says as ReadonlyMap<string, string>) : says;
  const sent: Sent = {
    said: isCode ? says.code : 'confirmation',
    ...(!isCode && words !== undefined && { words: words as Sent['words'] }),
    at,
    codes,
  };
  const sealedOf = (one: Sent) =>
    seal(settings.formTokenSecret, 'sent page', form.id, Buffer.from(JSON.stringify(one)), requestId);
  const whole = sealedOf(sent);
  // A text that is too long for the URL is replaced by the confirmation, because a page that fails to load
  // would look like a lost submission.
  const sealed = whole.length <= longestInAddress ? whole : sealedOf({ ...sent, words: undefined });
  const query = [locale.query, `t=${sealed}`].filter(Boolean).join('&');
  return `${apiPath('../../..', 'sent', form.id)}?${query}`;
}

/** GET /api/v1/sent/{form}. `undefined` if the URL is too old, or not the relay's. */
export function sentPage(answering: RenderContext): RelayResponse | undefined {
  const sent = sentIn(answering);
  if (!sent || answering.now - sent.at > shownForMs) return undefined;
  const answer = confirmationPage({ says: wordsIn(sent), codes: sent.codes }, answering);
  // Links in the confirmation must not reveal this URL.
  return { ...answer, headers: { ...answer.headers, 'referrer-policy': 'no-referrer' } };
}

function sentIn({ request, settings, form }: RenderContext): Sent | undefined {
  const sealed = firstValue(parseQuery(request.query) ?? new Map(), 't');
  const content =
    form && settings.formTokenSecret && unseal(settings.formTokenSecret, 'sent page', form.id, sealed);
  return content ? JSON.parse(content.toString()) : undefined;
}

function wordsIn({ said, words }: Sent): Outcome['says'] {
  if (typeof words === 'object') return new Map(Object.entries(words)) satisfies LocalizedText;
  return words ?? (said === 'confirmation' || said === 'kept_message' ? undefined : { code: said });
}

const pageCodes: Readonly<Record<string, string>> = {
  // The page shows the form with a new token. Reloading it would send the old token again.
  form_expired: 'form_ready_again',
  // Visitors get here by pressing Enter in the address bar after a page with errors.
  method_not_allowed: 'nothing_sent',
  undelivered: 'not_delivered_page',
  // These errors occur before the body has been read, so the page cannot show what was sent. Reloading sends
  // the form again, unchanged.
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
  unknown_page: 'no_such_page',
};

/**
 * The same after a POST. Browsers ask before they repeat a POST, and some have no reload button, but visitors
 * can always go back.
 */
const pageCodesAfterPost: typeof pageCodes = {
  ...pageCodes,
  throttled: 'go_back_later',
  overloaded: 'go_back_later',
};

const pageCode = (code: string, { method }: RelayRequest): string =>
  (method === 'POST' ? pageCodesAfterPost : pageCodes)[code] ?? code;
