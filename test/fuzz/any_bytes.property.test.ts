/** Arbitrary bytes on a connection to the real server. */
import net from 'node:net';
import fc from 'fast-check';
import { createNodeServer } from '../../packages/runtimes/src/node/server.ts';
import { createRelay } from '../support/bare_relay.ts';
import { holds, runs } from '../support/fuzz.ts';
import { listen } from '../support/listen.ts';

const config = `forms:
  contact:
    fields: [{name: a}]
    redirect: https://example.com/thanks
    outputs: [{type: http_post, url: "http://sink.test/", mapping: "*"}]
`;
let delivered: string[] = [];
const relay = createRelay({
  config,
  env: { THROTTLE_RATE_LIMIT: '1000000000', THROTTLE_BURST_LIMIT: '1000000000' },
  effects: {
    log: () => {},
    http: async ({ body }) => {
      delivered.push(body);
      return { status: 200, headers: {}, body: '' };
    },
  },
});
const server = createNodeServer(relay.handle);
const broken: unknown[] = [];
const onBroken = (reason: unknown) => void broken.push(reason);
let port = 0;
beforeAll(async () => {
  process.on('unhandledRejection', onBroken).on('uncaughtException', onBroken);
  port = await listen(server);
});
afterAll(async () => {
  process.off('unhandledRejection', onBroken).off('uncaughtException', onBroken);
  await new Promise((resolve) => server.close(resolve));
  await relay.close();
});

/** Writes the bytes in two parts, closes, and waits until the relay has closed, too. */
const exchange = (bytes: Buffer, cut: number) =>
  new Promise<string>((resolve) => {
    let received = '';
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    // After refusing, a relay closes connections that continue to send.
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
    socket.write(bytes.subarray(0, cut));
    setImmediate(() => socket.end(bytes.subarray(cut)));
  });

const urlencoded = 'Content-Type: application/x-www-form-urlencoded\r\n';
const startLines = [
  ...['POST /api/v1/submit/contact HTTP/1.1', 'POST /api/v1/submit/contact HTTP/1.1'],
  ...['POST http://forms.test/api/v1/submit/contact HTTP/1.1', 'POST /api/v1/submit/nobody HTTP/1.0'],
  ...['GET /api/v1/form/contact?a=1 HTTP/1.1', 'GET /healthz HTTP/1.0'],
  ...['HEAD /api/v1/form/contact HTTP/1.1', 'OPTIONS /api/v1/submit/contact HTTP/1.1'],
  ...['PUT /api/v1/submit/contact HTTP/1.1', 'OPTIONS * HTTP/1.1', 'CONNECT a:1 HTTP/1.1'],
  ...['PRI * HTTP/2.0', 'GET /'],
];
const fields = [
  ...['Host: a', 'Content-Length: 3', 'Content-Length: 3, 3', 'Content-Length: 99999'],
  ...['Content-Length: -1', 'Transfer-Encoding: chunked', 'Transfer-Encoding: gzip, chunked'],
  ...['Expect: 100-continue', 'Expect: x', 'Connection: close'],
  ...['Connection: upgrade\r\nUpgrade: websocket', 'HX-Request: true', 'Accept: text/html', ' folded'],
  ...[': none', 'a\0b: c', `X: ${'x'.repeat(20_000)}`],
];
const bodies = [
  ...['', 'a=1', 'a=%', '3\r\na=1\r\n0\r\n\r\n', '0;x=y\r\nTrailer: a\r\n\r\n', 'ffffffffffffffff1\r\n'],
  ...['1;', 'x'.repeat(70_000)],
];
const endless = `1;${'x'.repeat(17_000)}\r\n`;

/** A request as written by a client or an attacker. */
const request = fc
  .tuple(
    fc.constantFrom(...startLines),
    fc.constantFrom('Host: forms.test\r\n', 'Host: forms.test\r\n', ''),
    fc.constantFrom(urlencoded, ''),
    fc.array(fc.constantFrom(...fields), { maxLength: 3 }),
    fc.constantFrom(...bodies, endless),
  )
  .map(
    ([start, host, type, more, body]) =>
      `${start}\r\n${host}${type}${more.map((line) => `${line}\r\n`).join('')}\r\n${body}`,
  );
const damaged = fc
  .tuple(
    request,
    fc.nat(),
    fc.nat({ max: 9 }),
    fc.constantFrom('', '\r', '\n', '\r\n', '\0', '\xff', ' ', ':'),
  )
  .map(([text, at, length, some]) => text.slice(0, at % 300) + some + text.slice((at % 300) + length));
const bytes = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .array(fc.oneof({ weight: 3, arbitrary: request }, damaged), { minLength: 1, maxLength: 3 })
      .map((requests) => Buffer.from(requests.join(''), 'latin1')),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((some) => Buffer.from(some)) },
);

/** A valid POST, so that the answers to what precedes or follows it can be counted. */
const post = (more = '') =>
  `POST /api/v1/submit/contact HTTP/1.1\r\nHost: forms.test\r\n${urlencoded}${more}Content-Length: 3\r\n\r\na=1`;

/** A head that ends the connection: a POST before it is still answered. */
const closing = [
  `POST /api/v1/submit/contact HTTP/1.1\r\nHost: a\r\n${urlencoded}Expect: 100-continue\r\nContent-Length: 99999\r\n\r\n`,
  'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
];

const statuses = [100, 200, 204, 303, 400, 404, 405, 408, 413, 417, 422, 431, 500, 501];

/** The expected statuses, with a request for each: all must occur, whatever the generator produces. */
const oneOfEach: [status: number, sent: string][] = [
  [100, post('Expect: 100-continue\r\n')],
  [200, post()],
  [204, 'OPTIONS /api/v1/submit/contact HTTP/1.1\r\nHost: a\r\n\r\n'],
  [303, post('Accept: text/html\r\n')],
  [400, 'GET / HTTP/1.1\r\n\r\n'],
  [404, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  [405, 'PUT /api/v1/submit/contact HTTP/1.1\r\nHost: a\r\n\r\n'],
  [413, post().replace(/Content-Length.*/s, `Transfer-Encoding: chunked\r\n\r\n${endless}`)],
  [431, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
];

/** The answers in order, split by their own headers. Throws if an answer is malformed. */
function statusesIn(received: string): number[] {
  const found: number[] = [];
  for (let rest = received; rest !== ''; ) {
    const [head = '', status = '', fields = ''] =
      /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n((?:[!-9;-~]+: [^\r\n]*\r\n)*)\r\n/.exec(rest) ?? [];
    if (head === '') throw new Error(`this is no answer: ${rest.slice(0, 200)}`);
    const length = Number(/^content-length: (\d+)\r$/im.exec(fields)?.[1] ?? 0);
    const body = rest.slice(head.length, head.length + length);
    if (body.length < length) throw new Error('the answer is cut off');
    if (/^content-type: application\/(problem\+)?json/im.test(fields)) JSON.parse(body || '{}');
    else if (length > 0) expect(fields).toMatch(/^x-content-type-options: nosniff\r$/im);
    found.push(Number(status));
    rest = rest.slice(head.length + length);
  }
  return found;
}

test('any bytes get valid answers, and the relay keeps running', async () => {
  const seen = new Set<number>();
  await holds(
    {
      ...runs(50),
      examples: [...closing, ...oneOfEach.map(([, sent]) => sent)].map((text): [Buffer, boolean, number] => [
        Buffer.from(text),
        true,
        0,
      ]),
    },
    [bytes, fc.boolean(), fc.nat()],
    async (some, isAfterPost, cut) => {
      delivered = [];
      const sent = isAfterPost ? Buffer.concat([Buffer.from(post()), some]) : some;
      const found = statusesIn(await exchange(sent, sent.length === 0 ? 0 : cut % sent.length));
      for (const status of found) seen.add(status);
      expect(statuses).toEqual(expect.arrayContaining(found));
      // These were the answers to relayed submissions.
      expect(delivered.length).toBeLessThanOrEqual(
        found.filter((status) => status === 200 || status === 303).length,
      );
      if (isAfterPost) expect([found[0], delivered[0]]).toEqual([200, 'a=1']);
    },
  );
  expect([...seen]).toEqual(expect.arrayContaining(oneOfEach.map(([status]) => status)));
  expect(broken).toEqual([]);
  delivered = [];
  expect(statusesIn(await exchange(Buffer.from(post('Connection: close\r\n')), 0))).toEqual([200]);
  expect(delivered).toEqual(['a=1']);
});
