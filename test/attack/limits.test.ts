/** However many and slow its clients are, the process stays within its limits, and serves visitors. */
import { once } from 'node:events';
import { type Environment, readSettings } from '../../packages/core/src/settings.ts';
import { createNodeServer } from '../../packages/runtimes/src/node/server.ts';
import { contact, listen } from '../support/index.ts';
import { answersIn, connect, heldRelay, postHead } from './stage.ts';

const fields = '[{name: name}]';

/** A relay with limits, and an output that answers on command. */
async function limited(env: Environment) {
  const relay = await heldRelay(fields, { env });
  relay.hold();
  return {
    ...relay,
    limitsReached: () =>
      new Set(
        relay.logged.flatMap(({ level, event, name, limit }) =>
          event === 'limit_reached' && level === 'warn' ? [`${name} ${limit}`] : [],
        ),
      ),
  };
}

/** A connection after an exchange, which the relay has therefore seen. */
async function opened(relay: { origin: string }, bytes = '') {
  const wire = connect(relay);
  await once(wire.socket, 'connect');
  if (bytes !== '') wire.socket.write(bytes);
  return wire;
}

const health = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const slowPost = `${postHead('Content-Length: 60')}name=`;
const post = (...lines: string[]) => `${postHead('Content-Length: 8', ...lines)}name=Ann`;

test('with too many connections, silent ones are closed first, then idle ones, then slow senders', async () => {
  const relay = await limited({ CONNECTION_LIMIT: '4' });
  const rests = await opened(relay, health);
  await once(rests.socket, 'data');
  const slow = await opened(relay, slowPost);
  const silent = await opened(relay);
  const openedAt = performance.now();
  const busy = await opened(relay, post());
  await expect.poll(relay.underWay).toBe(1);
  // Until then it counts as new, and may have sent bytes that were not read yet.
  await expect.poll(() => performance.now() - openedAt).toBeGreaterThan(300);

  const first = await opened(relay, post());
  await silent.closed;
  await expect.poll(relay.underWay).toBe(2);
  const second = await opened(relay, post());
  await rests.closed;
  await expect.poll(relay.underWay).toBe(3);
  const third = await opened(relay, post());
  await slow.closed;
  expect(answersIn(slow.received)).toMatchObject([
    {
      status: 503,
      head: expect.stringMatching(/^retry-after: \d+\r$/m),
      body: expect.stringMatching(/^{"error":/),
    },
  ]);
  await expect.poll(relay.underWay).toBe(4);

  // All others are waiting for their answer.
  const last = connect(relay);
  await last.closed;
  expect(last.received).toBe('');
  relay.release();
  for (const wire of [busy, first, second, third])
    await expect.poll(() => wire.received).toMatch(/^HTTP\/1\.1 200 /);
  // Neither connection sent further requests.
  expect(silent.received).toBe('');
  expect(answersIn(rests.received)).toHaveLength(1);
  expect(relay.limitsReached()).toEqual(new Set(['CONNECTION_LIMIT 4']));
});

test('a client can only replace its own connections; a proxy counts for many clients', async () => {
  const logged: unknown[] = [];
  const server = createNodeServer(async () => ({ status: 200, headers: {}, body: '' }), {
    limits: readSettings({ CLIENT_CONNECTION_LIMIT: '2' }),
    log: (_level, event, fields) => logged.push([event, fields]),
  });
  const port = await listen(server);
  onTestFinished(() => void server.close());
  let remoteAddress = '';
  server.prependListener('connection', (socket) =>
    Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress }),
  );
  const origin = `http://127.0.0.1:${port}`;
  /** Connects as if from this address. */
  const from = async (address: string) => {
    remoteAddress = address;
    const wire = await opened({ origin }, health);
    await once(wire.socket, 'data');
    return wire;
  };
  const other = await from('203.0.113.9');
  for (const [first, second, third] of [
    ['203.0.113.7', '203.0.113.7', '::ffff:203.0.113.7'],
    ['2001:db8:1:2::3', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::'],
  ] as const) {
    const [one, two] = [await from(first), await from(second)];
    await from(third);
    await one.closed;
    expect(two.socket.closed).toBe(false);
  }
  const proxied = [];
  for (const proxy of [
    ...['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '::1', 'fd12::1', 'fe80::1'],
    ...['::ffff:10.0.0.1'],
  ]) {
    for (let n = 0; n < 3; n += 1) proxied.push(await from(proxy));
  }
  expect([other, ...proxied].filter(({ socket }) => socket.closed)).toEqual([]);
  expect(logged[0]).toEqual(['limit_reached', { name: 'CLIENT_CONNECTION_LIMIT', limit: 2, times: 1 }]);
});

test('concurrent bodies share a limit; the slowest sender gets a 503 that a page can read', async () => {
  const relay = await limited({ BODY_BYTES_LIMIT: '65536' });
  const body = `name=Ann&other=${'x'.repeat(40_000)}`;
  const begun = `${postHead(`Content-Length: ${body.length + 1}`, 'Origin: https://a.example')}${body}`;
  const slow = await opened(relay, begun);
  // The relay reads a later connection later.
  await relay.get('/healthz');
  const fast = await opened(relay, begun);
  await slow.closed;
  const [refused] = answersIn(slow.received);
  expect(refused).toMatchObject({ status: 503, body: expect.stringMatching(/^{"error":/) });
  expect(refused?.head).toMatch(/^retry-after: \d+\r$/m);
  expect(refused?.head).toMatch(/^access-control-allow-origin: \*\r$/m);
  fast.socket.write('x');
  await expect.poll(relay.underWay).toBe(1);
  relay.release();
  await expect.poll(() => fast.received).toMatch(/^HTTP\/1\.1 200 /);
  expect(relay.limitsReached()).toEqual(new Set(['BODY_BYTES_LIMIT 65536']));
});

test('a body’s memory is free again, however its request ended', async () => {
  const relay = await contact({ fields, env: { BODY_BYTES_LIMIT: '65536' } });
  const large = 'x'.repeat(9_000);
  for (let n = 0; n < 10; n += 1) {
    // Disconnected before its end, too long, refused, and relayed.
    const gone = await opened(relay, `${postHead('Content-Length: 60000')}${large}`);
    await relay.get('/healthz');
    gone.socket.destroy();
    expect((await relay.submit('contact', 'x'.repeat(70_000))).status).toBe(400);
    expect((await relay.submit('nobody', `name=${large}`)).status).toBe(404);
    expect((await relay.submit('contact', `name=${large}`)).status).toBe(200);
  }
  const all = `name=${'x'.repeat(9_000)}${'&name='.repeat(9_000)}`;
  expect((await relay.submit('contact', all)).status).toBe(200);
});

test('concurrent submissions have a limit; beyond it, the answer is 503, with one log line per second', async () => {
  const relay = await limited({ SUBMISSION_LIMIT: '1' });
  const first = relay.send(['name', 'Ann']);
  await expect.poll(relay.underWay).toBe(1);
  for (const [accept, type] of [
    ['*/*', 'application/json; charset=utf-8'],
    ['application/problem+json', 'application/problem+json'],
  ] as const) {
    const { status, headers } = await relay.submit('contact', 'name=Bob', { accept });
    expect([status, headers.get('content-type')]).toEqual([503, type]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const fragment = await relay.submit('contact', 'name=Bob', { 'hx-request': 'true' });
  expect([fragment.status, fragment.text]).toEqual([
    503,
    expect.stringContaining('<ul class="form-errors">'),
  ]);
  expect((await relay.get('/healthz')).status).toBe(200);
  expect((await relay.get('/api/v1/form/contact')).status).toBe(200);
  relay.release();
  expect((await first).status).toBe(200);
  expect(relay.limitsReached()).toEqual(new Set(['SUBMISSION_LIMIT 1']));
});

test.each([
  ['JSON', { accept: '*/*' }, /^{"error":/],
  ['a fragment', { 'hx-request': 'true' }, /^<ul class="form-errors">/],
])('a throttled client that waits for %s gets it before it sends a body', async (_what, headers, answer) => {
  const relay = await contact({ fields, env: { THROTTLE_RATE_LIMIT: '0.001', THROTTLE_BURST_LIMIT: '1' } });
  await relay.get('/api/v1/form/contact');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const wire = await opened(relay, postHead('Content-Length: 8', 'Expect: 100-continue', ...lines));
  await wire.closed;
  expect(answersIn(wire.received)).toMatchObject([{ status: 429, body: expect.stringMatching(answer) }]);
});

test('a throttled client gets its answer before its body has arrived, and can continue', async () => {
  const relay = await contact({ fields, env: { THROTTLE_RATE_LIMIT: '0.001', THROTTLE_BURST_LIMIT: '1' } });
  await relay.get('/api/v1/form/contact');
  const wire = await opened(relay, postHead('Content-Length: 8'));
  await expect.poll(() => wire.received).toMatch(/^HTTP\/1\.1 429 /);
  wire.socket.write(`name=Ann${post('Connection: close')}`);
  await wire.closed;
  expect(answersIn(wire.received).map(({ status }) => status)).toEqual([429, 429]);
});
