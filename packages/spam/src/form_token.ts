import { attributes, type Html, html } from '@form-relay/base/html';
import { firstValue, noValues, type Values } from '@form-relay/base/values';
import { apiPath } from '@form-relay/core/html/element_ids';
import { fragmentAnswer } from '@form-relay/core/html/fragments';
import { asksByHtmx, type RelayRequest } from '@form-relay/core/http/request';
import {
  type FormMarkup,
  type FormView,
  feature,
  onOutcome,
  type RouteContext,
} from '@form-relay/core/plugin';
import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import { noTokenSecret, type Outcome, type Submission } from '@form-relay/core/submission';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly form_token: FormToken;
  }
}

/** How a feature uses the token of a form: it provides `{formToken: …}`. The first one names the input. */
export interface TokenUse {
  readonly field: string;
  readonly ttlMs: number;
  /** The least time to fill in the form. Default: 0. */
  readonly minFillMs?: number;
  /** Data for a script in addition to the token's value, such as a puzzle; `undefined`: nothing just now. */
  readonly extras?: (request: TokenRequest) => TokenExtras | undefined;
  /** Markup that depends on the value of the fresh token. */
  readonly markup?: (view: FormView, token: string) => FormMarkup;
}

export interface TokenRequest {
  readonly formId: string;
  readonly settings: Settings;
  readonly services: Services;
  readonly now: number;
  readonly request?: RelayRequest | undefined;
  /** The outcome and the values of the submission after which the form is shown again. */
  readonly outcome?: Outcome | undefined;
  readonly sent?: Values | undefined;
}

export interface TokenExtras {
  readonly attributes: Parameters<typeof attributes>[0];
  /** The same for programs that send JSON. */
  readonly json: object;
  /** The sender has to use them, as the outcome says. Otherwise only scripts of forms get them. */
  readonly isDemanded: boolean;
}

/** All features of a form that use its token, merged. */
export interface FormToken extends Required<Pick<TokenUse, 'field' | 'ttlMs' | 'minFillMs'>> {
  readonly extras: readonly NonNullable<TokenUse['extras']>[];
  issue(request: TokenRequest, waitedMs?: number): IssuedToken;
  /** How long the sender has waited already, as far as a token proves it. Milliseconds. */
  waitedMs(request: TokenRequest): number;
}

export interface IssuedToken {
  readonly value: string;
  readonly extras: readonly TokenExtras[];
}

function formTokenOf(formId: string, uses: readonly TokenUse[]): FormToken | undefined {
  const [first] = uses;
  if (!first) return undefined;
  const { field, ttlMs } = first;
  const minFillMs = Math.max(...uses.map((one) => one.minFillMs ?? 0));
  const extras = uses.flatMap((one) => one.extras ?? []);
  return {
    field,
    ttlMs,
    minFillMs,
    extras,
    issue: (request, waitedMs = 0) => ({
      value: issueToken(request.settings.formTokenSecret, formId, { issuedAt: request.now, waitedMs }),
      extras: extras.flatMap((one) => one(request) ?? []),
    }),
    waitedMs: ({ settings, now, sent = noValues }) => {
      const token = readToken(settings.formTokenSecret, formId, firstValue(sent, field));
      const ageMs = token ? now - token.issuedAt : -1;
      // An expired one older than a day proves nothing: bots keep them.
      const isProof = ageMs >= 0 && ageMs <= Math.max(ttlMs, 86_400_000);
      return token && isProof ? Math.min(minFillMs, token.waitedMs + ageMs) : 0;
    },
  };
}

const isUse = (provided: unknown): provided is { readonly formToken: TokenUse } =>
  typeof provided === 'object' && provided !== null && 'formToken' in provided;

/** The token that several checks share: its input, `GET /api/v1/token/{form}`, and a fresh one for scripts that send a form again. */
export const formToken = feature({
  name: 'form_token',
  configure: ({ formId, provided }) => {
    const uses = [...provided.values()].flatMap((one) => (isUse(one) ? one.formToken : []));
    const token = formTokenOf(formId, uses);
    if (!token) return undefined;
    return {
      provides: token,
      browsersOnly: true,
      onRequest: onOutcome((outcome, submission) => withRefreshedToken(token, outcome, submission)),
      view: (view) => (view.settings?.formTokenSecret === '' ? noTokenSecret : view),
      markup: (view) => markupIn(token, uses, view),
    };
  },
  routes: [{ name: 'token', method: 'GET', answer: answerToken }],
});

function answerToken({ form, settings, services, request, respond }: RouteContext) {
  const token = form.provided.get('form_token');
  if (!token) return fragmentAnswer(200, undefined);
  if (settings.formTokenSecret === '') return respond(noTokenSecret);
  const tokenRequest = { formId: form.id, settings, services, request, now: services.now() };
  return fragmentAnswer(200, inputOf(token, token.issue(tokenRequest)));
}

function markupIn(token: FormToken, uses: readonly TokenUse[], view: FormView): FormMarkup {
  const { form, now, settings, services, base, sent, outcome, request, medium } = view;
  const rules = medium && { 'data-min-fill-ms': token.minFillMs, 'data-ttl-ms': token.ttlMs };
  if (now === undefined || !settings || !services) {
    const input = rules
      ? inputOf(token, { value: undefined, extras: [] }, rules)
      : loader(token, base, form.id);
    return { inputs: html`${input}\n` };
  }
  const tokenRequest = { formId: form.id, settings, services, request, now, sent, outcome };
  const waitedMs = token.waitedMs(tokenRequest);
  // On a page of the relay, a visitor has just read that the form is to be sent again: sending it at once must not be taken
  // for a bot, even if no token proves any waiting. All but a second counts as waited.
  const credit = medium === 'page' && sent ? Math.max(waitedMs, token.minFillMs - 1_000) : waitedMs;
  const issued = token.issue(tokenRequest, credit);
  const more = uses.map(({ markup }) => markup?.(view, issued.value));
  return Object.assign({}, ...more, { inputs: html`${inputOf(token, issued, rules)}\n` });
}

const inputOf = (
  { field }: FormToken,
  { value, extras }: Pick<IssuedToken, 'extras'> & { readonly value: string | undefined },
  rules: Parameters<typeof attributes>[0] = false,
): Html => {
  const more = Object.assign({}, ...extras.map((one) => one.attributes));
  return html`<input${attributes({ type: 'hidden', name: field, value, ...rules, ...more })}>`;
};

/** For static pages: htmx fetches a token when the page is shown. */
const loader = ({ field }: FormToken, base: string, formId: string): Html => {
  const load = { 'hx-get': apiPath(base, 'token', formId), 'hx-trigger': 'load', 'hx-swap': 'outerHTML' };
  return html`<input${attributes({ type: 'hidden', name: field, ...load })}>`;
};

/** Adds a fresh token for sending the form again. If the body was not read, its token is still good. */
function withRefreshedToken(token: FormToken, outcome: Outcome, submission: Submission): Outcome {
  const { request, sent, settings, services, formId, isTrusted } = submission;
  if (!outcome.message || sent === noValues || settings.formTokenSecret === '' || isTrusted) return outcome;
  const tokenRequest = { formId, settings, services, request, now: services.now(), sent, outcome };
  if (asksByHtmx(request))
    return outcome.kind === 'expired' ? withEvent(token, outcome, tokenRequest) : outcome;
  const resend: Outcome['resend'] = {
    token: () => freshToken(token, tokenRequest),
    demanded: () =>
      Object.assign(
        {},
        ...token.extras
          .flatMap((one) => one(tokenRequest) ?? [])
          .map((one) => (one.isDemanded ? one.json : {})),
      ),
  };
  return { ...outcome, resend };
}

/** For a script that sends the form again. `wait_ms`: sent sooner, it would be dropped. */
export function freshToken(token: FormToken, request: TokenRequest): { readonly wait_ms?: number } {
  const waitedMs = token.waitedMs(request);
  const { value, extras } = token.issue(request, waitedMs);
  const leftMs = token.minFillMs - waitedMs;
  return {
    name: token.field,
    value,
    ...Object.assign({}, ...extras.map(({ json }) => json)),
    ...(leftMs > 0 && { wait_ms: Math.ceil(leftMs) }),
  };
}

/** An event of htmx brings a fresh token to a form that stays in the page, in addition to SPEC's fragment. */
function withEvent(token: FormToken, outcome: Outcome, request: TokenRequest): Outcome {
  const { wait_ms: _, ...fresh } = freshToken(token, request);
  // Header values are ASCII; names need not be.
  const event = JSON.stringify({ 'form-relay:token': fresh }).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { ...outcome, headers: { ...outcome.headers, 'hx-trigger': event } };
}

const crypto = () => process.getBuiltinModule('node:crypto');

/** The claims of a min-fill token: when this relay issued it, for this form. */
export interface Token {
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
  /** Waiting that was already done when it was issued: a correction is never punished. Milliseconds. */
  readonly waitedMs: number;
}

/**
 * `<issuedAt>.<waitedMs>.<signature>`, numbers in base 36. The HMAC-SHA-256 covers them and the form's name: a token can be neither
 * forged, backdated nor carried to another form (SPEC: Spam block).
 */
export function issueToken(secret: string, formId: string, { issuedAt, waitedMs }: Token): string {
  const claims = `${Math.trunc(issuedAt).toString(36)}.${Math.ceil(waitedMs).toString(36)}`;
  return `${claims}.${sign(secret, formId, claims)}`;
}

/** The token's claims, or `undefined` when this relay did not issue it for this form. Compares in constant time. */
export function readToken(secret: string, formId: string, token: string): Token | undefined {
  const [, claims = '', issuedAt = '', waitedMs = '', signature = ''] =
    /^(([0-9a-z]{1,10})\.([0-9a-z]{1,10}))\.([\w-]{43})$/.exec(token) ?? [];
  if (claims === '') return undefined;
  // As text: two texts can be base64url of the same bytes, and only one of them was issued.
  const isGenuine = crypto().timingSafeEqual(
    Buffer.from(signature),
    Buffer.from(sign(secret, formId, claims)),
  );
  return isGenuine
    ? { issuedAt: Number.parseInt(issuedAt, 36), waitedMs: Number.parseInt(waitedMs, 36) }
    : undefined;
}

// NUL cannot stand in a form's name, so no two forms sign the same text; the prefix keeps the secret's uses apart.
const sign = (secret: string, formId: string, claims: string) =>
  crypto()
    .createHmac('sha256', secret)
    .update(`form-relay min-fill\0${formId}\0${claims}`)
    .digest('base64url');
