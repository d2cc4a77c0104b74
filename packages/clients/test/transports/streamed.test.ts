import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { createClientInPieces } from '../../../../test/support/in_pieces.ts';
import { ClientError, failureOf, gate, httpSink, rawServer } from '../../../../test/support/index.ts';
import type { Streamed } from '../../../base/src/streamed.ts';
import type { HttpClient } from '../../../core/src/services.ts';
import { createHttpClient } from '../../src/http/http_client.ts';

let http = createHttpClient();
afterEach(async () => {
  await http.close();
  http = createHttpClient();
});

const pieceBytes = 65_536;

/** This many pieces with different contents, and a short one. */
function numbered(count: number): Streamed & { readonly made: number } {
  let made = 0;
  return {
    byteLength: count * pieceBytes + 5,
    *pieces() {
      for (let nth = 0; nth < count; nth += 1) {
        made += 1;
        yield Buffer.alloc(pieceBytes, `${nth},`);
      }
      yield Buffer.from('over!');
    },
    get made() {
      return made;
    },
  };
}

const all = ({ pieces }: Streamed) => Buffer.concat([...pieces()]);
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('a body sent in pieces', () => {
  const post = (url: string, streamed: Streamed, timeoutMs = 60_000) =>
    http({ url: new URL(url), headers: { 'content-type': 'a/b' }, body: '', streamed, timeoutMs });

  test('arrives complete with its length, each time it is sent, over a reused connection', async () => {
    const sink = await httpSink();
    const send = http;
    const streamed = numbered(100);
    for (let turn = 0; turn < 3; turn += 1) {
      const answer = await send({
        url: new URL(sink.origin),
        headers: { 'content-type': 'a/b' },
        body: '',
        streamed,
        timeoutMs: 60_000,
      });
      expect(answer.status).toBe(200);
      expect(answer.isEarly ?? false).toBe(false);
    }
    expect(sink.requests.map(({ bytes }) => hash(bytes))).toEqual(Array(3).fill(hash(all(streamed))));
    expect(sink.requests[0]?.headers).toMatchObject({
      'content-type': 'a/b',
      'content-length': String(streamed.byteLength),
    });
    expect(sink.connections).toBe(1);
  });

  test('is produced as fast as the server reads it', async () => {
    let reader: net.Socket | undefined;
    const { origin } = await rawServer({
      connect: (socket) => {
        reader = socket.pause();
      },
      post: (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
    });
    const streamed = numbered(1_500);
    const posting = post(origin, streamed);
    await expect.poll(() => streamed.made).toBeGreaterThan(0);
    // Wait until the buffers between the two are full.
    let before = -1;
    const hasStopped = () => {
      const isSame = streamed.made === before;
      before = streamed.made;
      return isSame;
    };
    await expect.poll(hasStopped, { interval: 200 }).toBe(true);
    expect(streamed.made).toBeLessThan(1_000);
    reader?.resume();
    expect((await posting).status).toBe(204);
  });

  test.each([
    [413, 'HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\n\r\nno', 'silence'],
    [413, 'HTTP/1.1 413 Content Too Large\r\nconnection: close\r\n\r\nno', 'end'],
    [413, 'HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno', 'reset'],
    [200, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', 'silence'],
  ])(
    'stops if the server responds with %i before it has the whole request (%#)',
    async (status, bytes, then) => {
      const { origin } = await rawServer({
        piece: (socket) => {
          socket.pause();
          socket.write(bytes, () => {
            // A reset may overtake the response.
            if (then === 'end') socket.end();
            else if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 100);
          });
        },
      });
      const streamed = numbered(4_000);
      expect(await post(origin, streamed)).toMatchObject({ status, isEarly: true });
      const { made } = streamed;
      expect(made).toBeLessThan(1_000);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(streamed.made).toBeLessThanOrEqual(made + 1);
    },
  );

  test.each(['destroy', 'resetAndDestroy', 'end'] as const)(
    'fails if the server disconnects (%s)',
    async (cut) => {
      // The server will not respond any more.
      const { origin } = await rawServer({ piece: (socket) => socket.pause()[cut]() });
      const error = await failureOf(post(origin, numbered(4_000)));
      expect(error).toBeInstanceOf(ClientError);
      expect(error).toMatchObject({ code: 'closed', retryAfterMs: 0 });
    },
  );

  test('ends with its timeout, and is not produced any further', async () => {
    const { origin } = await rawServer({ connect: (socket) => void socket.pause() });
    const streamed = numbered(4_000);
    expect(await failureOf(post(origin, streamed, 300))).toMatchObject({ code: 'timed_out' });
    const { made } = streamed;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(streamed.made).toBeLessThanOrEqual(made + 1);
  });

  test('fails if it is shorter or longer than announced', async () => {
    const sink = await httpSink();
    for (const byteLength of [4, 6]) {
      const lying = { byteLength, pieces: () => [Buffer.from('five!')] };
      expect(await failureOf(post(sink.origin, lying))).toMatchObject({ code: 'request_malformed' });
    }
    expect(sink.requests).toEqual([]);
  });
});

test('close waits for a streamed request, and rejects those after it', async () => {
  const { open: answer, opened: answered } = gate();
  const sink = await httpSink({
    answer: async () => {
      await answered;
      return { status: 201 };
    },
  });
  const post = () =>
    http({ url: new URL(sink.origin), headers: {}, body: '', streamed: numbered(3), timeoutMs: 60_000 });
  const sent = post();
  await expect.poll(() => sink.requests.length).toBe(1);

  let isClosed = false;
  const closed = http.close().then(() => {
    isClosed = true;
  });
  await expect(post()).rejects.toMatchObject({ code: 'client_closed' });
  expect(isClosed).toBe(false);
  answer();

  expect((await sent).status).toBe(201);
  await closed;
  expect(sink.requests.map(({ bytes }) => hash(bytes))).toEqual([hash(all(numbered(3)))]);
});

/** Tests that an unsolicited response is never taken for the response to a POST that the server did not accept. */

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

const closedLater = <C extends { close(): Promise<void> }>(client: C): C => {
  onTestFinished(() => client.close());
  return client;
};

const clients: readonly [string, () => HttpClient][] = [
  ['http_client', () => closedLater(createHttpClient())],
  ['http_client, streaming', () => closedLater(createClientInPieces())],
];

/**
 * In a process of its own, the server writes while this process is busy: to each first request on a
 * connection, and again 30 ms later.
 */
const speakingTwice = `
const answer = (body) => 'HTTP/1.1 200 OK\\r\\ncontent-length: ' + body.length + '\\r\\n\\r\\n' + body;
require('node:net').createServer((socket) => {
  socket.on('error', () => {}).once('data', () => {
    socket.write(answer('ok'));
    setTimeout(() => socket.write(answer('unasked')), 30);
  });
}).listen(0, '127.0.0.1', function () { process.send(this.address().port); });`;

test('a response that came while this process was busy is not taken for another', async () => {
  const server = spawn(process.execPath, ['-e', speakingTwice], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void server.kill());
  const [port] = await once(server, 'message');
  const client = closedLater(createHttpClient());
  const send = () =>
    client({ url: new URL(`http://127.0.0.1:${port}/`), headers: {}, body: 'a;', timeoutMs: 5_000 });
  expect(await send()).toMatchObject({ body: 'ok' });
  // A visitor's request is read together with other sockets, and handling it takes a while.
  const second = new Promise<ReturnType<typeof send>>((resolve) => {
    const visited = net.createServer((socket) => {
      socket.once('data', () => {
        for (const until = performance.now() + 150; performance.now() < until; );
        resolve(send());
        visited.close();
        socket.destroy();
      });
    });
    visited.listen(0, '127.0.0.1', () =>
      net.connect((visited.address() as AddressInfo).port, '127.0.0.1').end('x'),
    );
  });
  expect(await second).toMatchObject({ body: 'ok' });
});

describe.each(clients)('%s', (_, createClient) => {
  const sender = (origin: string) => {
    const client = createClient();
    return (body: number) =>
      client({ url: new URL(origin), headers: {}, body: `${body};`, timeoutMs: 5_000 });
  };

  test.each([
    ['another answer', answer],
    ['half of one', answer.slice(0, 20)],
    ['an early hint', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['what is not HTTP', '\0\r\n'],
  ])('%s on an idle connection: it is not used again', async (_, bytes) => {
    const server = await rawServer({ post: (socket) => socket.write(answer) });
    const send = sender(server.origin);
    for (const body of [1, 2, 3]) {
      expect(await send(body)).toMatchObject({ status: 200, body: 'ok' });
      const sockets = [...server.open];
      await Promise.all(
        sockets.map((socket) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()))),
      );
    }
    expect(server.bodies).toEqual(['1;', '2;', '3;']);
    expect(server.connections).toBe(3);
  });

  test.each([
    ['an answer', answer],
    ['half of one', answer.slice(0, 20)],
  ])('%s as soon as the connection is open: the POST fails, and was never sent', async (_, bytes) => {
    const server = await rawServer({ connect: (socket) => socket.write(bytes) });
    await expect(sender(server.origin)(1)).rejects.toMatchObject({
      code: 'answered_unasked',
      retryAfterMs: 0,
      isUnsent: true,
    });
    expect(server.bodies).toEqual([]);
  });

  test('after unsolicited bytes, the client listens for a moment before a POST to that server', async () => {
    let delayMs = 0;
    const server = await rawServer({
      connect: (socket) => {
        if (delayMs === 0) socket.write(answer);
        else setTimeout(() => socket.write(answer), delayMs);
      },
    });
    const send = sender(server.origin);
    await expect(send(1)).rejects.toMatchObject({ code: 'answered_unasked' });
    delayMs = 10;
    await expect(send(2)).rejects.toMatchObject({ code: 'answered_unasked' });
    expect(server.bodies).toEqual([]);
  });
});
