/**
 * The relay and any proxy in front of it must agree where one request ends and the next begins. Ambiguous
 * requests are refused, and later bytes on the connection are never served.
 */
import { contact } from '../support/index.ts';
import { answersIn, chunk, connect, exchange, postHead, smuggled } from './stage.ts';

const fields = '[{name: name}]';

/** A complete chunked body, and bytes that a server which uses Content-Length takes for the next request. */
const chunked = `${chunk('name=Ann')}0\r\n\r\n`;

/** test/promises/areas/wire.ts covers the others. */
const ambiguous: Record<string, string> = {
  'two equal lengths': `${postHead('Content-Length: 8', 'Content-Length: 8')}name=Ann`,
  'a bare CR between headers': `POST /api/v1/submit/contact HTTP/1.1\r\nHost: x\rContent-Length: 8\r\n\r\nname=Ann`,
  'a length in the trailers': `${postHead('Transfer-Encoding: chunked')}${chunk('name=Ann')}0\r\nContent-Length: 99\r\n\r\n`,
};

test.each(Object.keys(ambiguous))('%s: refused, and nothing after it is served', async (what) => {
  const relay = await contact({ fields });
  const answers = answersIn(await exchange(relay, ambiguous[what] + smuggled));
  // A mistake in its body may already have been refused; there is never more than this one answer.
  expect(answers.map(({ status }) => status)).toEqual([400]);
  expect(JSON.parse(answers[0]?.body ?? '')).toEqual({ error: expect.any(String) });
  expect(answers[0]?.head).toMatch(/^connection: close$/im);
  expect(relay.delivered).toEqual([]);
});

test.each([
  ['gzip, chunked', 501],
  ['identity, chunked', 501],
  ['gzip\r\nTransfer-Encoding: chunked', 501],
  // Node refuses bodies with an unknown end.
  ['chunked, chunked', 400],
  ['gzip', 400],
])('a body in the transfer coding %j is refused, and nothing after it is served', async (codings, status) => {
  const relay = await contact({ fields });
  const bytes = postHead(`Transfer-Encoding: ${codings}`) + chunked;
  const answers = answersIn(await exchange(relay, bytes + smuggled));
  expect(answers.map((answer) => answer.status)).toEqual([status]);
  expect(answers[0]?.head).toMatch(/^connection: close$/im);
  expect(relay.delivered).toEqual([]);
});

describe('unambiguous requests are served', () => {
  const isChunked = postHead('Transfer-Encoding: chunked', 'Connection: close');

  test.each([
    ['leading zeros of a chunk size', `${isChunked}0008\r\nname=Ann\r\n0\r\n\r\n`],
    ['an encoding in capitals', `${isChunked.replace('chunked', 'CHUNKED')}${chunked}`],
    ['leading zeros of a length', `${postHead('Content-Length: 0008', 'Connection: close')}name=Ann`],
    ['empty lines before a request', `\r\n\r\n${postHead('Content-Length: 8', 'Connection: close')}name=Ann`],
    [
      'a name with an underscore is another name',
      `${postHead('Content_Length: 3', 'Content-Length: 8', 'Connection: close')}name=Ann`,
    ],
  ])('%s', async (_what, bytes) => {
    const relay = await contact({ fields });
    expect(answersIn(await exchange(relay, bytes)).map(({ status }) => status)).toEqual([200]);
    expect(relay.delivered).toEqual([[['name', 'Ann']]]);
  });

  test('the body of a GET is read as its body, not as the next request', async () => {
    const relay = await contact({ fields });
    const get = `GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\nConnection: close\r\n\r\n`;
    expect(answersIn(await exchange(relay, get + smuggled)).map(({ status }) => status)).toEqual([200]);
    expect(relay.delivered).toEqual([]);
  });

  test('`Connection: content-length` removes no header', async () => {
    const relay = await contact({ fields });
    const bytes = `${postHead('Connection: close, content-length, content-type', 'Content-Length: 8')}name=Ann`;
    expect(answersIn(await exchange(relay, bytes)).map(({ status }) => status)).toEqual([200]);
    expect(relay.delivered).toEqual([[['name', 'Ann']]]);
  });
});

describe('pipelined requests', () => {
  test('end with the first invalid one: earlier ones are answered, later ones never served', async () => {
    const relay = await contact({ fields });
    const good = `${postHead('Content-Length: 8')}name=Ann`;
    const received = await exchange(relay, `${good}BROKEN\r\n\r\n${smuggled}`);
    // A 400 here would look like the answer to the first.
    expect(answersIn(received).map(({ status }) => status)).toEqual([200]);
    expect(relay.delivered).toEqual([[['name', 'Ann']]]);
  });

  test('an invalid body of the last one is refused after the others are answered', async () => {
    const relay = await contact({ fields });
    const good = `${postHead('Content-Length: 8')}name=Ann`;
    const received = await exchange(relay, `${good}${good}${postHead('Transfer-Encoding: chunked')}zz\r\n`);
    expect(answersIn(received).map(({ status }) => status)).toEqual([200, 200, 400]);
    expect(relay.delivered).toHaveLength(2);
  });

  test('by the thousand do not make the relay hold a thousand answers', async () => {
    const relay = await contact({ fields });
    const wire = connect(relay);
    wire.socket.pause();
    const gets = 'GET /api/v1/form/contact HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5_000);
    wire.socket.write(gets);
    // Others are served meanwhile.
    expect((await relay.submit('contact', [['name', 'Ann']])).status).toBe(200);
    wire.socket.on('error', () => undefined).resume();
    await wire.closed;
    // The relay closes the connection after the first few.
    const statuses = wire.received.match(/^HTTP\/1\.1 \d+/gm) ?? [];
    expect(statuses.length).toBeLessThan(100);
    expect(statuses.filter((status) => status !== 'HTTP/1.1 200')).toEqual([]);
  });
});

describe('Expect', () => {
  test('100-continue with an immediate body does not end the connection', async () => {
    const relay = await contact({ fields });
    const asking = `${postHead('Content-Length: 8', 'Expect: 100-continue')}name=Ann`;
    const bytes = `${asking}${postHead('Content-Length: 8', 'Connection: close')}name=Bob`;
    const answers = answersIn((await exchange(relay, bytes)).replace('HTTP/1.1 100 Continue\r\n\r\n', ''));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(relay.delivered).toHaveLength(2);
  });

  test.each(['200-ok', '100-continue, x', 'x=100-continue', ''])(
    'an unknown expectation causes no confusion: %j',
    async (expectation) => {
      const relay = await contact({ fields });
      const bytes = `${postHead('Content-Length: 8', `Expect: ${expectation}`, 'Connection: close')}name=Ann${smuggled}`;
      const answers = answersIn((await exchange(relay, bytes)).replace('HTTP/1.1 100 Continue\r\n\r\n', ''));
      expect(answers).toHaveLength(1);
      expect(answers[0]?.status).toBe(200);
      expect(relay.delivered).toEqual([[['name', 'Ann']]]);
    },
  );
});

/**
 * Node's parser drops bytes that arrive together with the end of such a request. So its answer is the last
 * one, and says so: a client that sent more knows that it must send the rest again (RFC 9112, 9.3.2).
 */
describe('a request with `Upgrade` is answered in HTTP/1.1, and is the last on its connection', () => {
  const h2c = [
    'Upgrade: h2c',
    'Connection: Upgrade, HTTP2-Settings',
    'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
  ];
  const webSocket = ['Upgrade: websocket', 'Connection: keep-alive, UPGRADE', 'Sec-WebSocket-Version: 13'];
  const get = (path: string, version: string, ...lines: readonly string[]) =>
    [`GET ${path} HTTP/${version}`, 'Host: x', ...lines, '', ''].join('\r\n');
  const more = `${postHead('Content-Length: 9')}name=more`;

  test.each<[what: string, bytes: string, status: number, delivered: readonly string[]]>([
    ['without a body', get('/healthz', '1.1', ...h2c), 200, []],
    ['of WebSocket', get('/healthz', '1.1', ...webSocket), 200, []],
    ['which `Connection` does not name', get('/healthz', '1.1', 'Upgrade: h2c'), 200, []],
    ['of HTTP/1.0', get('/healthz', '1.0', 'Upgrade: x', 'Connection: upgrade, keep-alive'), 200, []],
    ['to what is not there', get('/nowhere', '1.1', ...h2c), 404, []],
    ['with a body', `${postHead('Content-Length: 8', ...h2c)}name=Ann`, 200, ['Ann']],
    ['with a chunked body', postHead('Transfer-Encoding: chunked', ...h2c) + chunked, 200, ['Ann']],
    [
      'with a body to what is not there',
      get('/nowhere', '1.1', 'Content-Length: 8', ...h2c)
        .replace('GET', 'POST')
        .concat('name=Ann'),
      404,
      [],
    ],
  ])('%s', async (_what, bytes, status, delivered) => {
    // Sent in one write and in two, because the parser handles these differently.
    for (const isTogether of [true, false]) {
      const relay = await contact({ fields });
      const wire = connect(relay);
      wire.socket.write(bytes + (isTogether ? more : ''));
      if (!isTogether) wire.socket.once('data', () => wire.socket.write(more));
      await wire.closed;
      const answers = answersIn(wire.received);
      expect(answers.map(({ status }) => status)).toEqual([status]);
      expect(answers[0]?.head).toMatch(/^connection: close$/im);
      expect(relay.delivered.flat().map(([, value]) => value)).toEqual(delivered);
    }
  });

  test('that may send its body', async () => {
    const relay = await contact({ fields });
    const wire = connect(relay);
    wire.socket.write(postHead('Content-Length: 8', 'Expect: 100-continue', ...h2c));
    wire.socket.once('data', () => wire.socket.write(`name=Ann${more}`));
    await wire.closed;
    expect(wire.received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
    expect(relay.delivered).toEqual([[['name', 'Ann']]]);
  });

  test('after earlier requests', async () => {
    const relay = await contact({ fields });
    const bytes = `${more}${postHead('Content-Length: 8', ...h2c)}name=Ann${more}`;
    const answers = answersIn(await exchange(relay, bytes));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(({ head }) => /^connection: close$/im.test(head))).toEqual([false, true]);
    expect(relay.delivered).toHaveLength(2);
  });
});
