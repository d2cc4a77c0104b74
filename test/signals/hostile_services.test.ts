import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { httpSink, rawServer } from '../spec/stage.ts';
import type { SinkAnswer } from '../support/http_sink.ts';
import { json, stage } from './service_stage.ts';

const hostile: readonly (readonly [string, SinkAnswer, RegExp])[] = [
  ['fails', { status: 500, body: 'true' }, /answered 500/],
  ['is overrun', { status: 429, headers: { 'retry-after': '99999' } }, /answered 429/],
  ['leads elsewhere', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, /answered 302/],
  ['says nothing', {}, /no verdict/],
  ['talks without end', { body: `"${'x'.repeat(5_000_000)}"` }, /no verdict|longer/],
  ['nests without end', { body: '['.repeat(60_000) }, /no verdict/],
  ['says garbage', { body: Buffer.from([0xff, 0xfe, 0, 1]) }, /no verdict/],
  ['speaks in another coding', { headers: { 'content-encoding': 'zstd' }, body: '\x28' }, /coding zstd/],
  ['says null', { body: 'null' }, /no verdict/],
  ['says a list', { body: '[]' }, /no verdict/],
  [
    'says other things',
    { body: '{"success": "yes", "score": "NaN", "required_score": {}, "symbols": []}' },
    /no verdict/,
  ],
];

test.each(
  ['stopforumspam: {url: "$service/api"}', 'akismet: {url: "$service/", site: "https://a.example"}'].flatMap(
    (signals) =>
      hostile.map(
        ([what, answer, reason]) => [signals.split(':')[0], what, signals, answer, reason] as const,
      ),
  ),
)('%s that %s speaks against nobody', async (_, _what, signals, answer, reason) => {
  const { relay, send, endings, silences } = await stage({ signals, answer: () => answer });
  const { status } = await send();
  expect(status).toBe(200);
  expect(endings()).toEqual(['delivered']);
  expect(silences()).toMatchObject([{ level: 'warn', reason: expect.stringMatching(reason) }]);
  expect(JSON.stringify(relay.logged)).not.toMatch(/Anna|Gr..e|203\.0\.113|akismet-secret/i);
});

test.each([
  ['hangs up', /closed/, (socket: Socket) => void socket.destroy()],
  [
    'speaks something else',
    /not HTTP/,
    (socket: Socket) => void socket.end('220 mail.example.com ESMTP\r\n'),
  ],
  [
    'answers a byte at a time, for ever',
    /no complete answer within 1500 ms|no verdict/,
    (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
      const drip = setInterval(() => socket.write(' '), 50);
      socket.on('close', () => clearInterval(drip));
    },
  ],
  [
    'sends headers without end',
    /headers|not HTTP|closed/,
    (socket: Socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${'x-more: y\r\n'.repeat(200_000)}`);
    },
  ],
])('a service that %s speaks against nobody', async (_, reason, behave) => {
  const url = await rawServer(behave);
  const { send, endings, silences } = await stage({ signals: `stopforumspam: {url: "${url}"}` });
  await send();
  expect(endings()).toEqual(['delivered']);
  expect(silences()).toMatchObject([{ signal: 'stopforumspam', reason: expect.stringMatching(reason) }]);
});

test('a service whose certificate nobody vouches for is told nothing', async () => {
  const other = await httpSink({ tls: true });
  const { send, endings, silences } = await stage({ signals: `stopforumspam: {url: "${other.origin}"}` });
  await send();
  expect(other.requests).toEqual([]);
  expect(endings()).toEqual(['delivered']);
  expect(silences()).toMatchObject([{ reason: expect.stringMatching(/certificate/) }]);
});

test('lies of numbers count no more than the weight', async () => {
  const { send, endings } = await stage({
    signals: 'stopforumspam: {url: "$service/api", weight: 3}',
    answer: () => json({ success: 1, ip: { appears: 1, confidence: 1e300 } }),
  });
  await send();
  expect(endings()).toEqual([expect.stringMatching(/^dropped: 3 points: drop; /)]);
});

test('a service that hangs holds up nobody for long, is told once a second, and is left alone then', async () => {
  const never = new Promise<SinkAnswer>(() => {});
  const { relay, service, send, endings, silences } = await stage({
    signals: 'akismet: {url: "$service/", site: "https://a.example"}',
    answer: () => never,
  });
  const start = performance.now();
  await Promise.all(['a', 'b', 'c'].map((message) => send({ message })));
  expect(performance.now() - start).toBeLessThan(8_000);
  expect(endings()).toEqual(['delivered', 'delivered', 'delivered']);
  expect(silences()).toHaveLength(1);
  expect(silences()).toMatchObject([{ reason: 'no complete answer within 1500 ms' }]);
  const asked = service.requests.length;
  for (const message of ['d', 'e', 'f']) await send({ message });
  expect(service.requests).toHaveLength(asked);
  // It is asked again after half a minute.
  relay.advance(31_000);
  await send({ message: 'g' });
  expect(service.requests).toHaveLength(asked + 1);
  expect(silences().at(-1)).toMatchObject({ reason: 'no complete answer within 1500 ms' });
  expect(silences().reduce((sum, { times }) => sum + Number(times), 0)).toBe(4);
});

test('one that rests keeps no other from being asked, at the same address or not', async () => {
  const never = new Promise<SinkAnswer>(() => {});
  const { service, send } = await stage({
    signals: 'akismet: {url: "$service/", site: "https://a.example"}, stopforumspam: {url: "$service/api"}',
    answer: ({ url }) => (url.startsWith('/api') ? never : { body: 'false' }),
  });
  const sendAs = (message: string) => send({ message, email: `${message}@example.org` });
  await Promise.all(['a', 'b', 'c'].map(sendAs));
  await sendAs('d');
  expect(service.requests.filter(({ url }) => url.startsWith('/api'))).toHaveLength(3);
  expect(service.requests.filter(({ url }) => url === '/comment-check')).toHaveLength(4);
});

test('a flood asks no more than fifty at a time', async () => {
  let release = () => {};
  const gate = new Promise<SinkAnswer>((resolve) => {
    release = () => resolve({ body: 'false' });
  });
  onTestFinished(() => release());
  let asking = 0;
  const { send, endings } = await stage({
    signals: 'akismet: {url: "http://unused.example/", site: "https://a.example"}',
    effects: {
      http: async ({ url }) => {
        if (url.host !== 'unused.example') return { status: 200, headers: {}, body: '' };
        asking += 1;
        await gate;
        return { status: 200, headers: {}, body: 'false' };
      },
    },
  });
  const all = Array.from({ length: 80 }, (_, index) => send({ message: `Message ${index}` }));
  await expect.poll(() => endings().length).toBe(30);
  expect(asking).toBe(50);
  release();
  await Promise.all(all);
  expect(new Set(endings())).toEqual(new Set(['delivered']));
});

test('a submission without time left asks nobody', async () => {
  const { relay, service } = await stage({
    signals: 'akismet: {url: "$service/", site: "https://a.example"}',
    answer: () => ({ body: 'true' }),
  });
  const answer = await relay.relay.handle({
    method: 'POST',
    path: '/api/v1/submit/contact',
    query: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from('name=Anna&message=Hello'),
    senderAddress: '203.0.113.9',
    timeLeftMs: 1_005,
  });
  expect(answer.status).not.toBe(422);
  expect(service.requests).toEqual([]);
});

test('a bug in an effect costs nobody a submission', async () => {
  const { relay, send, endings } = await stage({
    signals: 'akismet: {url: "http://unused.example/", site: "https://a.example"}',
    effects: {
      http: async ({ url }) => {
        if (url.host === 'unused.example') throw new TypeError('bug');
        return { status: 200, headers: {}, body: '' };
      },
    },
  });
  await send();
  expect(endings()).toEqual(['delivered']);
  expect(relay.logged.map(({ event }) => event)).toContain('internal_error');
});
