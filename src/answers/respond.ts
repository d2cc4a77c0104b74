import { parseQuery } from '../bodies/urlencoded.ts';
import { issueToken, readToken } from '../checks/token.ts';
import type { Field } from '../fields/field.ts';
import { unwatchedBudget } from '../fields/pattern.ts';
import { visibleFields } from '../fields/visible_when.ts';
import type { Form } from '../form.ts';
import type { Html } from '../html.ts';
import type { RelayRequest, RelayResponse } from '../http.ts';
import { type Message, say } from '../messages/message.ts';
import type { FieldError, Outcome } from '../outcome.ts';
import type { Result } from '../result.ts';
import { parseUrl } from '../url.ts';
import { isTooLong, type Values, withoutEmpty } from '../values.ts';
import { type FormView, renderForm } from '../views/form.ts';
import { confirmationFragment, errorList, hiddenInput } from '../views/fragments.ts';
import { formElementId, slotElementId, slotElementPrefix } from '../views/ids.ts';
import { renderPage } from '../views/page.ts';

/** How the client wants its answer. `page`: a browser that navigates, without htmx. */
type Audience = 'json' | 'problem_json' | 'htmx' | 'page';

function audienceOf({ headers }: RelayRequest): Audience {
  if (headers['hx-request'] === 'true') return 'htmx';
  const { accept = '' } = headers;
  if (accept.includes('application/problem+json')) return 'problem_json';
  // Most programs name no text type at all.
  const mayNavigate = accept.includes('text/');
  return mayNavigate && quality(accept, 'text/html') > quality(accept, 'application/json') ? 'page' : 'json';
}

/** Whether the answer is a page of the relay's own, and not for a script of another one. */
const isNavigation = (request: RelayRequest) =>
  audienceOf(request) === 'page' && (request.headers['sec-fetch-mode'] ?? 'navigate') === 'navigate';

/** How much an Accept header wants a media type: 0 to 1 (RFC 9110, 12.5.1). */
function quality(accept: string, mediaType: string): number {
  const ranges = new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const q = parameters.find((parameter) => parameter.startsWith('q='));
      return [type, q === undefined ? 1 : Number(q.slice(2)) || 0];
    }),
  );
  return ranges.get(mediaType) ?? ranges.get(mediaType.replace(/\/.*/, '/*')) ?? ranges.get('*/*') ?? 0;
}

/** What an answer may need beyond the outcome. */
export interface RespondContext {
  readonly request: RelayRequest;
  /** What was sent, parsed when somebody first asks, and once. */
  readonly body: () => Result<Values, Message>;
  /** Absent when the form is unknown. */
  readonly form: Form | undefined;
  readonly formTokenSecret: string;
  readonly publicUrl: string | undefined;
  readonly now: number;
}

/** Every outcome's status and words; nothing else knows them (SPEC: POST /api/v1/submit/{form}). */
export function respond(outcome: Outcome, context: RespondContext): RelayResponse {
  switch (outcome.kind) {
    case 'delivered':
    case 'dropped':
      return success(context);
    case 'invalid':
      return failure(
        422,
        outcome.errors.map((error) => `${error.field}: ${say(error)}`).join(' '),
        context,
        outcome,
      );
    case 'expired':
      return expired(context);
    case 'captcha_failed':
      return failure(400, 'the captcha was not solved; please try again', context);
    case 'bad_request':
      return failure(400, say(outcome.refusal), context);
    case 'unknown_form':
      return failure(404, 'there is no such form', context);
    case 'undelivered':
      return failure(500, 'the submission could not be delivered; please try again later', context);
    case 'no_config':
      return failure(500, 'the forms are not available at the moment', context);
    case 'no_token_secret':
      return failure(500, 'this form is not set up completely; please tell its owner', context);
  }
}

/**
 * The form is ready to be sent again: on a page with a new token already, since to reload it would send the old one
 * again; in a page with htmx, an event brings the token to the form (html/browser/form.ts), beside SPEC's fragment.
 */
function expired(context: RespondContext): RelayResponse {
  const { form, request } = context;
  const readyAgain = 'The form had expired. It is ready again: please send it once more.';
  const answer = failure(422, 'form expired, please reload', context, undefined, readyAgain);
  const rule = form?.spam?.minFill;
  if (!rule || audienceOf(request) !== 'htmx') return answer;
  const value = issueToken(context.formTokenSecret, form.id, {
    issuedAt: context.now,
    waitedMs: waitedWith(sentValues(context), form, context),
  });
  const event = JSON.stringify({ 'form-relay:token': { name: rule.tokenField, value } });
  // Header values are ASCII; names need not be.
  const trigger = event.replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { ...answer, headers: { ...answer.headers, 'hx-trigger': trigger } };
}

function success({ request, form }: RespondContext): RelayResponse {
  const audience = audienceOf(request);
  if (form && audience === 'htmx') return fragment(200, confirmationFragment(form));
  if (form?.redirect && audience === 'page') {
    return { status: 303, headers: { location: form.redirect.href, 'cache-control': 'no-store' }, body: '' };
  }
  return json(200, { message: 'ok' });
}

type Invalid = Extract<Outcome, { kind: 'invalid' }>;

/**
 * An error for whoever asked: a fragment for htmx, a complete page for plain browsers where the form opts into them,
 * RFC 9457 for programs that ask for it, `{"error": …}` for everybody else (D6).
 */
export function failure(
  status: number,
  text: string,
  context: RespondContext,
  invalid?: Invalid,
  textOnPage = text,
): RelayResponse {
  const { request, form } = context;
  const audience = audienceOf(request);
  if (audience === 'htmx') {
    if (!form) return fragment(status, errorList([text]));
    return invalid
      ? fragment(status, renderForm(form, shownAgain(form, context, invalid)))
      : besideTheForm(fragment(status, errorList([text])), form, request);
  }
  if (audience === 'page' && form?.redirect) {
    return page(status, form, shownAgain(form, context, invalid ?? { messages: [textOnPage] }));
  }
  if (audience !== 'problem_json') return json(status, { error: text });
  const problem = { type: 'about:blank', title: titles[status], status, detail: text };
  const answer = json(status, { ...problem, ...(invalid && { errors: invalid.errors.map(asJson) }) });
  return { ...answer, headers: { ...answer.headers, 'content-type': 'application/problem+json' } };
}

/** A field's error as programs read it: a code to act on, and the words to show. */
const asJson = (error: FieldError) => ({ field: error.field, code: error.code, message: say(error) });

/** By RFC 9110. Not `STATUS_CODES` from `node:http`, which a cold start need not load. */
const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

/** A form as it is first shown. */
function firstView(form: Form, context: RespondContext): FormView {
  return {
    base: baseFor(context),
    values: new Map(),
    seen: [],
    errors: [],
    messages: [],
    token: freshToken(form, context),
    medium: audienceOf(context.request) === 'page' ? 'plain' : 'fragment',
  };
}

/** A form as GET shows it, with values from the query; the whole page for a browser that navigates. */
export function formAnswer(form: Form, context: RespondContext): RelayResponse {
  const { request } = context;
  const first = firstView(form, context);
  const values = declaredValues(form, parseQuery(request.query));
  // A field inside the form asks what is to be there now. Other fields with a condition say that they are there by
  // being sent, if only empty (html/browser/form.ts).
  const asking = targetOf(request);
  const seen = asking.startsWith(slotElementPrefix(form))
    ? form.fields.filter(({ name, visible_when }) => !visible_when || slotElementId(form, name) === asking)
    : [];
  if (isNavigation(request)) return page(200, form, { ...first, values, seen });
  // Also to a script that says no more than that it takes HTML.
  return fragment(200, renderForm(form, { ...first, values, seen, medium: 'fragment' }));
}

/** A form as its sender gets it back: with all that was typed, and the waiting done so far (D7). */
function shownAgain(form: Form, context: RespondContext, problems: Partial<FormView>): FormView {
  const sent = sentValues(context);
  const values = declaredValues(form, sent);
  const seen = visibleFields(form.fields, values);
  const errors = problems.errors ?? [];
  return {
    ...firstView(form, context),
    values,
    seen,
    carried: carriedValues(form, sent, seen, errors),
    token: freshToken(form, context, waitedWith(sent, form, context)),
    errors,
    messages: problems.messages ?? [],
  };
}

/**
 * What was sent and no control shows, as pages of the owner's own send it: further values of a field that shows one,
 * and names that no field has and an output uses (D4). A correction must not lose it; without what is wrong itself,
 * since nobody could correct it.
 */
function carriedValues(
  form: Form,
  sent: Values,
  seen: readonly Field[],
  errors: readonly FieldError[],
): Values {
  const declared = new Set(form.fields.map(({ name }) => name));
  const wrong = new Set(errors.map(({ field }) => field));
  const carried = new Map<string, readonly string[]>();
  for (const [name, values] of sent) {
    if (form.usedNames.has(name) && !declared.has(name) && !wrong.has(name)) carried.set(name, values);
  }
  const budget = unwatchedBudget();
  for (const field of seen.filter(({ possibleValues }) => !possibleValues)) {
    const further = withoutEmpty(sent.get(field.name) ?? []).slice(1);
    const isSound = (value: string) => !isTooLong(value) && field.check([value], budget) === undefined;
    carried.set(field.name, wrong.has(field.name) ? further.filter(isSound) : further);
  }
  return carried;
}

function sentValues({ body }: RespondContext): Values {
  const sent = body();
  return sent.ok ? sent.value : new Map();
}

/** How long its sender waited, as far as a token proves it. */
function waitedWith(sent: Values, form: Form, { formTokenSecret, now }: RespondContext): number {
  const rule = form.spam?.minFill;
  const token = rule && readToken(formTokenSecret, form.id, sent.get(rule.tokenField)?.[0] ?? '');
  if (!token || token.issuedAt > now) return 0;
  return Math.min(rule.minFillMs, token.waitedMs + now - token.issuedAt);
}

/** A query refills fields; it can set neither the token nor the honeypot. */
function declaredValues({ fields }: Form, values: Values = new Map()): Values {
  return new Map(fields.flatMap(({ name }) => (values.has(name) ? [[name, values.get(name) ?? []]] : [])));
}

/** Nothing for forms without min-fill, and nothing that could be forged. */
export function freshToken(
  form: Form,
  { formTokenSecret, now }: RespondContext,
  waitedMs = 0,
): Html | undefined {
  const rule = form.spam?.minFill;
  if (!rule || formTokenSecret === '') return undefined;
  return hiddenInput(rule.tokenField, issueToken(formTokenSecret, form.id, { issuedAt: now, waitedMs }));
}

/**
 * What a rendered form's addresses begin with: nothing but the mount path for a page of the relay's own origin, as
 * pages of its own are. A page of another origin needs the relay's: PUBLIC_URL, or what the request says of it (D38).
 */
function baseFor({ request, publicUrl }: RespondContext): string {
  const { headers, mountPath = '' } = request;
  const { origin, host: hostHeader = '', 'sec-fetch-site': site } = headers;
  if (isNavigation(request) || site === 'same-origin' || site === 'none') return mountPath;
  const host = firstOf(headers['x-forwarded-host']) ?? hostHeader;
  const from = origin ? parseUrl(origin) : undefined;
  // Older browsers, and all on plain HTTP, send no Sec-Fetch-Site.
  if (site === undefined && (!origin || from?.host === host)) return mountPath;
  if (publicUrl !== undefined) return publicUrl + mountPath;
  if (!/^[\w.:[\]-]+$/.test(host)) return mountPath;
  const scheme = /^https?$/.exec(firstOf(headers['x-forwarded-proto']) ?? '')?.[0];
  // A page that has a scheme of the web shares it; one from a file has none.
  if (scheme === undefined && /^https?:$/.test(from?.protocol ?? '')) return `//${host}${mountPath}`;
  return `${scheme ?? 'http'}://${host}${mountPath}`;
}

/** What the outermost of several proxies said. */
const firstOf = (header: string | undefined) => header?.split(',')[0]?.trim() || undefined;

/**
 * An error list must not take the place of what the visitor typed. When the target is a form that the relay rendered,
 * htmx puts the list into its status line instead, of this form even where it is in the page twice.
 */
function besideTheForm(answer: RelayResponse, form: Form, request: RelayRequest): RelayResponse {
  if (targetOf(request) !== formElementId(form)) return answer;
  const instructions = { 'hx-retarget': 'find .form-status', 'hx-reswap': 'innerHTML' };
  return { ...answer, headers: { ...answer.headers, ...instructions } };
}

/** The id of the element that htmx is going to fill: htmx 2 names it by its id, htmx 4 by tag and id. */
const targetOf = ({ headers }: RelayRequest): string => headers['hx-target']?.replace(/^\w+#/, '') ?? '';

export const json = (status: number, body: object): RelayResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});

export const fragment = (status: number, markup: Html | undefined): RelayResponse => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  },
  body: markup?.toString() ?? '',
});

/** A complete page with the form, for browsers that came without htmx. */
function page(status: number, form: Form, view: FormView): RelayResponse {
  const { markup, policy } = renderPage(form, view, status >= 400);
  const answer = fragment(status, markup);
  return { ...answer, headers: { ...answer.headers, 'content-security-policy': policy } };
}
