/** An unsolicited answer is none: it must never pass for the answer to a POST that the server did not take. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClientInPieces } from '../../../../test/support/in_pieces.ts';
import type { HttpClient } from '../../../core/src/services.ts';
import { createHttpClient } from '../../src/http/http_client.ts';

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

interface Server {
  readonly url: URL;
  /** The bodies that came, in order. */
  readonly received: string[];
  readonly open: Set<net.Socket>;
  connections: number;
}

/** A server that does what HTTP does not. Each POST ends with the one body `<n>;`. */
async function startServer(on: {
  readonly connect?: (socket: net.Socket) => void;
  readonly post?: (socket: net.Socket) => void;
}): Promise<Server> {
  const server = net.createServer((socket) => {
    state.connections += 1;
    state.open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => state.open.delete(socket));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (let end = text.indexOf(';'); end >= 0; end = text.indexOf(';')) {
        state.received.push(text.slice(text.indexOf('\r\n\r\n') + 4, end));
        text = text.slice(end + 1);
        on.post?.(socket);
      }
    });
    on.connect?.(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const state: Server = {
    url: new URL(`http://127.0.0.1:${port}/`),
    received: [],
    open: new Set(),
    connections: 0,
  };
  onTestFinished(() => {
    for (const socket of state.open) socket.destroy();
    server.close();
  });
  return state;
}

const closedLater = <C extends { close(): Promise<void> }>(client: C): C => {
  onTestFinished(() => client.close());
  return client;
};

const clients: readonly [string, () => HttpClient][] = [
  ['http_client', () => closedLater(createHttpClient())],
  ['http_client, streaming', () => closedLater(createClientInPieces())],
];

/** In a process of its own, it speaks while this one is busy: to each first request on a connection, and once more 30 ms later. */
const speakingTwice = `
const answer = (body) => 'HTTP/1.1 200 OK\\r\\ncontent-length: ' + body.length + '\\r\\n\\r\\n' + body;
require('node:net').createServer((socket) => {
  socket.on('error', () => {}).once('data', () => {
    socket.write(answer('ok'));
    setTimeout(() => socket.write(answer('unasked')), 30);
  });
}).listen(0, '127.0.0.1', function () { process.send(this.address().port); });`;

test('an answer that came while this process was busy passes for no other', async () => {
  const server = spawn(process.execPath, ['-e', speakingTwice], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void server.kill());
  const [port] = await once(server, 'message');
  const client = closedLater(createHttpClient());
  const send = () =>
    client({ url: new URL(`http://127.0.0.1:${port}/`), headers: {}, body: 'a;', timeoutMs: 5_000 });
  expect(await send()).toMatchObject({ body: 'ok' });
  // A visitor's request is read where other sockets are read, and the work that it brings lasts.
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
  const sender = (url: URL) => {
    const client = createClient();
    return (body: number) => client({ url, headers: {}, body: `${body};`, timeoutMs: 5_000 });
  };

  test('two answers at once: the connection is not used again', async () => {
    const server = await startServer({ post: (socket) => socket.write(answer + answer) });
    const send = sender(server.url);
    for (const body of [1, 2, 3]) expect(await send(body)).toMatchObject({ status: 200, body: 'ok' });
    expect(server.received).toEqual(['1', '2', '3']);
    expect(server.connections).toBe(3);
  });

  test.each([
    ['another answer', answer],
    ['half of one', answer.slice(0, 20)],
    ['an early hint', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['what is not HTTP', '\0\r\n'],
  ])('%s on a connection at rest: it is not used again', async (_, bytes) => {
    const server = await startServer({ post: (socket) => socket.write(answer) });
    const send = sender(server.url);
    for (const body of [1, 2, 3]) {
      expect(await send(body)).toMatchObject({ status: 200, body: 'ok' });
      const sockets = [...server.open];
      await Promise.all(
        sockets.map((socket) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()))),
      );
    }
    expect(server.received).toEqual(['1', '2', '3']);
    expect(server.connections).toBe(3);
  });

  test.each([
    ['an answer', answer],
    ['half of one', answer.slice(0, 20)],
  ])('%s as soon as the connection is there: the POST fails, and was never sent', async (_, bytes) => {
    const server = await startServer({ connect: (socket) => socket.write(bytes) });
    await expect(sender(server.url)(1)).rejects.toMatchObject({
      code: 'answered_unasked',
      retryAfterMs: 0,
      isUnsent: true,
    });
    expect(server.received).toEqual([]);
  });

  test('a server that did so once is listened to for a moment before it gets a POST', async () => {
    let delayMs = 0;
    const server = await startServer({
      connect: (socket) => {
        if (delayMs === 0) socket.write(answer);
        else setTimeout(() => socket.write(answer), delayMs);
      },
    });
    const send = sender(server.url);
    await expect(send(1)).rejects.toMatchObject({ code: 'answered_unasked' });
    delayMs = 10;
    await expect(send(2)).rejects.toMatchObject({ code: 'answered_unasked' });
    expect(server.received).toEqual([]);
  });
});
