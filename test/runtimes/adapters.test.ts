/** Whatever the relay runs on, the same request gets the same answer. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRelay, type Relay } from '../../src/index.ts';
import type { HttpEvent } from '../../src/runtimes/lambda/http_api.ts';
import type { LoadBalancerEvent, LoadBalancerResult } from '../../src/runtimes/lambda/load_balancer.ts';
import type { RestEvent } from '../../src/runtimes/lambda/rest_api.ts';
import { lambdaHandler } from '../../src/runtimes/lambda.ts';
import { createNodeServer } from '../../src/runtimes/node/server.ts';
import type { Environment } from '../../src/settings/settings.ts';
import { createNodeHttpClient } from '../../src/transports/http/node_client.ts';
import { httpSink } from '../spec/stage.ts';
import {
  apiGatewayEvent,
  functionUrlEvent,
  loadBalancerEvent,
  restApiEvent,
} from '../support/lambda_events.ts';

interface Sent {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  /** Those that the relay sets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Send = (sent: Sent) => Promise<Answer>;

/** Every runtime makes `Send` from a relay. */
const runtimes: Readonly<Record<string, (options: RelayParts) => Promise<Send>>> = {
  'node:http': async (parts) => {
    const relay = relayOf(parts);
    const server = createNodeServer(relay.handle);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
      await relay.close();
    });
    const { port } = server.address() as AddressInfo;
    return ({ method, target, headers, body }) =>
      new Promise((resolve, reject) => {
        const length = body.length > 0 ? { 'content-length': body.length } : {};
        // Not `fetch`, which puts paths in order before it sends them.
        const options = { port, host: '127.0.0.1', method, path: target, headers: { ...headers, ...length } };
        http
          .request(options, async (incoming) => {
            const chunks = await incoming.toArray();
            resolve({
              status: incoming.statusCode ?? 0,
              headers: ours(new Headers(incoming.headers as Record<string, string>)),
              body: Buffer.concat(chunks).toString(),
            });
          })
          .on('error', reject)
          .end(body);
      });
  },
  'a fetch handler': async (parts) => {
    const relay = relayOf(parts);
    onTestFinished(relay.close);
    return async ({ method, target, headers, body }) => {
      const init = { method, headers, ...(body.length > 0 && { body }) };
      const answer = await relay.fetch(new Request(`http://relay.test${target}`, init));
      return { status: answer.status, headers: ours(answer.headers), body: await answer.text() };
    };
  },
  'Lambda behind an HTTP API': async (parts) => onLambda(parts, apiGatewayEvent),
  'Lambda in a stage of an HTTP API': async (parts) =>
    onLambda(parts, (sent) => apiGatewayEvent(sent, 'production')),
  'Lambda at a function URL': async (parts) => onLambda(parts, functionUrlEvent),
  'Lambda behind a REST API': async (parts) => onLambda(parts, (sent) => restApiEvent(sent)),
  'Lambda behind a load balancer that sends all values': async (parts) =>
    onLambda(parts, (sent) => loadBalancerEvent(sent, true)),
};

function onLambda(
  parts: RelayParts,
  toEvent: (sent: Sent) => HttpEvent | RestEvent | LoadBalancerEvent,
): Send {
  const http = createNodeHttpClient(Date.now);
  const relay = relayOf({ ...parts, options: { throttled: false }, effects: { http } });
  onTestFinished(relay.close);
  const handler = lambdaHandler(relay);
  return async (sent) => {
    const answer: LoadBalancerResult = await handler(toEvent(sent) as LoadBalancerEvent, {
      getRemainingTimeInMillis: () => 25_000,
    });
    const headers = Object.entries(answer.multiValueHeaders ?? answer.headers ?? {});
    return {
      status: answer.statusCode,
      headers: ours(new Headers(headers.map(([name, value]) => [name, String(value)]))),
      body: answer.body,
    };
  };
}

interface RelayParts {
  readonly config: string;
  readonly env?: Environment;
  readonly options?: { readonly throttled: boolean };
  readonly effects?: NonNullable<Parameters<typeof createRelay>[0]>['effects'];
}

function relayOf({ config, env = {}, options, effects }: RelayParts): Relay {
  return createRelay({
    config,
    env: { THROTTLE_RATE_LIMIT: '1000', THROTTLE_BURST_LIMIT: '1000', ...env },
    effects: {
      now: () => Date.UTC(2026, 0, 1),
      uuid: () => '00000000-0000-4000-8000-000000000000',
      log: () => undefined,
      ...effects,
    },
    ...options,
  });
}

/** Without those of the connection. */
function ours(headers: Headers): Record<string, string> {
  const connection = /^(connection|content-length|date|keep-alive|transfer-encoding)$/;
  return Object.fromEntries([...headers].filter(([name]) => !connection.test(name)));
}

const config = (sink: string) => `
forms:
  contact:
    title: Write to us
    spam: {honeypot: website}
    fields:
      - {name: name, required: true}
      - {name: topics, type: checkboxes, options: [sales, support, press]}
      - {name: message, type: textarea}
    outputs: [{type: http_post, url: "${sink}/", mapping: "*"}]
  Grüße an uns:
    fields: [{name: name}]
    outputs: [{type: http_post, url: "${sink}/", mapping: "*"}]
  100%:
    fields: [{name: name}]
    outputs: [{type: http_post, url: "${sink}/", mapping: "*"}]
  timed:
    spam: {min_fill_seconds: 3}
    fields: [{name: name}]
    outputs: [{type: http_post, url: "${sink}/", mapping: "*"}]
  broken:
    fields: [{name: name}]
    outputs: [{type: http_post, url: "${sink}/broken", mapping: "*"}]
  paged:
    page: true
    fields: [{name: name}]
    outputs: [{type: http_post, url: "${sink}/", static: {page: "{{ .page.url }}"}}]
  plain:
    redirect: https://example.com/thanks
    fields: [{name: name, required: true}]
    outputs: [{type: http_post, url: "${sink}/", mapping: "*"}]
`;

interface Case {
  readonly promise: string;
  readonly request: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly status: number;
  /** What the answer's body holds. */
  readonly holds?: string | RegExp;
  /** What the output got. */
  readonly delivered?: string;
  readonly answered?: Record<string, string>;
}

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
const htmx = { ...urlencoded, 'hx-request': 'true' };
const browser = { ...urlencoded, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const ok = '{"message":"ok"}';
/** A body of so many bytes. */
const ofSize = (bytes: number) => `name=Ann&rest=${'x'.repeat(bytes - 'name=Ann&rest='.length)}`;

const post = (form: string) => `POST /api/v1/submit/${form}`;

/** Requests with nothing else to say about them. A POST is a fine one but for its path. */
const others: readonly [promise: string, request: string, status: number][] = [
  ['a missing form name', 'POST /api/v1/submit/', 400],
  ['a missing form name, without its slash', 'POST /api/v1/submit', 400],
  ['an unknown form', post('nothing'), 404],
  ['an unknown form to show', 'GET /api/v1/form/nothing', 404],
  ['a name of every object', post('constructor'), 404],
  ['the root', 'GET /', 404],
  ['a path below a form', `${post('contact')}/more`, 404],
  ['a doubled slash', 'GET /api/v1//form/contact', 404],
  ['a path escape that is none', post('%zz'), 404],
  ['a path escape that is cut off', post('contact%2'), 404],
  ['path escapes that are no UTF-8', post('%FF%FE'), 404],
  ['a DELETE', 'DELETE /api/v1/submit/contact', 405],
  ['a PATCH with a body', 'PATCH /api/v1/submit/contact', 405],
  ['a form without its secret', post('timed'), 500],
  ['a token without its secret', 'GET /api/v1/token/timed', 500],
  ['a query that is malformed', 'GET /api/v1/form/contact?name=%zz', 200],
];

const cases: readonly Case[] = [
  {
    promise: 'a submission is delivered',
    request: post('contact'),
    headers: urlencoded,
    body: 'name=Ann&message=Hello+there',
    status: 200,
    holds: ok,
    delivered: 'message=Hello+there&name=Ann',
    answered: { 'content-type': 'application/json; charset=utf-8', 'access-control-allow-origin': '*' },
  },
  {
    promise: 'every value of a repeated field arrives, in order',
    request: post('contact'),
    headers: urlencoded,
    body: 'topics=press&name=Ann&topics=sales',
    status: 200,
    delivered: 'name=Ann&topics=press&topics=sales',
  },
  {
    promise: 'a form that asks for its page gets what the browser says',
    request: post('paged'),
    headers: { ...urlencoded, Referer: 'https://www.example.com/boots?a=1' },
    body: 'name=Ann',
    status: 200,
    delivered: 'page=https%3A%2F%2Fwww.example.com%2Fboots%3Fa%3D1',
  },
  {
    promise: 'a media type may have parameters',
    request: post('contact'),
    headers: { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8' },
    body: 'name=%C3%84nn',
    status: 200,
    delivered: 'name=%C3%84nn',
  },
  {
    promise: 'bytes that are UTF-8 need no escapes',
    request: post('contact'),
    headers: urlencoded,
    body: 'name=Änn',
    status: 200,
    delivered: 'name=%C3%84nn',
  },
  {
    promise: 'a drop looks like a success',
    request: post('contact'),
    headers: urlencoded,
    body: 'name=Ann&website=spam',
    status: 200,
    holds: ok,
  },
  {
    promise: 'a query changes nothing',
    request: `${post('contact')}?name=Bob`,
    headers: urlencoded,
    body: 'name=Ann',
    status: 200,
    delivered: 'name=Ann',
  },
  { promise: 'any other path', request: 'GET /favicon.ico', status: 404, holds: '"error"' },
  {
    promise: 'an encoded form name',
    request: post('Gr%C3%BC%C3%9Fe%20an%20uns'),
    headers: urlencoded,
    body: 'name=Ann',
    status: 200,
    delivered: 'name=Ann',
  },
  {
    promise: 'an encoded percent sign',
    request: post('100%25'),
    headers: urlencoded,
    body: 'name=Ann',
    status: 200,
    delivered: 'name=Ann',
  },
  {
    promise: 'an encoded letter',
    request: post('c%6Fntact'),
    headers: urlencoded,
    body: 'name=Ann',
    status: 200,
    delivered: 'name=Ann',
  },
  {
    promise: 'a GET to submit',
    request: 'GET /api/v1/submit/contact',
    status: 405,
    answered: { allow: 'POST, OPTIONS' },
  },
  {
    promise: 'a POST to a form',
    request: 'POST /api/v1/form/contact',
    headers: urlencoded,
    body: 'name=Ann',
    status: 405,
    answered: { allow: 'GET, HEAD, OPTIONS' },
  },
  {
    promise: 'HEAD is GET without the body',
    request: 'HEAD /api/v1/form/contact',
    status: 200,
    holds: /^$/,
    answered: { 'content-type': 'text/html; charset=utf-8' },
  },
  { promise: 'HEAD of nothing', request: 'HEAD /nothing', status: 404, holds: /^$/ },
  {
    promise: 'a preflight',
    request: 'OPTIONS /api/v1/submit/contact',
    headers: {
      origin: 'https://example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'hx-request',
    },
    status: 204,
    holds: /^$/,
    answered: { 'access-control-allow-methods': 'POST, OPTIONS', 'access-control-allow-origin': '*' },
  },
  {
    promise: 'an allowed origin is named',
    request: 'GET /api/v1/form/contact',
    // API Gateway says it by itself.
    headers: { origin: 'https://example.com', host: 'relay.test', 'x-forwarded-proto': 'https' },
    status: 200,
  },
  {
    promise: 'no media type',
    request: post('contact'),
    body: 'name=Ann',
    headers: { 'content-type': '' },
    status: 400,
  },
  {
    promise: 'JSON',
    request: post('contact'),
    headers: { 'content-type': 'application/json' },
    body: '{"name":"Ann"}',
    status: 400,
  },
  {
    promise: 'plain text',
    request: post('contact'),
    headers: { 'content-type': 'text/plain' },
    body: 'name=Ann',
    status: 400,
  },
  {
    promise: 'a compressed body',
    request: post('contact'),
    headers: { ...urlencoded, 'content-encoding': 'gzip' },
    body: 'name=Ann',
    status: 400,
  },
  {
    promise: 'a malformed body',
    request: post('contact'),
    headers: urlencoded,
    body: 'name=%zz',
    status: 400,
  },
  {
    promise: 'a body that is no UTF-8',
    request: post('contact'),
    headers: urlencoded,
    body: Buffer.from('name=\xff', 'latin1'),
    status: 400,
  },
  {
    promise: 'an empty body misses what is required',
    request: post('contact'),
    headers: urlencoded,
    status: 422,
  },
  {
    promise: 'a body of 65,536 bytes',
    request: post('contact'),
    headers: urlencoded,
    body: ofSize(65_536),
    status: 200,
    delivered: 'name=Ann',
  },
  {
    promise: 'a body of 65,537 bytes',
    request: post('contact'),
    headers: urlencoded,
    body: ofSize(65_537),
    status: 400,
    holds: '64 KB',
  },
  {
    promise: 'a body of 200,000 bytes',
    request: post('contact'),
    headers: urlencoded,
    body: ofSize(200_000),
    status: 400,
    holds: '64 KB',
  },
  {
    promise: 'an output that fails',
    request: post('broken'),
    headers: urlencoded,
    body: 'name=Ann',
    status: 500,
    delivered: 'name=Ann',
  },
  { promise: 'a token that no form needs', request: 'GET /api/v1/token/contact', status: 200, holds: /^$/ },
  {
    promise: 'the form',
    request: 'GET /api/v1/form/contact',
    status: 200,
    holds: /<form[^>]* action="\/api\/v1\/submit\/contact"/,
    answered: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
  },
  {
    promise: 'the form, refilled with repeated keys',
    request: 'GET /api/v1/form/contact?name=Ann+%26+Bob&topics=sales&topics=press',
    status: 200,
    holds: /value="Ann &amp; Bob".*value="sales"[^>]* checked.*value="press"[^>]* checked/s,
  },
  {
    promise: 'an htmx success',
    request: post('contact'),
    headers: htmx,
    body: 'name=Ann',
    status: 200,
    holds: '<div class="form-confirmation">',
    delivered: 'name=Ann',
  },
  {
    promise: 'an htmx failure',
    request: post('contact'),
    headers: htmx,
    body: 'name=&message=kept',
    status: 422,
    holds: /kept.*<\/form>/s,
  },
  {
    promise: 'an htmx error',
    request: post('contact'),
    headers: htmx,
    body: 'name=%zz',
    status: 400,
    holds: '<ul class="form-errors">',
  },
  {
    promise: 'problem details',
    request: post('contact'),
    headers: { ...urlencoded, accept: 'application/problem+json' },
    body: 'name=',
    status: 422,
    holds: '"title":"Unprocessable',
    answered: { 'content-type': 'application/problem+json' },
  },
  {
    promise: 'a browser is sent on',
    request: post('plain'),
    headers: browser,
    body: 'name=Ann',
    status: 303,
    holds: /^$/,
    delivered: 'name=Ann',
    answered: { location: 'https://example.com/thanks' },
  },
  {
    promise: 'a browser gets a page',
    request: post('plain'),
    headers: browser,
    body: 'name=',
    status: 422,
    holds: /^<!doctype html>/i,
  },
  { promise: 'it lives', request: 'GET /healthz', status: 200, holds: ok },
  { promise: 'it lacks a secret', request: 'GET /readyz', status: 503, holds: /FORM_TOKEN_SECRET/ },
  ...others.map(([promise, request, status]) => {
    const sent = request.startsWith('POST') ? { headers: urlencoded, body: 'name=Ann' } : {};
    return { promise, request, status, ...sent };
  }),
];

describe.each(Object.entries(runtimes))('%s', (name, start) => {
  test.each(cases)('$promise: $request is $status', async (given) => {
    const sink = await httpSink({ answer: ({ url }) => ({ status: url === '/broken' ? 500 : 200 }) });
    const [method = '', target = ''] = given.request.split(' ');
    const body = Buffer.from(given.body ?? '');
    const sent = { method, target, headers: { host: 'relay.test', ...given.headers }, body };

    const answer = await (await start({ config: config(sink.origin) }))(sent);

    expect(answer.status).toBe(given.status);
    expect(answer.body).toMatch(given.holds ?? '');
    expect(answer.headers).toMatchObject(given.answered ?? {});
    expect(sink.requests.map((request) => request.body)).toEqual(
      given.delivered === undefined ? [] : [given.delivered],
    );
    // A REST API decodes the query, and what is no escape is text from then on.
    const isDecoded = name.includes('REST') && target.includes('%zz');
    if (name !== 'node:http' && !isDecoded) {
      const reference = await runtimes['node:http']?.({ config: config(sink.origin) });
      expect(answer).toEqual(await reference?.(sent));
    }
  });

  test('an allowlist names the origin that may read, and no other', async () => {
    const env = { ALLOWED_ORIGINS: 'https://example.com' };
    const send = await start({ config: config('http://127.0.0.1:9'), env });
    const from = async (origin: string) => {
      const headers = { host: 'relay.test', origin };
      const sent = { method: 'GET', target: '/nothing', headers, body: Buffer.alloc(0) };
      return (await send(sent)).headers['access-control-allow-origin'];
    };
    expect(await from('https://example.com')).toBe('https://example.com');
    expect(await from('https://example.org')).toBeUndefined();
  });

  // An HTTP API decodes it, so that it separates.
  test('an encoded slash leads to no form', async () => {
    const send = await start({ config: config('http://127.0.0.1:9') });
    const sent = { method: 'GET', target: '/api/v1/form/contact%2F', headers: {}, body: Buffer.alloc(0) };
    expect((await send(sent)).status).toBe(404);
  });

  const throttles = !name.startsWith('Lambda');
  test(throttles ? 'throttles' : 'leaves throttling to what stands in front', async () => {
    const env = { THROTTLE_RATE_LIMIT: '1', THROTTLE_BURST_LIMIT: '1' };
    const send = await start({ config: config('http://127.0.0.1:9'), env });
    const get = { method: 'GET', target: '/api/v1/form/contact', headers: {}, body: Buffer.alloc(0) };
    expect((await send(get)).status).toBe(200);
    const { status, headers } = await send(get);
    expect([status, headers['retry-after']]).toEqual(throttles ? [429, '1'] : [200, undefined]);
  });
});
