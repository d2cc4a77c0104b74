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

/** How a feature uses the form's token: it provides `{formToken: …}`. The first such feature names the input. */
export interface TokenUse {
  readonly field: string;
  readonly ttlMs: number;
  /** Minimum time to fill in the form. Default: 0. */
  readonly minFillMs?: number;
  /** Data for a script besides the token's value, such as a puzzle; `undefined` if there is none at the moment. */
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
  /** The outcome and values of the previous submission, after which the form is shown again. */
  readonly outcome?: Outcome | undefined;
  readonly sent?: Values | undefined;
}

export interface TokenExtras {
  readonly attributes: Parameters<typeof attributes>[0];
  /** The same data for programs that send JSON. */
  readonly json: object;
  /** Whether the outcome requires the sender to use this data. If not, only the form's script gets it. */
  readonly isDemanded: boolean;
}

/** All uses of a form's token, merged. */
export interface FormToken extends Required<Pick<TokenUse, 'field' | 'ttlMs' | 'minFillMs'>> {
  readonly extras: readonly NonNullable<TokenUse['extras']>[];
  issue(request: TokenRequest, waitedMs?: number): IssuedToken;
  /** How long the sender has already waited, in milliseconds, as far as a token proves it. */
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
      // A token that is expired and older than a day proves nothing: bots store them.
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
  // The relay's page has just asked the visitor to send the form again. Sending it at once must not look like
  // a bot, even if no token proves a wait, so all but one second counts as waited.
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

/** Adds a fresh token for sending the form again. If the body was not read, the old token is still valid. */
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

/** For a script that sends the form again. `wait_ms`: a submission sent earlier would be dropped. */
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

/** Adds an htmx event that passes a fresh token to a form that stays on the page, besides SPEC's fragment. */
function withEvent(token: FormToken, outcome: Outcome, request: TokenRequest): Outcome {
  const { wait_ms: _, ...fresh } = freshToken(token, request);
  // Header values must be ASCII, but field names may contain other characters.
  const event = JSON.stringify({ 'form-relay:token': fresh }).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { ...outcome, headers: { ...outcome.headers, 'hx-trigger': event } };
}

const crypto = () => process.getBuiltinModule('node:crypto');

/** The claims of a min-fill token, which says when this relay issued it for this form. */
export interface Token {
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
  /** Time that the sender had waited before the token was issued, so that corrections are not penalized. Milliseconds. */
  readonly waitedMs: number;
}

/**
 * `<issuedAt>.<waitedMs>.<signature>`, numbers in base 36. The HMAC-SHA-256 covers both and the form's name,
 * so a token cannot be forged, backdated or used for another form (SPEC: Spam block).
 */
export function issueToken(secret: string, formId: string, { issuedAt, waitedMs }: Token): string {
  const claims = `${Math.trunc(issuedAt).toString(36)}.${Math.ceil(waitedMs).toString(36)}`;
  return `${claims}.${sign(secret, formId, claims)}`;
}

/** The token's claims, or `undefined` if this relay did not issue the token for this form. Compares in constant time. */
export function readToken(secret: string, formId: string, token: string): Token | undefined {
  const [, claims = '', issuedAt = '', waitedMs = '', signature = ''] =
    /^(([0-9a-z]{1,10})\.([0-9a-z]{1,10}))\.([\w-]{43})$/.exec(token) ?? [];
  if (claims === '') return undefined;
  // Compares text, because two strings can decode to the same base64url bytes, and only one of them was issued.
  const isGenuine = crypto().timingSafeEqual(
    Buffer.from(signature),
    Buffer.from(sign(secret, formId, claims)),
  );
  return isGenuine
    ? { issuedAt: Number.parseInt(issuedAt, 36), waitedMs: Number.parseInt(waitedMs, 36) }
    : undefined;
}

// A form's name cannot contain NUL, so no two forms sign the same text. The prefix separates the uses of the secret.
const sign = (secret: string, formId: string, claims: string) =>
  crypto()
    .createHmac('sha256', secret)
    .update(`form-relay min-fill\0${formId}\0${claims}`)
    .digest('base64url');
