/** Connections and work of a plug-in come to an end, and after it nothing happens any more, however the plug-in behaves. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fail, retry } from '../../packages/base/src/client_error.ts';
import { outputExtension } from '../../packages/core/src/extensions.ts';
import type { Opened, PluginCall, PluginDelivery } from '../../packages/core/src/outputs/plugin_outputs.ts';
import { feature, type Plugin, type Route } from '../../packages/core/src/plugin.ts';
import { guard, type Submission } from '../../packages/core/src/submission.ts';
import { createMetrics } from '../../packages/telemetry/src/metrics/index.ts';
import { type HttpSink, startHttpSink } from '../support/http_sink.ts';
import { startRelay } from '../support/relay.ts';

let sink: HttpSink;
beforeAll(async () => {
  sink = await startHttpSink({
    answer: ({ url }) => (url === '/busy' ? { status: 503 } : { body: '{"id": 7}' }),
  });
});
afterAll(() => sink.close());

type Send = (delivery: PluginDelivery, call: PluginCall) => Promise<unknown>;

/** A plug-in as an author writes it, whose output does this. */
const sending = (send: Send, more: Partial<Opened> = {}) =>
  ({
    name: 'crm',
    outputs: [{ type: 'crm', summary: '', keys: {}, open: () => ({ target: sink.origin, send, ...more }) }],
  }) as unknown as Plugin;

const timeoutMs = 300;
const config = (ms: number) =>
  `forms: {contact: {fields: [{name: name}], outputs: [{type: crm, timeout: ${ms}ms, mapping: "*"}]}}`;

/** Sends a form through real HTTP. Resolves once the plug-in has nothing left to do. */
async function submit(send: Send, ms = timeoutMs) {
  const metrics = createMetrics();
  let work: Promise<unknown> = Promise.resolve();
  let tries = 0;
  const counting: Send = (...given) => {
    tries += 1;
    const sent = send(...given);
    work = Promise.race([sent, sleep(timeoutMs + 1_000)]).catch(() => undefined);
    return sent;
  };
  const relay = await startRelay({ config: config(ms), metrics, plugins: [sending(counting)] });
  const before = sink.requests.length;
  const { status } = await relay.submit('contact', 'name=Ada');
  await work;
  await new Promise(setImmediate);
  const counted = metrics.text().match(/form_relay_deliveries_total\{.*outcome="late"\} (\d+)/)?.[1];
  await relay.close();
  metrics.close();
  const said = (event: string) => relay.logged.find((one) => one.event === event);
  return {
    status,
    tries,
    arrived: sink.requests.slice(before),
    reason: said('delivery_failed')?.reason,
    late: said('delivered_late') && counted,
    bug: said('plugin_failed')?.member,
  };
}

const ended = `no end within ${timeoutMs} ms`;
const bug = 'a bug of the plug-in "crm": send of the output type "crm" threw';
const member = 'send of the output type "crm"';

describe('an output that misbehaves costs its own delivery', () => {
  test.each<[what: string, send: Send, expected: object]>([
    ['never ends', () => new Promise(() => undefined), { status: 500, reason: ended, tries: 1 }],
    [
      'ends after its time and ignores the signal',
      () => sleep(timeoutMs + 700),
      { status: 500, reason: ended, late: '1' },
    ],
    [
      'sends after its time',
      async (_, { http }) => {
        await sleep(timeoutMs + 100);
        await http.send({ url: sink.origin });
      },
      { status: 500, reason: ended, arrived: [] },
    ],
    [
      'ends when the signal tells it to',
      (_, { signal }) => sleep(5_000, undefined, { signal }),
      { status: 500, reason: ended, bug: undefined, late: undefined },
    ],
    [
      'throws before it returns a promise',
      () => {
        throw new TypeError('Ada');
      },
      { status: 500, reason: bug, bug: member, tries: 1 },
    ],
    [
      'rejects with an error of its own',
      async () => Promise.reject(new Error('Ada')),
      { reason: bug, bug: member },
    ],
    ['rejects with a text', () => Promise.reject('Ada'), { status: 500, reason: bug, bug: member }],
    ['returns no promise', (() => 7) as unknown as Send, { status: 200, reason: undefined }],
  ])('%s', async (_, send, expected) => {
    expect(await submit(send)).toMatchObject(expected);
  });
});

describe('an output says what another try would do', () => {
  test.each<[what: string, send: Send, expected: object]>([
    ['retry', async () => Promise.reject(retry('busy')), { status: 500, reason: 'busy', tries: 2 }],
    ['retry later', async () => Promise.reject(retry('busy', { afterMs: 60_000 })), { tries: 1 }],
    ['fail', async () => Promise.reject(fail('no such list')), { reason: 'no such list', tries: 1 }],
    [
      'status',
      (_, { http }) => http.send({ url: `${sink.origin}/busy` }),
      { reason: 'the server answered 503', tries: 2 },
    ],
    [
      'wrong url',
      (_, { http }) => http.send({ url: 'ftp://x' }),
      { reason: 'the request has no web address' },
    ],
  ])('%s', async (_, send, expected) => {
    expect(await submit(send, 5_000)).toMatchObject({ bug: undefined, ...expected });
  });
});

describe('hooks that pass a delivery on', () => {
  test('passes nothing on after the time of the try', async () => {
    const delaying = outputExtension({
      name: 'delaying',
      keys: {},
      configure: () => ({
        wrapTransport: (inner) => ({
          ...inner,
          send: async (delivery, call) => {
            await sleep(timeoutMs + 100);
            return inner.send(delivery, call);
          },
        }),
      }),
    });
    const plugin = {
      ...sending((_, { http }) => http.send({ url: sink.origin })),
      outputExtensions: [delaying],
    };
    const relay = await startRelay({ config: config(timeoutMs), plugins: [plugin] });
    const before = sink.requests.length;
    expect((await relay.submit('contact', 'name=Ada')).status).toBe(500);
    await relay.close();
    expect(sink.requests.length).toBe(before);
    expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'delivery_failed', reason: ended }));
  });
});

describe('a hook and a route', () => {
  /** Sends a form that leaves a second, and waits for what the hook does in the end. */
  async function hooked(work: (submission: Submission) => Promise<unknown>, timeLeftMs = 1_300) {
    let working: Promise<unknown> | undefined;
    const hook = guard(async (submission) => {
      working = work(submission);
      await working;
      return undefined;
    });
    const configure = () => ({ beforeValidation: hook });
    const plugin = { ...sending(async () => undefined), features: [feature({ name: 'lookup', configure })] };
    const relay = await startRelay({ config: config(timeoutMs), plugins: [plugin] });
    const before = sink.requests.length;
    const { status } = await relay.relay.handle({
      method: 'POST',
      path: '/api/v1/submit/contact',
      query: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('name=Ada'),
      timeLeftMs,
    });
    await working?.catch(() => undefined);
    await relay.close();
    return { status, arrived: sink.requests.slice(before) };
  }

  test('asks a server with the trace, and without a key', async () => {
    const { status, arrived } = await hooked(
      ({ http }) => http.send({ method: 'GET', url: sink.origin }),
      9_000,
    );
    expect([status, arrived.length]).toEqual([200, 1]);
    expect(arrived[0]?.headers).toMatchObject({ 'form-relay-hops': '1', traceparent: expect.any(String) });
    expect(arrived[0]?.headers['idempotency-key']).toBeUndefined();
  });

  test('sends nothing once the sender has read that it failed', async () => {
    const { status, arrived } = await hooked(async ({ http, signal }) => {
      await sleep(2_000);
      expect(signal.aborted).toBe(true);
      await http.send({ url: sink.origin });
    });
    expect([status, arrived]).toEqual([500, []]);
  });

  test('a route asks a server within its own time', async () => {
    const answer: Route['answer'] = async ({ http, signal }) => {
      const { json } = await http.send({ url: sink.origin });
      return { status: signal.aborted ? 500 : 200, headers: {}, body: JSON.stringify(json) };
    };
    const lookup = feature({
      name: 'lookup',
      configure: () => ({}),
      routes: [{ name: 'lookup', method: 'GET', answer }],
    });
    const plugin = { ...sending(async () => undefined), features: [lookup] };
    const relay = await startRelay({ config: config(timeoutMs), plugins: [plugin] });
    expect(await relay.get('/api/v1/lookup/contact')).toMatchObject({ status: 200, text: '{"id":7}' });
    await relay.close();
  });
});

test('a request ends with its try: the server sees the connection close', async () => {
  let closed: Promise<unknown> | undefined;
  const server = createServer((_, answer) => {
    closed = once(answer, 'close');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { reason } = await submit((_, { http }) => http.send({ url }));
  expect(reason).toMatch(/no (complete answer|end) within/);
  await closed;
});

test('each request of a try has a key of its own, the same in the next try, and what the relay adds', async () => {
  const { status, arrived } = await submit(async ({ id }, { http }) => {
    await http.send({ method: 'GET', url: `${sink.origin}/lists` });
    const { json } = await http.send({ url: sink.origin, query: { id }, form: { name: ['Ada', 'Grace'] } });
    await http.send({ method: 'PUT', url: sink.origin, headers: { 'X-Name': 'Ada\r\nx-added: 1' }, json });
  });
  expect(status).toBe(200);
  const [read, first, second] = arrived;
  const id = new URLSearchParams(first?.url.split('?')[1]).get('id');
  expect(read?.headers['idempotency-key']).toBeUndefined();
  expect(first?.headers).toMatchObject({
    'idempotency-key': id,
    'content-type': 'application/x-www-form-urlencoded',
  });
  expect(first?.body).toBe('name=Ada&name=Grace');
  expect(second?.headers).toMatchObject({ 'idempotency-key': `${id}.2`, 'x-name': 'Ada x-added: 1' });
  expect(second?.body).toBe('{"id":7}');
  for (const { headers } of arrived)
    expect(headers).toMatchObject({ 'form-relay-hops': '1', traceparent: expect.any(String) });
});
