import { createServer, type Server } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { httpSink, relayWith } from '../../../../test/spec/stage.ts';
import type { HttpSinkOptions, SinkAnswer } from '../../../../test/support/http_sink.ts';

function start(url: string, keys = '') {
  return relayWith({
    config: `
forms:
  contact:
    fields: [{name: email}]
    outputs: [{type: http_post, url: "${url}", mapping: "*"${keys}}]
`,
    effects: { random: () => 0.5 },
  });
}

function sinkThatAnswers(...answers: readonly SinkAnswer[]) {
  const left = [...answers];
  const options: HttpSinkOptions = { answer: () => left.shift() ?? {} };
  return httpSink(options);
}

const body: [string, string][] = [['email', 'a@b.example']];

describe('failures that another try may cure are retried', () => {
  test.each([408, 425, 502, 503, 504])('an answer of %i', async (status) => {
    const sink = await sinkThatAnswers({ status });
    const relay = await start(sink.origin);
    expect((await relay.submit('contact', body)).status).toBe(200);
    expect(sink.requests.length).toBe(2);
    expect(relay.waited).toEqual([750]);
    expect(relay.logged).toMatchObject([
      { event: 'config_loaded' },
      { event: 'retrying', level: 'warn', reason: `the server answered ${status}`, output: 0 },
      { event: 'submission', outcome: 'delivered', deliveries: [{ outcome: 'delivered', tries: 2 }] },
    ]);
  });

  test('a 429 that says when', async () => {
    const sink = await sinkThatAnswers({ status: 429, headers: { 'retry-after': '3' } });
    const relay = await start(sink.origin);
    expect((await relay.submit('contact', body)).status).toBe(200);
    expect(relay.waited).toEqual([3_000]);
  });

  test('a connection that is reset before an answer', async () => {
    let connections = 0;
    const server: Server = createServer((socket) => {
      connections += 1;
      if (connections === 1) socket.once('data', () => socket.resetAndDestroy());
      else socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const relay = await start(`http://127.0.0.1:${port}`);
    expect((await relay.submit('contact', body)).status).toBe(200);
    expect(connections).toBe(2);
  });
});

describe('failures that no other try would cure are not retried', () => {
  test.each([
    [400, {}],
    [401, {}],
    [404, {}],
    [422, {}],
    [500, {}],
    [501, {}],
    [429, {}],
    [429, { 'retry-after': '60' }],
    [503, { 'retry-after': '60' }],
  ])('an answer of %i with %o', async (status, headers) => {
    const sink = await sinkThatAnswers({ status, headers });
    const relay = await start(sink.origin);
    expect((await relay.submit('contact', body)).status).toBe(500);
    expect(sink.requests.length).toBe(1);
    expect(relay.waited).toEqual([]);
  });
});

test('each wait is twice as long, and retries bounds their number', async () => {
  const sink = await sinkThatAnswers(...Array.from({ length: 9 }, () => ({ status: 503 })));
  const relay = await start(sink.origin, ', retries: 3');
  expect((await relay.submit('contact', body)).status).toBe(500);
  expect(sink.requests.length).toBe(4);
  expect(relay.waited).toEqual([750, 1_500, 3_000]);
});

test('no try begins after the output’s timeout', async () => {
  const sink = await sinkThatAnswers(...Array.from({ length: 9 }, () => ({ status: 503 })));
  const relay = await start(sink.origin, ', retries: 5, timeout: 3s');
  expect((await relay.submit('contact', body)).status).toBe(500);
  expect(relay.waited).toEqual([750, 1_500]);
});

test('every try of a delivery has the same Idempotency-Key, and no other delivery has it', async () => {
  const sink = await sinkThatAnswers({ status: 503 }, { status: 502 });
  const relay = await start(sink.origin, ', retries: 2');
  await relay.submit('contact', body);
  await relay.submit('contact', body);
  const keys = sink.requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys.length).toBe(4);
  expect(new Set(keys.slice(0, 3)).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}-0$/);
  expect(keys[3]).not.toBe(keys[0]);
});

test('an Idempotency-Key of the config wins', async () => {
  const sink = await sinkThatAnswers();
  const relay = await start(sink.origin, ', headers: {Idempotency-Key: "{{ .fields.email }}"}');
  await relay.submit('contact', body);
  expect(sink.requests[0]?.headers['idempotency-key']).toBe('a@b.example');
});

test('a clock that is set back gives no try more than its time', async () => {
  let tries = 0;
  const sink = await httpSink({
    answer: () => {
      relay.advance(-3_600_000);
      tries += 1;
      return tries === 1 ? { status: 503 } : new Promise<never>(() => {});
    },
  });
  const relay = await start(sink.origin, ', timeout: 1s');
  const startedAt = performance.now();
  expect((await relay.submit('contact', body)).status).toBe(500);
  expect(tries).toBe(2);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});
