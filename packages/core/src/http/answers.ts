import { stackOf } from '@form-relay/base/client_error';
import { type HtmlValue, withLinks } from '@form-relay/base/html';
import { chain, type MaybePromise } from '@form-relay/base/maybe_promise';
import { parseQuery } from '@form-relay/base/urlencoded';
import { type Files, noFiles, noValues, type SentFile } from '@form-relay/base/values';
import { errorWords } from '../fields/label.ts';
import type { Form } from '../form.ts';
import { formElementId } from '../html/element_ids.ts';
import { renderForm, type Shown } from '../html/form_view.ts';
import {
  closedFragment,
  confirmationFragment,
  errorList,
  fragmentAnswer,
  jsonAnswer,
} from '../html/fragments.ts';
import { shownAgain, shownFirst, withForgottenFiles } from '../html/shown.ts';
import type { Locale } from '../messages/message.ts';
import type { FormView, RenderContext, Rendered, Renderer } from '../plugin.ts';
import type { Services } from '../services.ts';
import type { Outcome } from '../submission.ts';
import { addressBase, asksByHtmx, htmxTarget, type RelayRequest, type RelayResponse } from './request.ts';

export interface AnswerContext
  extends Pick<RenderContext, 'request' | 'requestId' | 'form' | 'forms' | 'sent' | 'settings' | 'now'> {
  readonly sentFiles?: Files<SentFile> | undefined;
  /** A request that submits a form without naming a format: the response is JSON. */
  readonly isPlain: boolean;
  /** The request comes from a server with a key, so it gets JSON. */
  readonly isTrusted: boolean;
  readonly services: Services;
  readonly renderers: readonly Renderer[];
  /** For responses that concern no form. */
  readonly english: Locale;
}

const ok = jsonAnswer(200, { message: 'ok' });

/**
 * The response to an outcome: from a renderer, a fragment for htmx, or JSON for all other clients (SPEC: POST
 * …/submit). An error in a plug-in at this stage does not change the submission's outcome.
 */
export function respond(decided: Outcome, context: AnswerContext): MaybePromise<RelayResponse> {
  const outcome = context.form?.completeOutcome.length ? completed(decided, context) : decided;
  const { headers } = outcome;
  const answer =
    outcome.answer ?? (context.isPlain ? jsonOf(outcome, context) : negotiated(outcome, context));
  return headers
    ? chain(answer, (ready) => ({ ...ready, headers: { ...ready.headers, ...headers } }))
    : answer;
}

function completed(decided: Outcome, context: AnswerContext): Outcome {
  let outcome = decided;
  for (const complete of context.form?.completeOutcome ?? [])
    try {
      outcome = complete(outcome);
    } catch (error) {
      logBug(error, context);
    }
  return outcome;
}

const logBug = (error: unknown, { services, requestId }: AnswerContext) =>
  services.log('error', 'internal_error', { request_id: requestId, stack: stackOf(error) });

/** The response in the format that the request asks for. */
function negotiated(outcome: Outcome, context: AnswerContext): MaybePromise<RelayResponse> {
  try {
    const renderer = rendererFor(context, outcome.message ? 'error' : 'success');
    const answer = renderer
      ? chain(renderer.outcome(outcome, renderContext(context, renderer)), (answer) =>
          inLanguage(localeOf(context), sound(answer)),
        )
      : ownAnswer(outcome, context);
    return answer instanceof Promise
      ? answer.catch((error) => withoutRenderer(error, outcome, context))
      : answer;
  } catch (error) {
    return withoutRenderer(error, outcome, context);
  }
}

const ownAnswer = (outcome: Outcome, context: AnswerContext): MaybePromise<RelayResponse> =>
  asksByHtmx(context.request) && !context.isTrusted ? fragmentOf(outcome, context) : jsonOf(outcome, context);

function withoutRenderer(error: unknown, outcome: Outcome, context: AnswerContext): RelayResponse {
  logBug(error, context);
  return jsonOf(outcome, context);
}

/** Throws if a plug-in returned no response: some runtimes would treat that as a success, others would crash. */
export function sound(answer: RelayResponse | undefined): RelayResponse {
  if (answer?.headers && answer.status >= 200 && answer.status < 600) return answer;
  throw new Error('a plug-in returned no response, or one without status or headers');
}

function rendererFor(
  { renderers, request, form, isTrusted }: AnswerContext,
  shows: Parameters<Renderer['matches']>[2],
): Renderer | undefined {
  for (const one of renderers)
    if ((one.isForServers || !isTrusted) && one.matches(request, form, shows)) return one;
  return undefined;
}

const localeOf = ({ form, request, english }: AnswerContext): Locale => form?.locale(request) ?? english;

/** JSON is for programs, so it is in the form's first language. */
export function jsonOf(outcome: Outcome, { form, english }: AnswerContext): RelayResponse {
  const { status, message, json, codes, resend } = outcome;
  const locale = form?.firstLocale ?? english;
  if (!message && !json && !codes) return inLanguage(locale, ok);
  const words = message ? { error: describe(outcome, form, locale) } : { message: 'ok', ...codes };
  return inLanguage(locale, jsonAnswer(status, { ...words, ...json, ...resend?.demanded() }));
}

export function describe({ message, errors }: Outcome, form: Form | undefined, locale: Locale): string {
  const { translate } = locale;
  if (!errors) return message ? translate(message) : '';
  return errors
    .map((error) => ({ field: error.field, error: errorWords(form, error, locale) }))
    .map((params) => translate({ code: 'field_error', params }))
    .join(' ');
}

/** The message to the sender after a success, in the owner's notation for links. */
export function confirmationOf(
  { says, confirmation }: Pick<Outcome, 'says' | 'confirmation'>,
  form: Form | undefined,
  locale: Locale,
): string {
  const words = says ?? confirmation ?? form?.confirmation ?? { code: 'confirmation' };
  if (typeof words === 'function') return words(locale);
  return typeof words === 'object' && 'code' in words ? locale.translate(words) : locale.text(words);
}

function fragmentOf(outcome: Outcome, context: AnswerContext): MaybePromise<RelayResponse> {
  const { status, message, errors, showsForm } = outcome;
  const { form } = context;
  const locale = localeOf(context);
  if (!message) {
    const fragment = confirmationFragment(confirmationOf(outcome, form, locale), outcome, locale);
    return inLanguage(locale, fragmentAnswer(status, fragment));
  }
  if (!form || !(errors || showsForm)) return listed(outcome, context);
  const messages = errors ? [] : [locale.translate(message)];
  return chain(formAgain(form, outcome, messages, context), (again) =>
    'kind' in again ? listed(outcome, context) : inLanguage(locale, fragmentAnswer(status, again.html)),
  );
}

/** The message, and the owner's own text about it. */
function messagesOf(outcome: Outcome, form: Form | undefined, locale: Locale): readonly HtmlValue[] {
  const { ownersText } = outcome;
  const message = describe(outcome, form, locale);
  return ownersText === undefined ? [message] : [message, withLinks(locale.text(ownersText))];
}

function listed(outcome: Outcome, context: AnswerContext): RelayResponse {
  const { form, request } = context;
  const locale = localeOf(context);
  const list = errorList(messagesOf(outcome, form, locale), form && locale);
  const answer = inLanguage(locale, fragmentAnswer(outcome.status, list));
  // An error list must not replace what the visitor typed: in the relay's own forms, the status line shows it.
  if (!form || htmxTarget(request) !== formElementId(form)) return answer;
  return {
    ...answer,
    headers: { ...answer.headers, 'hx-retarget': 'find .form-status', 'hx-reswap': 'innerHTML' },
  };
}

/** RFC 9110, 8.5. A renderer may have chosen another language. */
function inLanguage(locale: Locale | undefined, answer: RelayResponse): RelayResponse {
  if (locale?.language === undefined) return answer;
  const { headers } = answer;
  return {
    ...answer,
    headers: {
      // A redirect has no text.
      ...(headers['content-type'] !== undefined && { 'content-language': locale.language }),
      ...(locale.isNegotiated && { vary: 'Accept-Language' }),
      ...headers,
    },
  };
}

/** A feature's response about a form: HTML in the reader's language, JSON in the form's first language. */
export function routeAnswer(own: RelayResponse, form: Form, request: RelayRequest): RelayResponse {
  const { headers } = sound(own);
  const isForPeople = headers['content-type']?.startsWith('text/html');
  const locale = form.locale(isForPeople ? request : undefined);
  return inLanguage(locale, { ...own, headers: { 'cache-control': 'no-store', ...headers } });
}

/** The form itself (SPEC: GET /api/v1/form/{form}). */
export async function formAnswer(form: Form, context: AnswerContext): Promise<RelayResponse> {
  const { request } = context;
  const renderer = rendererFor(context, 'form');
  const query = parseQuery(request.query) ?? noValues;
  const target = htmxTarget(request);
  const asking = target.startsWith(`${formElementId(form)}--`) ? target : undefined;
  const shown = { ...shownFirst(form, query, asking), sent: undefined };
  const view = viewOf(form, context, shown, renderer);
  // A visitor who is still filling it in when the form closes keeps the typed values.
  const rendered = await prepared(form, view, asking !== undefined);
  if ('kind' in rendered && !rendered.isClosed) return respond(rendered, context);
  const content = 'kind' in rendered ? closed(form, rendered, view) : rendered;
  const answer = await renderer?.form(content, renderContext(context, renderer));
  return inLanguage(view.locale, answer ?? fragmentAnswer(200, content.html));
}

/** The text in place of a closed form. The page around it has the form's title. */
const closed = (form: Form, outcome: Outcome, { locale, medium }: Shown): Rendered => ({
  html: closedFragment(form, messagesOf(outcome, form, locale), locale, medium !== 'page'),
  sources: [],
  scripts: [],
  isUnstored: true,
});

type ShownValues = Pick<Shown, 'values' | 'seen' | 'errors' | 'sent'> & Partial<Shown>;

function viewOf(
  form: Form,
  context: AnswerContext,
  shown: ShownValues,
  renderer: Renderer | undefined,
): Shown {
  const { request, settings, now, services } = context;
  const about = { settings, now, services, request };
  const view = { form, locale: localeOf(context), fields: form.fields, base: '', ...about, ...shown };
  const adapted = { ...view, ...renderer?.view?.(view) };
  return { ...adapted, base: addressBase(request, settings.publicUrl, adapted.medium) };
}

function formAgain(
  form: Form,
  outcome: Outcome,
  messages: readonly HtmlValue[],
  context: AnswerContext,
  renderer?: Renderer,
): MaybePromise<Rendered | Outcome> {
  const { sent = noValues, sentFiles = noFiles } = context;
  const shown = { ...shownAgain(form, sent, sentFiles, outcome.errors ?? []), sent, outcome, messages };
  const view = viewOf(form, context, shown, renderer);
  return prepared(form, sentFiles.size > 0 ? withForgottenFiles(view, sentFiles) : view, true);
}

/** The form as prepared by its features, or why it is not shown. With `isKept`, it is shown even if it has closed since. */
async function prepared(form: Form, view: Shown, isKept: boolean): Promise<Rendered | Outcome> {
  let shown: FormView = view;
  for (const prepare of form.prepareView) {
    const next = await prepare(shown);
    if (!('kind' in next)) shown = next;
    else if (!isKept || !next.isClosed) return next;
  }
  return renderForm(form, { ...view, ...shown });
}

export function renderContext(context: AnswerContext, renderer?: Renderer): RenderContext {
  const { form, forms, request } = context;
  // A page that concerns no form is in the language of the first form.
  const locale = localeOf(context);
  return {
    ...context,
    locale,
    pageLocale: form ? locale : (forms?.values().next().value?.locale(request) ?? locale),
    confirmationFragment: (outcome) =>
      confirmationFragment(confirmationOf(outcome, form, locale), outcome, locale),
    renderAgain: (outcome, messages = []) =>
      form ? formAgain(form, outcome, messages, context, renderer) : outcome,
  };
}
