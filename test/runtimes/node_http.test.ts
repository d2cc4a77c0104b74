/** The HTTP client that Lambda uses, against servers that behave and servers that do not. */
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { Retry } from '../../packages/relay/src/base/client_error.ts';
import type { HttpRequest } from '../../packages/relay/src/base/effects.ts';
import {
  createNodeHttp,
  createNodeHttpClient,
} from '../../packages/relay/src/transports/http/node_client.ts';
import { httpSink, rawServer } from '../spec/stage.ts';

const post = (origin: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  url: new URL(origin),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: 'a=1',
  timeoutMs: 5_000,
  ...more,
});

test('an upgrade that nobody asked for is a failure at once', async () => {
  const origin = await rawServer((socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  );
  await expect(createNodeHttpClient(Date.now)(post(origin))).rejects.toThrow(
    'the answer is an unexpected 100 or 101',
  );
});

test('a post arrives as it is, and so does its answer', async () => {
  const sink = await httpSink({
    answer: () => ({
      status: 207,
      headers: { 'X-Two': ['a', 'b'], 'set-cookie': ['c', 'd'] },
      body: 'Grüße',
    }),
  });
  const headers = { 'content-type': 'text/plain', 'x-name': 'Gr\xfc\xdfe' };
  const answer = await createNodeHttpClient(Date.now)(
    post(`${sink.origin}/a%2Fb?c=d&c=e`, { headers, body: 'ü=😀' }),
  );
  expect(answer).toMatchObject({
    status: 207,
    headers: { 'x-two': 'a, b', 'set-cookie': 'c, d' },
    body: 'Grüße',
  });
  expect(sink.requests).toMatchObject([
    { method: 'POST', url: '/a%2Fb?c=d&c=e', headers: { ...headers, 'content-length': '7' } },
  ]);
  expect(sink.requests[0]?.bytes.toString()).toBe('ü=😀');
});

test('of a long answer the first 64 KB are read, and the connection is closed', async () => {
  const sink = await httpSink({ answer: () => ({ body: 'x'.repeat(1_000_000) }) });
  const send = createNodeHttpClient(Date.now);
  expect((await send(post(sink.origin))).body).toHaveLength(65_536);
  await send(post(sink.origin));
  expect(sink.connections).toBe(2);
});

const head = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n';

const again = { retryAfterMs: 0 };

const failureFor = (message: string, retry: Retry = {}) => ({
  retryAfterMs: undefined,
  isUnsent: false,
  ...retry,
  message,
});

test.each<[what: string, answer: (socket: Socket) => void, reason: string, retry?: Retry]>([
  ['says nothing', () => {}, 'no complete answer within 200 ms'],
  ['hangs up at once', (socket) => socket.end(), 'the connection closed before an answer came', again],
  [
    'resets at once',
    (socket) => socket.resetAndDestroy(),
    'the connection closed before an answer came',
    again,
  ],
  [
    'hangs up in its headers',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nx:'),
    'the connection closed before an answer came',
    again,
  ],
  [
    'speaks something else',
    (socket) => socket.end('220 mail.example.com ESMTP\r\n'),
    'the answer is not HTTP',
  ],
])('a server that %s', async (_, answer, reason, retry) => {
  const send = createNodeHttpClient(Date.now);
  const origin = await rawServer(answer);
  await expect(send(post(origin, { timeoutMs: 200 }))).rejects.toMatchObject(failureFor(reason, retry));
});

test.each<[what: string, answer: (socket: Socket) => void, reason: string, retry?: Retry]>([
  ['stops in its answer', (socket) => socket.write(`${head}12345`), 'no complete answer within 200 ms'],
  [
    'never ends its answer',
    (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n12345'),
    'no complete answer within 200 ms',
  ],
  [
    'hangs up in its answer',
    (socket) => socket.end(`${head}12345`),
    'the connection closed before the answer was complete',
    again,
  ],
])('a server that %s has answered a post, but not who needs all of it', async (_, answer, reason, retry) => {
  const origin = await rawServer(answer);
  expect(await createNodeHttpClient(Date.now)(post(origin, { timeoutMs: 200 }))).toMatchObject({
    status: 200,
    body: '12345',
  });
  const sending = { ...post(origin, { timeoutMs: 200 }), method: 'POST', limitBytes: 100 } as const;
  await expect(createNodeHttp(Date.now)(sending)).rejects.toMatchObject(failureFor(reason, retry));
});

test('a server that speaks of a body in a 204, or sends 20 KB of headers, has answered', async () => {
  const send = createNodeHttpClient(Date.now);
  const origin = await rawServer((socket) =>
    socket.write('HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n'),
  );
  expect((await send(post(origin))).status).toBe(204);
  const headers = { 'set-cookie': Array(5).fill('x'.repeat(4_000)) };
  const sink = await httpSink({ answer: () => ({ headers }) });
  expect((await send(post(sink.origin))).status).toBe(200);
});

test('a server that is not there', async () => {
  const send = createNodeHttpClient(Date.now);
  await expect(send(post('http://127.0.0.1:9/'))).rejects.toMatchObject(
    failureFor('connect ECONNREFUSED', { ...again, isUnsent: true }),
  );
});

test('a certificate that nobody vouches for', async () => {
  const sink = await httpSink({ tls: true });
  const send = createNodeHttpClient(Date.now);
  await expect(send(post(sink.origin))).rejects.toThrow(/^certificate not trusted: /);
  expect(sink.requests).toHaveLength(0);
});

test('a connection is used again for 4 seconds of rest, each for itself', async () => {
  let now = 0;
  const send = createNodeHttp(() => now);
  const [often, seldom] = [await httpSink(), await httpSink()];
  const get = (origin: string) =>
    send({ method: 'GET', url: new URL(origin), headers: {}, body: '', timeoutMs: 5_000, limitBytes: 100 });

  await get(seldom.origin);
  for (now of [0, 3_000, 6_000, 9_000]) await get(often.origin);
  await get(seldom.origin);
  expect([often.connections, seldom.connections]).toEqual([1, 2]);
});
