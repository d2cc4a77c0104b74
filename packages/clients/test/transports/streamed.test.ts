import { createHash } from 'node:crypto';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { httpSink } from '../../../../test/spec/stage.ts';
import { ClientError, failureOf } from '../../../../test/support/failed.ts';
import type { Streamed } from '../../../base/src/streamed.ts';
import { createHttpClient } from '../../src/http/http_client.ts';

let http = createHttpClient();
afterEach(async () => {
  await http.close();
  http = createHttpClient();
});

const pieceBytes = 65_536;

/** As many pieces, each of another content, and a short one. */
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

/** A server that runs a function with the socket of each connection, which is paused. */
async function startRaw(serve: (socket: net.Socket) => void): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('a body sent in pieces', () => {
  const post = (url: string, streamed: Streamed, timeoutMs = 60_000) =>
    http({ url: new URL(url), headers: { 'content-type': 'a/b' }, body: '', streamed, timeoutMs });

  test('comes whole with its length, each time it is sent, over a connection that is used again', async () => {
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

  test('is made as fast as the server takes it', async () => {
    let reader: net.Socket | undefined;
    const url = await startRaw((socket) => {
      reader = socket;
    });
    const streamed = numbered(1_500);
    const posting = post(url, streamed);
    await expect.poll(() => streamed.made).toBeGreaterThan(0);
    // Until what lies between the two is full.
    let before = -1;
    const hasStopped = () => {
      const isSame = streamed.made === before;
      before = streamed.made;
      return isSame;
    };
    await expect.poll(hasStopped, { interval: 200 }).toBe(true);
    expect(streamed.made).toBeLessThan(1_000);
    let read = 0;
    reader?.on('data', (chunk) => {
      read += chunk.length;
      if (read > streamed.byteLength) reader?.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
    reader?.resume();
    expect((await posting).status).toBe(204);
  });

  test.each([
    [413, 'HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\n\r\nno', 'silence'],
    [413, 'HTTP/1.1 413 Content Too Large\r\nconnection: close\r\n\r\nno', 'end'],
    [413, 'HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno', 'reset'],
    [200, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', 'silence'],
  ])(
    'goes on no longer when the server answers %i before it has it all (%#)',
    async (status, bytes, then) => {
      const url = await startRaw((socket) => {
        socket.once('data', () => {
          socket.pause();
          socket.write(bytes, () => {
            // The answer may overtake nothing, but a reset may.
            if (then === 'end') socket.end();
            else if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 100);
          });
        });
        socket.resume();
      });
      const streamed = numbered(4_000);
      expect(await post(url, streamed)).toMatchObject({ status, isEarly: true });
      const { made } = streamed;
      expect(made).toBeLessThan(1_000);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(streamed.made).toBeLessThanOrEqual(made + 1);
    },
  );

  test.each(['destroy', 'resetAndDestroy', 'end'] as const)(
    'fails when the server hangs up (%s)',
    async (cut) => {
      const url = await startRaw((socket) => {
        socket.once('data', () => {
          socket[cut]();
          // No answer comes any more.
          socket.pause();
        });
        socket.resume();
      });
      const error = await failureOf(post(url, numbered(4_000)));
      expect(error).toBeInstanceOf(ClientError);
      expect(error).toMatchObject({ code: 'closed', retryAfterMs: 0 });
    },
  );

  test('ends with its time, and is made no further', async () => {
    const url = await startRaw(() => {});
    const streamed = numbered(4_000);
    expect(await failureOf(post(url, streamed, 300))).toMatchObject({ code: 'timed_out' });
    const { made } = streamed;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(streamed.made).toBeLessThanOrEqual(made + 1);
  });

  test('fails when it is less than was announced, or more', async () => {
    const sink = await httpSink();
    for (const byteLength of [4, 6]) {
      const lying = { byteLength, pieces: () => [Buffer.from('five!')] };
      expect(await failureOf(post(sink.origin, lying))).toMatchObject({ code: 'request_malformed' });
    }
    expect(sink.requests).toEqual([]);
  });
});

test('close waits for a streamed request, and rejects those after it', async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
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
