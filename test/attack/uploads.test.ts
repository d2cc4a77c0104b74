/** Bodies with files are large and slow: their resources are limited, without affecting other visitors. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Services } from '../../packages/core/src/services.ts';
import type { Environment } from '../../packages/core/src/settings.ts';
import {
  closeServer,
  contact,
  createNodeServer,
  expectLogged,
  listen,
  multipartType,
  upload,
  uploadHead,
} from '../support/index.ts';
import { answersIn, chunk, connect, exchange, heldRelay, postHead } from './stage.ts';

const fields = '[{name: name}, {name: cv, type: file, accept: [text/plain], max_size: 9MB}]';
const mb = 1_048_576;

async function relayWith(env: Environment = {}, effects: Partial<Services> = {}) {
  const relay = await heldRelay(fields, { env, effects });
  const send = (body: Buffer<ArrayBuffer>) =>
    relay.request('/api/v1/submit/contact', {
      method: 'POST',
      headers: { 'content-type': multipartType },
      body,
    });
  return { ...relay, send };
}

const post = (body: Buffer, ...lines: string[]) =>
  Buffer.concat([Buffer.from(uploadHead(`Content-Length: ${body.length}`, ...lines)), body]);

/** Writes everything, as fast as the relay reads it. */
const write = (socket: Socket, bytes: string | Buffer) =>
  new Promise<void>((resolve) => void socket.write(bytes, () => resolve()));

const statuses = (received: string) => answersIn(received).map(({ status }) => status);

test('beyond the memory limit, the answer is an immediate 503, and the memory is free again', async () => {
  const relay = await relayWith({ UPLOAD_BUDGET: String(mb) });
  relay.hold();
  const first = relay.send(upload(600_000));
  await expect.poll(relay.underWay).toBe(1);
  const refused = await relay.send(upload(600_000));
  expect([refused.status, refused.json]).toEqual([503, { error: expect.stringMatching(/too many files/) }]);
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(refused.headers.get('access-control-allow-origin')).toBe('*');
  // Submissions without files, or with a small file, are not affected.
  const others = [relay.submit('contact', [['name', 'Bob']]), relay.send(upload(1_000))];
  await expect.poll(relay.underWay).toBe(3);
  relay.release();
  expect((await first).status).toBe(200);
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await relay.send(upload(600_000))).status).toBe(200);
  expectLogged(relay, { event: 'limit_reached', name: 'UPLOAD_BUDGET', limit: mb });
});

test('files are held until they are relayed, even if their sender has disconnected, and no longer', async () => {
  const held: Uint8Array[] = [];
  let go = () => {};
  const relay = await contact({
    fields,
    outputs: '[{type: smtp, host: mail.test, to: a@example.com, mapping: "*"}]',
    effects: {
      smtp: async ({ attachments = [] }) => {
        held.push(...attachments.map(({ bytes }) => bytes));
        await new Promise<void>((resolve) => {
          go = resolve;
        });
      },
    },
  });
  const { socket } = connect(relay);
  await write(socket, post(upload(600_000)));
  await expect.poll(() => held.length).toBe(1);
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
  // When the server answers another request, it has noticed the disconnect.
  await relay.get('/healthz');
  expect(held[0]?.length).toBe(600_000);
  go();
  await expect.poll(() => held[0]?.length).toBe(0);
});

test('a refused upload is read to its end, so that its sender can read the answer and continue', async () => {
  const relay = await relayWith({ UPLOAD_BUDGET: String(2 * mb) });
  const wire = connect(relay);
  const large = upload(20 * mb);
  wire.socket.write(uploadHead(`Content-Length: ${large.length}`));
  // Before the body was sent.
  await once(wire.socket, 'data');
  await write(wire.socket, large);
  await write(wire.socket, post(upload(1_000), 'Connection: close'));
  await wire.closed;
  expect(statuses(wire.received)).toEqual([400, 200]);
  expect(answersIn(wire.received)[0]?.body).toMatch(/the body is over \d+ MB/);
});

test('a client that asks first is refused before it sends anything', async () => {
  const relay = await relayWith({ UPLOAD_BUDGET: String(mb) });
  relay.hold();
  const asking = connect(relay);
  const body = upload(600_000);
  const head = uploadHead(`Content-Length: ${body.length}`, 'Expect: 100-continue');
  asking.socket.write(head);
  await expect.poll(() => asking.received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  // The request has its place, although nothing has arrived yet.
  expect(statuses(await exchange(relay, head))).toEqual([503]);
  expect(statuses(await exchange(relay, head.replace(/Length: \d+/, 'Length: 90000000')))).toEqual([400]);
  await write(asking.socket, body);
  await expect.poll(relay.underWay).toBe(1);
  relay.release();
  await expect.poll(() => asking.received).toMatch(/HTTP\/1\.1 200 /);
});

test('false lengths block others only for a moment', async () => {
  let at = Date.now();
  const relay = await relayWith({}, { now: () => at });
  const liars = Array.from({ length: 6 }, () => connect(relay));
  for (const { socket } of liars) await write(socket, `${uploadHead(`Content-Length: ${10 * mb}`)}x`);
  await relay.get('/healthz');
  expect((await relay.send(upload(9 * mb))).status).toBe(503);
  at += 2_000;
  expect((await relay.send(upload(9 * mb))).status).toBe(200);
  // A single refusal was enough.
  await expect.poll(() => liars.filter(({ received }) => received !== '').length).toBe(1);
  expect(statuses(liars.map(({ received }) => received).join(''))).toEqual([503]);
});

test('endless chunks are cut off', async () => {
  const relay = await contact({ fields: fields, env: { UPLOAD_BUDGET: String(2 * mb) } });
  const { socket } = connect(relay);
  socket.write(uploadHead('Transfer-Encoding: chunked'));
  const part = chunk('x'.repeat(65_536));
  while (!socket.destroyed && socket.bytesWritten < 100e6) await write(socket, part);
  expect(socket.bytesWritten).toBeLessThan(20e6);
});

/** A server with a fifth of the usual timeouts, and the requests that it gets. */
async function impatient() {
  const relay = await relayWith();
  const server = createNodeServer(relay.relay.handle);
  expect(Math.max(server.headersTimeout, server.requestTimeout)).toBeLessThanOrEqual(14_000);
  server.requestTimeout /= 5;
  server.headersTimeout /= 5;
  onTestFinished(() => void server.close());
  return { server, origin: `http://127.0.0.1:${await listen(server)}` };
}

test('files may take longer than anything else, as long as data keeps arriving', async () => {
  const relay = await impatient();
  const body = upload(1_000_000);
  const steady = connect(relay);
  const [trickling, silent, ordinary] = [connect(relay), connect(relay), connect(relay)];
  steady.socket.write(uploadHead(`Content-Length: ${body.length}`));
  trickling.socket.write(uploadHead(`Content-Length: ${body.length}`));
  // Fast at first, so that its average speed stays high for long.
  silent.socket.write(post(body).subarray(0, 900_000));
  ordinary.socket.write(postHead('Content-Length: 60000'));
  let at = 0;
  const timer = setInterval(() => {
    steady.socket.write(body.subarray(at, at + 15_000));
    trickling.socket.write('x');
    ordinary.socket.write('x');
    at += 15_000;
  }, 100);
  onTestFinished(() => clearInterval(timer));
  const startedAt = performance.now();
  await Promise.all([trickling.closed, silent.closed, ordinary.closed]);
  expect(statuses(trickling.received)).toEqual([408]);
  expect(statuses(silent.received)).toEqual([408]);
  expect(statuses(ordinary.received)).toEqual([408]);
  await expect.poll(() => steady.received, { timeout: 20_000 }).toMatch(/^HTTP\/1\.1 200 /);
  expect(performance.now() - startedAt).toBeGreaterThan(relay.server.requestTimeout * 2);
}, 60_000);

test('a server that stops waits for uploads in progress, and for those that it refused', async () => {
  const relay = await relayWith({ UPLOAD_BUDGET: String(mb) });
  const server = createNodeServer(relay.relay.handle);
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const body = post(upload(600_000));
  const [taken, refused] = [connect({ origin }), connect({ origin })];
  await write(taken.socket, body.subarray(0, 300_000));
  await fetch(`${origin}/healthz`);
  await write(refused.socket, body.subarray(0, 300_000));
  await expect.poll(() => statuses(refused.received)).toEqual([503]);
  // Far longer than the test may take, so only the connections themselves can end this.
  const closed = closeServer(server, 600_000);
  await expect.poll(() => server.listening).toBe(false);
  await write(refused.socket, body.subarray(300_000));
  await write(taken.socket, body.subarray(300_000));
  await Promise.all([closed, taken.closed, refused.closed]);
  expect(statuses(taken.received)).toEqual([200]);
  expect(statuses(refused.received)).toEqual([503]);
});
