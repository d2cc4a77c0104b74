/**
 * Clients that send far too much still receive the answer, although it arrives while they send: no RST
 * discards it. A client that never stops holds nothing that others need.
 */
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { overloaded } from '../../packages/core/src/http/resolve.ts';
import { readSettings } from '../../packages/core/src/settings.ts';
import { drainBytes } from '../../packages/runtimes/src/node/body_reader.ts';
import { closeServer } from '../../packages/runtimes/src/node/closing.ts';
import { createNodeServer } from '../../packages/runtimes/src/node/server.ts';
import { contact, gate, listen, multipartType } from '../support/index.ts';
import { answersIn, chunk, connect, postHead, smuggled, urlencoded } from './stage.ts';

const fields = '[{name: name}]';
const piece = Buffer.alloc(65_536, 'x');

interface Sent {
  readonly head: string;
  readonly mb: number;
  /** Default: `piece`. */
  readonly part?: string | Buffer;
  /** The last bytes. */
  readonly last?: string;
}

/** Sends everything before reading, as browsers do. Returns the answer, and whether all could be sent. */
async function sendAll(relay: { readonly origin: string }, { head, mb, part = piece, last = '' }: Sent) {
  const wire = connect(relay);
  const { socket } = wire;
  let failure: string | undefined;
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    failure = code;
  });
  socket.pause();
  socket.write(head);
  for (let left = mb * 1e6; left > 0 && !socket.destroyed; left -= part.length) {
    if (!socket.write(part)) await Promise.race([once(socket, 'drain').catch(() => []), wire.closed]);
  }
  socket.write(last);
  socket.resume();
  // The connection may stay open if the body was read completely.
  await Promise.race([
    expect.poll(() => wire.received, { timeout: 30_000 }).toMatch(/\r\n\r\n./),
    wire.closed,
  ]);
  socket.end();
  await wire.closed;
  return { statuses: answersIn(wire.received).map(({ status }) => status), failure };
}

/** Sends forever, fast or one byte at a time, and ignores the relay's end of the connection. */
function sendForEver(relay: { readonly origin: string }, head: string, pauseMs?: number) {
  const socket = net.connect({ port: Number(new URL(relay.origin).port), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const wire = { socket, received: '', closed };
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => {
    wire.received += bytes.toString('latin1');
  });
  const more = () => {
    if (socket.destroyed) return;
    if (pauseMs !== undefined) setTimeout(() => socket.write('x', more), pauseMs);
    else if (socket.write(piece)) setImmediate(more);
    else socket.once('drain', more);
  };
  socket.write(head, more);
  return wire;
}

const requestHead = (line: string, ...lines: readonly string[]) =>
  [`${line} HTTP/1.1`, 'Host: forms.test', ...lines, '', ''].join('\r\n');
const long = (mb: number) => `Content-Length: ${mb * 1_000_000}`;
const throttled = { THROTTLE_RATE_LIMIT: '0.001', THROTTLE_BURST_LIMIT: '1' };
const withFile = '[{name: name}, {name: cv, type: file, accept: [text/plain], max_size: 1MB}]';
const toWebhook = '[{type: webhook, url: $sink, files: base64, mapping: "*"}]';

const early: Record<string, readonly [head: string, status: number, more?: Partial<Sent> & object]> = {
  'too long': [postHead(long(5)), 400],
  'too long, in chunks': [
    postHead('Transfer-Encoding: chunked'),
    400,
    { part: chunk('x'.repeat(65_536)), last: '0\r\n\r\n' },
  ],
  'for a form that is not there': [postHead(long(5)).replace('/contact', '/nobody'), 404],
  'for a path that leads nowhere': [postHead(long(5)).replace('/api/v1/submit/contact', '/nowhere'), 404],
  'of a type that no form takes': [postHead(long(5)).replace(urlencoded, 'text/plain'), 400],
  'with files, to a form without': [postHead(long(5)).replace(urlencoded, multipartType), 400],
  'by another method': [postHead(long(5)).replace('POST', 'PUT'), 405],
  'to a page': [requestHead('GET /healthz', long(5)), 200],
  'that says how long it is in two ways': [postHead(long(5), 'Transfer-Encoding: chunked'), 400],
  'whose chunks are none': [postHead('Transfer-Encoding: chunked'), 400],
  'below headers that are too long': [requestHead('GET /healthz', `X: ${'x'.repeat(30_000)}`, long(5)), 431],
  'whose sender asks first, and does not wait': [postHead(long(5), 'Expect: 100-continue'), 400],
  'after which another request comes': [postHead(long(5)), 400, { last: smuggled }],
};
const ends = { 'stays open': [], closes: ['Connection: close'] };

for (const [what, [head, status, more]] of Object.entries(early)) {
  test.each(Object.entries(ends))(`5 MB ${what}, then it %s: ${status}`, async (_which, lines) => {
    const relay = await contact({ fields });
    const closing = head.replace('\r\n\r\n', ['', ...lines, '', ''].join('\r\n'));
    expect(await sendAll(relay, { head: closing, mb: 5, ...more })).toEqual({
      statuses: [status],
      failure: undefined,
    });
    expect(relay.delivered).toEqual([]);
  });
}

test.each(Object.entries(ends))('5 MB beyond the throttle, and it %s: 429', async (_which, lines) => {
  const relay = await contact({ fields, env: throttled });
  await relay.get('/api/v1/form/contact');
  const sent = await sendAll(relay, { head: postHead(long(5), ...lines), mb: 5 });
  expect(sent).toEqual({ statuses: [429], failure: undefined });
});

test.each([
  ['of 5 MB', 'Content-Length: 5000000', 5],
  ['of 15 MB in chunks', 'Transfer-Encoding: chunked', 15],
  // More than the relay reads before an answer after which the connection could continue.
  ['that says 150 MB, of which 50 come', 'Content-Length: 150000000', 50],
])('files %s to a form that accepts less: 400', async (_what, length, mb) => {
  const relay = await contact({ fields: withFile, outputs: toWebhook });
  const part = length.startsWith('Transfer') ? chunk('x'.repeat(65_536)) : piece;
  for (const lines of Object.values(ends)) {
    const head = postHead(length, ...lines).replace(urlencoded, multipartType);
    expect(await sendAll(relay, { head, mb, part, last: '0\r\n\r\n' })).toEqual({
      statuses: [400],
      failure: undefined,
    });
  }
});

test('a client that never stops gets the answer, and is cut off after about 128 MB', async () => {
  const relay = await contact({ fields });
  const wire = sendForEver(relay, postHead('Content-Length: 100000000000'));
  await expect.poll(() => wire.received).toMatch(/^HTTP\/1\.1 400 /);
  await wire.closed;
  // Besides what the relay has read, the buffers of two sockets hold some bytes.
  expect(wire.socket.bytesWritten).toBeLessThan(160e6);
});

test('after its answer, a slow connection is cut off within seconds', async () => {
  const relay = await contact({ fields });
  const startedAt = performance.now();
  const wire = sendForEver(relay, `${postHead('Content-Length: 8', 'Content-Length: 9')}x`, 100);
  await expect.poll(() => wire.received).toMatch(/^HTTP\/1\.1 400 /);
  await wire.closed;
  // Five seconds, on a machine that is not busy.
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});

test('lingering connections take no place, and their number is limited', async () => {
  const relay = await contact({ fields, env: { CONNECTION_LIMIT: '8' } });
  const waiting = Array.from({ length: 6 }, () => connect(relay));
  await Promise.all(waiting.map(({ socket }) => once(socket, 'connect')));
  const lingering: ReturnType<typeof sendForEver>[] = [];
  for (let n = 0; n < 10; n += 1) {
    const wire = sendForEver(relay, postHead('Content-Length: 8', 'Content-Length: 9'), 100);
    await expect.poll(() => wire.received).toMatch(/^HTTP\/1\.1 400 /);
    lingering.push(wire);
  }
  // With the six connections and this one, eight would be open after the first.
  expect((await relay.submit('contact', [['name', 'Ann']])).status).toBe(200);
  expect(relay.logged.filter(({ event }) => event === 'limit_reached')).toEqual([]);
  // Only a quarter of CONNECTION_LIMIT may linger; the others are closed long before their timeout.
  const open = () => lingering.filter(({ socket }) => !socket.closed).length;
  await expect.poll(open, { timeout: 3_000 }).toBeLessThanOrEqual(2);
});

test('a server that stops waits briefly for lingering connections', async () => {
  const form = await contact({ fields });
  const server = createNodeServer(form.relay.handle, { limits: readSettings({}) });
  const relay = { origin: `http://127.0.0.1:${await listen(server)}` };
  onTestFinished(() => void server.close());
  const endless = sendForEver(relay, postHead('Content-Length: 8', 'Content-Length: 9'), 100);
  await expect.poll(() => endless.received).toMatch(/^HTTP\/1\.1 400 /);
  const large = sendAll(relay, { head: postHead(long(20)), mb: 20 });
  await once(server, 'request');
  const startedAt = performance.now();
  await closeServer(server, 600_000);
  // The time that Node takes to notice that nothing is pending, and a second.
  expect(performance.now() - startedAt).toBeLessThan(4_500);
  await endless.closed;
  expect(await large).toEqual({ statuses: [400], failure: undefined });
});

test('bytes that are not HTTP, sent piecemeal behind a pending request, do not accumulate', async () => {
  const { open: release, opened: released } = gate();
  const server = createNodeServer(async () => {
    await released;
    return { status: 200, headers: {}, body: 'waited for' };
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  onTestFinished(() => void server.close());
  let errors = 0;
  server.on('clientError', () => {
    errors += 1;
  });
  const wire = sendForEver({ origin }, requestHead('GET /'), 5);
  const [, answer] = await once(server, 'request');
  await expect.poll(() => errors).toBeGreaterThan(20);
  expect(answer.listenerCount('close')).toBeLessThan(5);
  release();
  await wire.closed;
  expect(answersIn(wire.received)).toMatchObject([{ status: 200, body: 'waited for' }]);
});

test('bytes sent together with the rest of a body that is not read any further are not a request', async () => {
  const handled: string[] = [];
  const handle = async ({ path }: { readonly path: string }) => {
    handled.push(path);
    return { status: 429, headers: {}, body: '' };
  };
  const admit = ({ path }: { readonly path: string }) => (path === '/refused' ? { refusal: overloaded } : {});
  const server = createNodeServer(Object.assign(handle, { admit }));
  const origin = `http://127.0.0.1:${await listen(server)}`;
  onTestFinished(() => void server.close());
  let read = 0;
  server.once('request', (incoming) => {
    incoming.on('data', ({ length }: Buffer) => {
      read += length;
    });
  });
  // The relay refuses the request after its head. Then 100 bytes more of the body arrive than the relay reads.
  const wire = connect({ origin });
  wire.socket.write(requestHead('POST /refused', `Content-Length: ${drainBytes + 100}`));
  await expect.poll(() => wire.received).toMatch(/^HTTP\/1\.1 429 /);
  wire.socket.write(Buffer.alloc(drainBytes, 'x'));
  await expect.poll(() => read).toBe(drainBytes);
  wire.socket.write(`${'x'.repeat(100)}${requestHead('GET /next')}`);
  wire.socket.end();
  await wire.closed;
  expect(handled).toEqual(['/refused']);
});

test('bytes that arrive too late behind a pending request are not a request', async () => {
  const handled: string[] = [];
  const { open: release, opened: released } = gate();
  const server = createNodeServer(async ({ path }) => {
    handled.push(path);
    await released;
    return { status: 200, headers: {}, body: '' };
  });
  server.headersTimeout = 100;
  const origin = `http://127.0.0.1:${await listen(server)}`;
  onTestFinished(() => void server.close());
  const wire = connect({ origin });
  wire.socket.write(`${requestHead('GET /first')}GET /next HTTP/1.1\r\n`);
  await once(server, 'clientError');
  wire.socket.write('Host: x\r\n\r\n');
  const [late] = await once(server, 'request');
  await Promise.race([once(late, 'end'), sleep(200)]);
  release();
  await wire.closed;
  expect(answersIn(wire.received)).toMatchObject([{ status: 200 }]);
  expect(handled).toEqual(['/first']);
});
