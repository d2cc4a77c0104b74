import dns from 'node:dns';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFuzzing } from '../../../../test/support/fuzz.ts';
import { failureOf, heapMb, httpSink, rawServer } from '../../../../test/support/index.ts';
import type { HttpAnswer, HttpRequest } from '../../../core/src/services.ts';
import { createHttpClient } from '../../src/http/http_client.ts';

let client = createHttpClient();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await client.close();
});

const form = { 'content-type': 'application/x-www-form-urlencoded' };

function post(url: string, more: Partial<HttpRequest> = {}): Promise<HttpAnswer> {
  return client({ url: new URL(url), headers: form, body: 'a=1', timeoutMs: 5000, ...more });
}

const gone = (sockets: ReadonlySet<unknown>) => expect.poll(() => sockets.size, { interval: 5 }).toBe(0);

/** The reason of the failure, which must occur. */
const failure = async (posting: Promise<unknown>) => (await failureOf(posting)).message;

describe('the HTTP client:', () => {
  beforeEach(() => {
    client = createHttpClient();
  });

  describe('a request', () => {
    test('is not delivered if the response comes before all of it was written', async () => {
      const raw = await rawServer({
        piece: (socket) => {
          socket.pause();
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
        },
      });
      const body = 'x'.repeat(16_000_000);
      expect(await post(raw.origin, { body })).toMatchObject({ status: 200, isEarly: true });
    });

    test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433', '[::1]', '10.0.0.1'])(
      'follows neither a redirect from a public address nor someone else’s URL to %s',
      async (host) => {
        const sink = await httpSink();
        const url = `http://${host}:${sink.port}/`;
        expect(
          await failure(
            post(url, { redirectedFrom: { url: new URL('http://192.0.2.1/'), remoteAddress: undefined } }),
          ),
        ).toMatch(/^the redirect goes to a link-local address, or from the internet to a private network/);
        expect(await failure(post(url, { isPublicOnly: true }))).toMatch(/^the address belongs to a private/);
        expect(sink.requests).toEqual([]);
      },
    );

    test('is sent to the checked address after a redirect, even if the DNS answer changes', async () => {
      const answer = (socket: Socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      const checked = await rawServer({ post: answer });
      const other = await rawServer({ post: answer, host: '127.0.0.2', port: checked.port });
      const { lookup } = dns;
      vi.spyOn(dns.promises, 'lookup').mockImplementation((async () => [
        { address: '127.0.0.1', family: 4 },
      ]) as never);
      vi.spyOn(dns, 'lookup').mockImplementation(((_: string, options: object, done: () => void) =>
        lookup('127.0.0.2', options, done)) as never);
      cleanups.push(() => vi.restoreAllMocks());
      const url = `http://hook.test:${checked.port}/`;
      const redirectedFrom = { url: new URL('http://127.0.0.1/'), remoteAddress: undefined };
      await post(url, { redirectedFrom });
      expect(checked.heads[0]).toContain(`\r\nhost: hook.test:${checked.port}\r\n`);
      // A connection that another request opened is not used either.
      await post(url);
      await post(url, { redirectedFrom });
      expect([checked, other].map(({ bodies }) => bodies.length)).toEqual([2, 1]);
    });

    test('remembers the address of the redirecting server, even if the DNS answer changes', async () => {
      const raw = await rawServer({
        post: (socket) => socket.write('HTTP/1.1 307 Moved\r\ncontent-length: 0\r\n\r\n'),
      });
      expect(await post(raw.origin)).toMatchObject({ status: 307, remoteAddress: '127.0.0.1' });
      // By now, its name has a private address.
      const redirectedFrom = { url: new URL('http://localhost/'), remoteAddress: '192.0.2.1' };
      expect(await failure(post(raw.origin, { redirectedFrom }))).toMatch(
        /from the internet to a private network/,
      );
      expect(raw.bodies).toHaveLength(1);
    });

    test.each([
      [{ 'x-a': 'b\r\nx-evil: 1' }, 'the request cannot be sent: invalid x-a header'],
      [{ 'x-a': '日' }, 'the request cannot be sent: invalid x-a header'],
      [{ 'x a': 'b' }, 'the request cannot be sent: invalid header key'],
      [{ 'transfer-encoding': 'chunked' }, 'the request cannot be sent: invalid transfer-encoding header'],
      [{ expect: '100-continue' }, 'the request cannot be sent: expect header not supported'],
      [{ 'content-length': '99' }, /^the request cannot be sent: /],
    ])('with the headers %j is not sent', async (headers, reason) => {
      const sink = await httpSink();
      expect(await failure(post(sink.origin, { headers }))).toMatch(reason);
      expect(sink.requests).toEqual([]);
    });
  });

  describe('a response', () => {
    test('is requested without a content coding, unless the owner sets one, and is not decoded', async () => {
      const sink = await httpSink({
        answer: () => ({ headers: { 'content-encoding': 'gzip' }, body: '{}' }),
      });
      expect(await post(sink.origin)).toMatchObject({ status: 200, body: '{}', isCut: false });
      await post(sink.origin, { headers: { ...form, 'accept-encoding': 'gzip' } });
      expect(sink.requests.map(({ headers }) => headers['accept-encoding'])).toEqual(['identity', 'gzip']);
    });

    test.each(['keep-alive', 'close'])(
      'a body slightly over the limit is cut off, and the next is complete (%s)',
      async (connection) => {
        const sink = await httpSink({
          answer: ({ body }) => ({ headers: { connection }, body: 'x'.repeat(Number(body)) }),
        });
        for (const sizeBytes of [65_537, 65_600, 70_000, 140_000]) {
          const cut = await post(sink.origin, { body: String(sizeBytes) });
          expect(cut).toMatchObject({ status: 200, body: 'x'.repeat(65_536) });
          expect((await post(sink.origin, { body: '3' })).body).toBe('xxx');
        }
      },
    );
  });

  describe('a response counts as soon as its final status has arrived:', () => {
    const cut = 'content-length: 9\r\n\r\nabc';
    const endings = {
      end: (socket: Socket) => socket.end(),
      reset: (socket: Socket) => setTimeout(() => socket.resetAndDestroy(), 20),
      silence: () => {},
    };

    test.each([
      [200, 'end', `HTTP/1.1 200 OK\r\n${cut}`],
      [200, 'reset', `HTTP/1.1 200 OK\r\n${cut}`],
      [200, 'silence', `HTTP/1.1 200 OK\r\n${cut}`],
      [200, 'reset', 'HTTP/1.1 200 OK\r\n\r\nabc'],
      [200, 'end', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nabc'],
      [200, 'silence', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nsecret'],
      [303, 'end', `HTTP/1.1 303 See Other\r\nlocation: /\r\n${cut}`],
      [500, 'end', `HTTP/1.1 500 Oops\r\n${cut}`],
    ] as const)('a %i whose body is cut off by %s', async (status, ending, bytes) => {
      const raw = await rawServer({
        post: (socket) => {
          socket.write(bytes);
          endings[ending](socket);
        },
      });
      const answer = await post(raw.origin, { timeoutMs: 1_000 });
      expect(answer).toMatchObject({ status, isCut: !bytes.endsWith('OK\r\n\r\nabc') || ending !== 'end' });
      // Node's own client drops the bytes that came in one piece with the error.
      expect(answer.body).toBe('abc');
      expect(raw.bodies).toHaveLength(1);
      await gone(raw.open);
    });
  });

  describe('a failure', () => {
    const secret = '/secret-path?token=secret';
    const silent = (reason: string) => expect(reason).not.toMatch(/secret|127\.0\.0\.1/);

    test.each([
      ['the response is not HTTP', 'SSH-2.0-secret\r\n'],
      ['the response is not HTTP', 'HTTP/1.1 abc secret\r\n\r\n'],
      ['the response is not HTTP', 'HTTP/1.1 200 OK\r\nbad header secret\r\n\r\n'],
      ["the response's headers are too long", `HTTP/1.1 200 OK\r\nx: ${'secret'.repeat(10_000)}\r\n\r\n`],
    ])('%s, is reported without quoting the response', async (reason, bytes) => {
      const raw = await rawServer({ post: (socket) => socket.write(bytes) });
      const message = await failure(post(raw.origin + secret));
      expect(message).toBe(reason);
      silent(message);
      await gone(raw.open);
    });
  });

  test.each([
    ['an answer', ''],
    ['the rest of the headers', 'HTTP/1.1 200 OK\r\nx: '],
    ['the final status', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('the timeout ends a wait for %s, and the connection', async (_what, start) => {
    const raw = await rawServer({ post: (socket) => socket.write(start) });
    const begin = performance.now();
    expect(await failure(post(raw.origin, { timeoutMs: 120 }))).toBe('no complete response within 120 ms');
    expect(performance.now() - begin).toBeLessThan(10_000);
    await gone(raw.open);
  });

  test('bytes are read up to their own limit, and completely', async () => {
    const sink = await httpSink({ answer: () => ({ body: 'x'.repeat(100_000) }) });
    const raw = await rawServer({
      post: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'),
    });
    const read = (origin: string, limitBytes: number) =>
      client.bytes({
        method: 'POST',
        url: new URL(origin),
        headers: {},
        body: '',
        timeoutMs: 5_000,
        limitBytes,
      });
    expect(await read(sink.origin, 200_000)).toMatchObject({ status: 200, isCut: false });
    expect((await read(sink.origin, 200_000)).body).toHaveLength(100_000);
    expect((await read(sink.origin, 70_000)).body).toHaveLength(70_000);
    expect(await read(sink.origin, 70_000)).toMatchObject({ isCut: true });
    await expect(read(raw.origin, 70_000)).rejects.toMatchObject({
      message: 'the connection closed before the response was complete',
      retryAfterMs: 0,
    });
  });

  test('a connection that the server closed while it was idle is not used again', async () => {
    const headers = { connection: 'keep-alive', 'keep-alive': '' };
    const sink = await httpSink({ server: { keepAliveTimeout: 300 }, answer: () => ({ headers }) });
    const pausesMs = [0, 400, 1, ...(isFuzzing ? [150, 600] : [])];
    for (const pauseMs of pausesMs) {
      await sleep(pauseMs);
      await post(sink.origin);
    }
    expect(sink.requests).toHaveLength(pausesMs.length);
  });
});

describe("the server's client", () => {
  beforeEach(() => {
    client = createHttpClient();
  });

  test('never writes a POST that waited too long in the queue', async () => {
    const waiting: (() => void)[] = [];
    const sink = await httpSink({
      answer: ({ body }) =>
        body === 'first' ? new Promise((resolve) => waiting.push(() => resolve({}))) : Promise.resolve({}),
    });
    const first = Array.from({ length: 256 }, () => post(sink.origin, { body: 'first' }));
    await expect.poll(() => waiting.length).toBe(256);
    const late = Array.from({ length: 300 }, () =>
      failure(post(sink.origin, { body: 'late', timeoutMs: 50 })),
    );
    expect(new Set(await Promise.all(late))).toEqual(new Set(['no complete response within 50 ms']));
    const patient = post(sink.origin, { body: 'patient' });
    for (const release of waiting) release();
    await Promise.all(first);
    expect((await patient).status).toBe(200);
    expect(sink.requests.filter(({ body }) => body === 'late')).toEqual([]);
    // The expired requests did not open connections either.
    expect(sink.connections).toBe(256);
  });

  test('unused origins leave nothing behind', async () => {
    const raw = await rawServer({
      post: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
      host: '0.0.0.0',
    });
    // Every address of 127.0.0.0/8 is this machine, just as all names in hostile redirects may be one server.
    const visit = async (network: number) => {
      for (let host = 1; host <= 100; host++) await post(`http://127.0.${network}.${host}:${raw.port}`);
      await gone(raw.open);
      return heapMb();
    };
    const before = await visit(1);
    await visit(2);
    // Each origin would take 23 KB.
    expect((await visit(3)) - before).toBeLessThan(3);
  });
});
