/** Requests that get the same answer on every runtime. */
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { features } from '../../../test/promises/adapter.ts';
import { areas } from '../../../test/promises/areas/index.ts';
import { settingsOf } from '../../../test/promises/form_relay.ts';
import { startSuite } from '../../../test/promises/suite.ts';
import {
  type Answer,
  cases,
  casesConfig as config,
  deliveredTo,
  piecesOf,
  type Send,
  type Sent,
  sendTo,
  sentOf,
  wantedBy,
} from '../../../test/support/adapter_cases.ts';
import { createRelay, type Relay } from '../../../test/support/bare_relay.ts';
import { type HttpSink, listen, startHttpSink } from '../../../test/support/index.ts';
import type { Environment } from '../../core/src/settings.ts';
import { createNodeServer } from '../src/node/server.ts';

/** A relay on a runtime. `close` may be called once. */
export interface Runtime {
  readonly send: Send;
  close(): unknown;
}

export type StartRuntime = (parts: RelayParts) => Promise<Runtime>;

export const startNode: StartRuntime = async (parts) => {
  const relay = relayOf(parts);
  const server = createNodeServer(relay.handle);
  const port = await listen(server);
  return {
    send: (sent) => sendTo(port, sent),
    close: () => {
      server.closeAllConnections();
      server.close();
      return relay.close();
    },
  };
};

/** The body as web standards send it. */
export function streamOf(sent: Sent) {
  if (sent.body.length === 0) return {};
  if (!sent.pieces) return { body: sent.body };
  return { body: ReadableStream.from(piecesOf(sent)), duplex: 'half' as const };
}

export interface RelayParts {
  readonly config: string;
  readonly env?: Environment;
  readonly options?: { readonly throttled: boolean };
  readonly effects?: NonNullable<Parameters<typeof createRelay>[0]>['effects'];
}

export function relayOf({ config, env = {}, options, effects }: RelayParts): Relay {
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

const answerOf = ({ url }: { readonly url: string }) => ({ status: url === '/broken' ? 500 : 200 });

/** The areas of promises that depend on how a runtime passes requests and answers. */
const areasOfAdapters = ['submit', 'form', 'fragments', 'cors', 'honeypot'] as const;

/**
 * The promises of each runtime, with one relay for all cases. `without`: promises whose requests do not reach
 * the relay as they were sent.
 */
export function adapterSuite(name: string, start: StartRuntime, without: readonly string[] = []): void {
  describe(name, () => {
    let sink: HttpSink;
    let runtime: Runtime;
    let reference: Runtime;
    beforeAll(async () => {
      sink = await startHttpSink({ answer: answerOf });
      runtime = await start({ config: config(sink.origin) });
      reference = await startNode({ config: config(sink.origin) });
    });
    afterAll(() => Promise.all([runtime.close(), reference.close(), sink.close()]));

    const startOne = async (parts: RelayParts): Promise<Send> => {
      const one = await start(parts);
      onTestFinished(() => void one.close());
      return one.send;
    };

    test.each(cases.filter(({ promise }) => !without.includes(promise)))(
      '$promise: $request is $status',
      async (given) => {
        const sent = sentOf(given);
        const before = sink.requests.length;
        const answers: Answer[] = [];
        for (let time = 0; time < (given.times ?? 1); time += 1) answers.push(await runtime.send(sent));

        for (const answer of answers) {
          expect(answer.status).toBe(given.status);
          expect(answer.body).toMatch(given.holds ?? '');
          expect(answer.headers).toMatchObject(given.answered ?? {});
        }
        expect(deliveredTo(sink.requests.slice(before), given)).toEqual(wantedBy(given));
        if (name !== 'node:http') {
          // A Worker has its own clock and randomness.
          const masked = (one: Answer | undefined) =>
            name.includes('Worker') ? { ...one, headers: { ...one?.headers, 'x-request-id': '' } } : one;
          expect(masked(answers[0])).toEqual(masked(await reference.send(sent)));
        }
      },
    );

    describe('keeps the promises of any relay', () => {
      const suite = startSuite({
        name,
        offers: features.filter((one) => one !== 'smtp'),
        start: async (config) => {
          const env = { ...config.env, ...settingsOf(config) };
          const effects = { now: Date.now, uuid: randomUUID };
          const one = await start({ config: JSON.stringify({ forms: config.forms }), env, effects });
          const bridge = http.createServer(async (incoming, outgoing) => {
            const { method = '', url: target = '' } = incoming;
            const sent = { method, target, headers: incoming.headers as Record<string, string> };
            const answer = await one.send({ ...sent, body: Buffer.concat(await incoming.toArray()) });
            outgoing.writeHead(answer.status, answer.headers).end(answer.body);
          });
          const url = `http://127.0.0.1:${await listen(bridge)}`;
          const stop = async () => {
            bridge.closeAllConnections();
            bridge.close();
            await one.close();
          };
          return { url, stop };
        },
      });
      afterAll(async () => (await suite).stop());

      describe.concurrent.each(areasOfAdapters)('%s', (area) => {
        test.each(Object.entries(areas[area]?.promises ?? {}))('%s', async (_, promise) => {
          const { isOffered, try: tryOn } = await suite;
          if (isOffered(promise)) (await tryOn(promise))();
        });
      });
    });

    test('a form that its browser submits ends on a page that is safe to reload, below any path', async () => {
      const before = sink.requests.length;
      const send = await startOne({
        config: config(sink.origin),
        env: { FORM_TOKEN_SECRET: 'not so secret' },
      });
      const headers = { host: 'relay.test', 'content-type': 'application/x-www-form-urlencoded' };
      const target = '/api/v1/submit/contact?as=page';
      const answer = await send({ method: 'POST', target, headers, body: Buffer.from('name=Ann') });
      expect(answer.status).toBe(303);
      const base = 'https://acme.example/forms';
      const { origin, href } = new URL(answer.headers.location ?? '', base + target);
      expect(href.startsWith(`${base}/api/v1/sent/contact?t=`), origin).toBe(true);
      for (const method of ['GET', 'GET', 'HEAD']) {
        const shown = await send({ method, target: href.slice(base.length), headers, body: Buffer.alloc(0) });
        expect(shown.status).toBe(200);
        expect(shown.body).toMatch(method === 'HEAD' ? /^$/ : /Thank you\./);
      }
      expect(sink.requests).toHaveLength(before + 1);
    });

    // An HTTP API decodes it, so it separates path segments.
    test('an encoded slash leads to no form', async () => {
      const send = await startOne({ config: config('http://127.0.0.1:9') });
      const sent = { method: 'GET', target: '/api/v1/form/contact%2F', headers: {}, body: Buffer.alloc(0) };
      expect((await send(sent)).status).toBe(404);
    });

    const throttles = !name.startsWith('Lambda');
    test(throttles ? 'throttles' : 'leaves throttling to what stands in front', async () => {
      const env = { THROTTLE_RATE_LIMIT: '1', THROTTLE_BURST_LIMIT: '1' };
      const send = await startOne({ config: config('http://127.0.0.1:9'), env });
      const get = { method: 'GET', target: '/api/v1/form/contact', headers: {}, body: Buffer.alloc(0) };
      expect((await send(get)).status).toBe(200);
      const { status, headers } = await send(get);
      expect([status, headers['retry-after']]).toEqual(throttles ? [429, '1'] : [200, undefined]);
    });
  });
}
