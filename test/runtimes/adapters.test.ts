/** Whatever the relay runs on, the same request gets the same answer. */
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createRelay, type Relay } from '../../packages/relay/src/index.ts';
import { lambdaHandler } from '../../packages/relay/src/runtimes/lambda/handler.ts';
import type { HttpEvent } from '../../packages/relay/src/runtimes/lambda/http_api.ts';
import type {
  LoadBalancerEvent,
  LoadBalancerResult,
} from '../../packages/relay/src/runtimes/lambda/load_balancer.ts';
import type { RestEvent } from '../../packages/relay/src/runtimes/lambda/rest_api.ts';
import { createNodeServer } from '../../packages/relay/src/runtimes/node/server.ts';
import type { Environment } from '../../packages/relay/src/schema/settings/settings.ts';
import { createNodeHttpClient } from '../../packages/relay/src/transports/http/node_client.ts';
import { httpSink } from '../spec/stage.ts';
import {
  type Answer,
  cases,
  casesConfig as config,
  deliveredTo,
  ours,
  piecesOf,
  type Send,
  type Sent,
  sendTo,
  sentOf,
  wantedBy,
} from '../support/adapter_cases.ts';
import {
  apiGatewayEvent,
  functionUrlEvent,
  loadBalancerEvent,
  restApiEvent,
} from '../support/lambda_events.ts';
import { listen } from '../support/listen.ts';
import { startWorkerd } from '../support/workerd.ts';

/** One for all cases, since it takes a second to start. */
let workerd: ReturnType<typeof startWorkerd> | undefined;
afterAll(() => workerd?.dispose());

/** Every runtime makes `Send` from a relay. */
const runtimes: Readonly<Record<string, (options: RelayParts) => Promise<Send>>> = {
  'node:http': async (parts) => {
    const relay = relayOf(parts);
    const server = createNodeServer(relay.handle);
    const port = await listen(server);
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
      await relay.close();
    });
    return (sent) => sendTo(port, sent);
  },
  'a fetch handler': async (parts) => {
    const relay = relayOf(parts);
    onTestFinished(relay.close);
    return async (sent) => {
      const { method, target, headers } = sent;
      const init = { method, headers, ...streamOf(sent) };
      const answer = await relay.fetch(new Request(`http://relay.test${target}`, init));
      return { status: answer.status, headers: ours(answer.headers), body: await answer.text() };
    };
  },
  'a Worker on Cloudflare': async ({ config, env }) => {
    workerd ??= startWorkerd(`
      import { createWorker } from './index.mjs';
      const workers = new Map();
      const workerOf = (config) => workers.get(config) ?? workers.set(config, createWorker({ config })).get(config);
      export default {
        fetch(request, env, context) {
          const { searchParams: given } = new URL(request.headers.get('x-given'));
          const headers = new Headers(request.headers);
          headers.delete('x-given');
          headers.set('host', given.get('host'));
          const more = JSON.parse(given.get('env'));
          const key = given.get('config') + '\\n#' + given.get('env');
          return workerOf(key).fetch(new Request(request, { headers }), { ...env, ...more }, context);
        },
      };`);
    const given = JSON.stringify({ THROTTLE_RATE_LIMIT: '1000', THROTTLE_BURST_LIMIT: '1000', ...env });
    return async (sent) => {
      const { method, target, headers } = sent;
      // Miniflare writes its own Host.
      const parts = `http://given/?${new URLSearchParams({ config, env: given, host: headers.host ?? 'relay.test' })}`;
      const init = { method, headers: { ...headers, 'x-given': parts }, ...streamOf(sent) };
      const answer = await workerd?.dispatchFetch(`http://relay.test${target}`, {
        ...init,
        redirect: 'manual',
      });
      if (!answer) throw new Error('workerd has gone');
      return {
        status: answer.status,
        // Miniflare adds one of its own.
        headers: ours(new Headers([...answer.headers].filter(([name]) => !name.startsWith('mf-')))),
        body: await answer.text(),
      };
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

/** The body as web standards send it. */
function streamOf(sent: Sent) {
  if (sent.body.length === 0) return {};
  if (!sent.pieces) return { body: sent.body };
  return { body: ReadableStream.from(piecesOf(sent)), duplex: 'half' as const };
}

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

describe.each(Object.entries(runtimes))('%s', (name, start) => {
  test.each(cases)('$promise: $request is $status', async (given) => {
    const sink = await httpSink({ answer: ({ url }) => ({ status: url === '/broken' ? 500 : 200 }) });
    const sent = sentOf(given);
    const send = await start({ config: config(sink.origin) });

    const answers: Answer[] = [];
    for (let time = 0; time < (given.times ?? 1); time += 1) answers.push(await send(sent));

    for (const answer of answers) {
      expect(answer.status).toBe(given.status);
      expect(answer.body).toMatch(given.holds ?? '');
      expect(answer.headers).toMatchObject(given.answered ?? {});
    }
    expect(deliveredTo(sink.requests, given)).toEqual(wantedBy(given));
    // A REST API decodes the query, and what is no escape is text from then on.
    const isDecoded = name.includes('REST') && sent.target.includes('%zz');
    if (name !== 'node:http' && !isDecoded) {
      const reference = await runtimes['node:http']?.({ config: config(sink.origin) });
      // A Worker's clock and randomness are its own.
      const masked = (one: Answer | undefined) =>
        name.includes('Worker') ? { ...one, headers: { ...one?.headers, 'x-request-id': '' } } : one;
      expect(masked(answers[0])).toEqual(masked(await reference?.(sent)));
    }
  });

  test('a form that its browser sent ends on a page that is safe to reload, below any path', async () => {
    const sink = await httpSink();
    const send = await start({ config: config(sink.origin), env: { FORM_TOKEN_SECRET: 'not so secret' } });
    const headers = { host: 'relay.test', 'content-type': 'application/x-www-form-urlencoded' };
    const target = '/api/v1/submit/contact?as=page';
    const answer = await send({ method: 'POST', target, headers, body: Buffer.from('name=Ann') });
    expect(answer.status).toBe(303);
    const before = 'https://acme.example/forms';
    const { origin, href } = new URL(answer.headers.location ?? '', before + target);
    expect(href.startsWith(`${before}/api/v1/sent/contact?t=`), origin).toBe(true);
    for (const method of ['GET', 'GET', 'HEAD']) {
      const shown = await send({ method, target: href.slice(before.length), headers, body: Buffer.alloc(0) });
      expect(shown.status).toBe(200);
      expect(shown.body).toMatch(method === 'HEAD' ? /^$/ : /Thank you\./);
    }
    expect(sink.requests).toHaveLength(1);
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
