import type { ConfigCache } from './config/cache.ts';
import type { Config } from './config/parse.ts';
import type { Effects } from './effects.ts';
import type { Form, Values } from './form.ts';
import { renderForm } from './html/form.ts';
import { html } from './html/html.ts';
import type { RelayRequest, RelayResponse } from './http.ts';
import type { Outcome } from './outcome.ts';
import { audienceOf, failure, fragment, freshToken, json, respond } from './respond.ts';
import type { Settings } from './settings.ts';
import { readBody, submit } from './submit.ts';
import { createThrottle } from './throttle.ts';
import { parseQuery } from './urlencoded.ts';

/** The whole relay as a function of a request. Never rejects. */
export type Handle = (request: RelayRequest) => Promise<RelayResponse>;

interface App {
  readonly settings: Settings;
  readonly config: ConfigCache;
  readonly effects: Effects;
}

export function createApp(app: App): Handle {
  const { settings, effects } = app;
  const throttle = createThrottle(settings.throttleRate, settings.throttleBurst, effects.now);
  const cors = corsHeaders(settings.allowedOrigins);

  return async (request) => {
    const requestId = effects.uuid();
    const finish = ({ status, headers, body }: RelayResponse): RelayResponse => ({
      status,
      headers: { ...headers, ...cors(request.headers.origin), 'x-request-id': requestId },
      body: request.method === 'HEAD' ? '' : body,
    });
    try {
      if (request.path === '/healthz') return finish(json(200, { message: 'ok' }));
      if (request.path === '/readyz') return finish(await readiness(app.config));
      const retryAfterSeconds = throttle();
      if (retryAfterSeconds !== undefined) return finish(tooManyRequests(request, retryAfterSeconds));
      return finish(await route(request, requestId, app));
    } catch (error) {
      // Every expected ending is an Outcome, so this is a bug in the relay: its stack is for the log alone.
      effects.log('error', 'internal_error', {
        request_id: requestId,
        stack: error instanceof Error ? error.stack : '',
      });
      return finish(failure(500, 'something went wrong', audienceOf(request)));
    }
  };
}

const routes = { submit: 'POST', form: 'GET', token: 'GET' } as const;
type Route = keyof typeof routes;

async function route(request: RelayRequest, requestId: string, app: App): Promise<RelayResponse> {
  const [, name, encodedForm = ''] =
    /^\/api\/v1\/(submit|form|token)(?:\/([^/]*))?$/.exec(request.path) ?? [];
  if (name === undefined) return failure(404, 'there is no such page', audienceOf(request));
  const allowed = routes[name as Route];
  if (request.method === 'OPTIONS') return preflight(allowed);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (method !== allowed) {
    const answer = failure(405, `use ${allowed}`, audienceOf(request));
    return { ...answer, headers: { ...answer.headers, allow: methodsFor(allowed) } };
  }
  const formId = decodePathSegment(encodedForm);
  return name === 'submit'
    ? handleSubmit(request, formId, requestId, app)
    : handleGet(request, formId, name as 'form' | 'token', app);
}

async function handleSubmit(
  request: RelayRequest,
  formId: string | undefined,
  requestId: string,
  app: App,
): Promise<RelayResponse> {
  const { settings, effects } = app;
  const receivedAt = effects.now();
  const { form, outcome } = await decide();
  effects.log(isOwnersProblem(outcome) ? 'error' : 'info', 'submission', {
    request_id: requestId,
    form: form?.id,
    outcome: outcome.kind,
    ...(outcome.kind === 'dropped' && { by: outcome.by }),
    ...(outcome.kind === 'bad_request' && { reason: outcome.message }),
    ...(outcome.kind === 'invalid' && { fields: outcome.errors.map(({ field }) => field) }),
    ms: effects.now() - receivedAt,
  });
  return respond(outcome, {
    audience: audienceOf(request),
    form,
    formTokenSecret: settings.formTokenSecret,
    now: effects.now(),
  });

  async function decide(): Promise<{ form?: Form; outcome: Outcome }> {
    if (formId === '') return { outcome: { kind: 'bad_request', message: 'the form name is missing' } };
    const values = readBody(request);
    if ('kind' in values) return { outcome: values };
    const found = await findForm(formId, app.config);
    if ('kind' in found) return { outcome: found };
    const submission = { values, receivedAt, requestId };
    return { form: found, outcome: await submit(submission, { form: found, settings, effects }) };
  }
}

const isOwnersProblem = ({ kind }: Outcome) =>
  kind === 'undelivered' || kind === 'no_config' || kind === 'no_token_secret';

async function handleGet(
  request: RelayRequest,
  formId: string | undefined,
  route: 'form' | 'token',
  { config, settings, effects }: App,
): Promise<RelayResponse> {
  const audience = audienceOf(request);
  const { formTokenSecret } = settings;
  const now = effects.now();
  const form = await findForm(formId, config);
  if ('kind' in form) return respond(form, { audience, form: undefined, formTokenSecret, now });
  if (form.spam?.minFill && formTokenSecret === '') {
    effects.log('error', 'no_token_secret', { form: form.id, reason: 'FORM_TOKEN_SECRET is not set' });
    return respond({ kind: 'no_token_secret' }, { audience, form, formTokenSecret, now });
  }
  const token = freshToken(form, { formTokenSecret, now });
  if (route === 'token') {
    return fragment(200, token ?? html``);
  }
  const values = withoutChecks(form, parseQuery(request.query) ?? new Map());
  return fragment(200, renderForm(form, { values, errors: [], token }));
}

/** A query refills fields; it can set neither the token nor the honeypot. */
function withoutChecks({ fields }: Form, values: Values): Values {
  return new Map(fields.flatMap(({ name }) => (values.has(name) ? [[name, values.get(name) ?? []]] : [])));
}

async function findForm(formId: string | undefined, cache: ConfigCache): Promise<Form | Outcome> {
  const loaded = cache.get();
  const config: Config | undefined = loaded instanceof Promise ? await loaded : loaded;
  if (!config) return { kind: 'no_config' };
  return config.forms.get(formId ?? '') ?? { kind: 'unknown_form' };
}

/** `undefined` when it is not decodable: then it names no form. */
function decodePathSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** 200 as soon as any config was loaded, since the last good one keeps serving (D10). */
async function readiness(cache: ConfigCache): Promise<RelayResponse> {
  const config = await cache.get();
  if (!config) return json(503, { error: 'no config was loaded yet; the log says why' });
  return cache.state === 'fresh'
    ? json(200, { message: 'ok' })
    : json(200, {
        message: 'serving the last good config: the latest could not be loaded; the log says why',
      });
}

function tooManyRequests(request: RelayRequest, retryAfterSeconds: number): RelayResponse {
  const answer = failure(429, 'too many requests; please try again in a moment', audienceOf(request));
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(retryAfterSeconds) } };
}

const methodsFor = (allowed: 'GET' | 'POST') => (allowed === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS');

/** Every request header that htmx 2 or 4 sends, and the one that makes a form post cross-origin safe to send. */
const allowedHeaders = [
  'content-type',
  'hx-boosted',
  'hx-current-url',
  'hx-current-url-uri-autoencoded',
  'hx-history-restore-request',
  'hx-prompt',
  'hx-prompt-uri-autoencoded',
  'hx-request',
  'hx-request-type',
  'hx-source',
  'hx-target',
  'hx-target-uri-autoencoded',
  'hx-trigger',
  'hx-trigger-name',
  'hx-trigger-name-uri-autoencoded',
  'hx-trigger-uri-autoencoded',
].join(', ');

const preflight = (allowed: 'GET' | 'POST'): RelayResponse => ({
  status: 204,
  headers: {
    'access-control-allow-methods': methodsFor(allowed),
    'access-control-allow-headers': allowedHeaders,
    'access-control-max-age': '7200',
  },
  body: '',
});

/** Which pages may read the answer (D20). A page that may not read it is still served: CORS protects readers only. */
function corsHeaders(allowed: Settings['allowedOrigins']) {
  const common = {
    vary: 'Origin, HX-Request, Accept',
    'access-control-expose-headers': 'X-Request-Id, Retry-After',
  };
  return (origin: string | undefined): Readonly<Record<string, string>> => {
    if (allowed === '*') return { ...common, 'access-control-allow-origin': '*' };
    return origin !== undefined && allowed.has(origin)
      ? { ...common, 'access-control-allow-origin': origin }
      : common;
  };
}
