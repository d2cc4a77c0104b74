/** A server may hang up at any byte. Nothing is acknowledged that it did not read, and nothing is sent twice. */
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { relayWith } from '../../../test/spec/stage.ts';
import { isFuzzing } from '../../../test/support/fuzz.ts';
import { createHttpClient } from '../src/http/http_client.ts';

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const headLength = answer.indexOf('ok');

interface Post {
  readonly socket: net.Socket;
  readonly body: string;
}

/** A server that keeps account of the requests it has read to their end. */
async function startServer(on: {
  readonly connect?: (socket: net.Socket) => void;
  /** With every piece, how much of the request under way has come. */
  readonly piece?: (socket: net.Socket, length: number) => void;
  readonly post: (post: Post) => void;
}) {
  const state = { url: '', port: 0, received: [] as string[], connections: 0 };
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    state.connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    on.connect?.(socket);
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      on.piece?.(socket, text.length);
      const [head = ''] = /^[\s\S]*?\r\n\r\n/.exec(text) ?? [];
      const end = head.length + Number(/content-length: (\d+)/i.exec(head)?.[1]);
      if (head === '' || text.length < end) return;
      const body = text.slice(head.length, end);
      text = text.slice(end);
      state.received.push(body);
      on.post({ socket, body });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.port = (server.address() as AddressInfo).port;
  state.url = `http://127.0.0.1:${state.port}/`;
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return state;
}

/** `end` leaves the other half open. */
const endings = ['end', 'destroy', 'resetAndDestroy'] as const;

describe('outputs over HTTP:', () => {
  const relayTo = async (url: string) => {
    const config = `forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "${url}", mapping: "*", timeout: 10s, retries: 0}]}}`;
    const relay = await relayWith({ config });
    return async (name: string) => (await relay.submit('contact', [['name', name]])).status;
  };

  test.each(endings)('a server that answers so many bytes, then hangs up (%s)', async (ending) => {
    let length = 0;
    const server = await startServer({
      post: ({ socket }) => {
        const leave = () => (ending === 'end' ? socket.end() : socket[ending]());
        // A reset overtakes unread bytes.
        if (length === 0) leave();
        else socket.write(answer.slice(0, length), () => (ending === 'end' ? leave() : setTimeout(leave, 5)));
      },
    });
    const submit = await relayTo(server.url);
    for (length = 0; length <= answer.length; length += 1)
      expect([length, await submit(`n${length}`)]).toEqual([length, length < headLength ? 500 : 200]);
    expect(server.received).toEqual(Array.from({ length: answer.length + 1 }, (_, n) => `name=n${n}`));
  });

  test('a server that hangs up after so many bytes of the request', async () => {
    let most = 0;
    const server = await startServer({
      piece: (socket, length) => {
        if (length >= most) socket.destroy();
      },
      post: () => {},
    });
    const submit = await relayTo(server.url);
    for (most = 1; most < 250; most += 23) expect(await submit('Ann')).toBe(500);
  });

  test('a server that does all of it, in any order', async () => {
    const any = (...all: readonly (() => void)[]) => all[Math.floor(Math.random() * all.length)]?.();
    const server = await startServer({
      connect: (socket) =>
        any(
          () => {},
          () => {},
          () => {},
          () => setTimeout(() => socket.end(), Math.random() * 5),
        ),
      piece: (socket) => Math.random() < 0.05 && socket.destroy(),
      post: ({ socket }) =>
        any(
          () => socket.write(answer),
          () => socket.write(answer),
          () => socket.end(answer),
          () => socket.end(answer.slice(0, Math.random() * answer.length)),
          () => socket.resetAndDestroy(),
          () => {
            socket.write(answer);
            setTimeout(
              () =>
                any(
                  () => socket.end(),
                  () => socket.resetAndDestroy(),
                ),
              Math.random() * 3,
            );
          },
        ),
    });
    const submit = await relayTo(server.url);
    const acknowledged: string[] = [];
    let next = 0;
    const lane = async () => {
      for (let nth = next++; nth < (isFuzzing ? 20_000 : 400); nth = next++) {
        if ((await submit(`n${nth}`)) === 200) acknowledged.push(`name=n${nth}`);
        if (nth % 50 === 0) await sleep(5);
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    expect(acknowledged.length).toBeGreaterThan(50);
    const received = new Set(server.received);
    expect(acknowledged.filter((body) => !received.has(body))).toEqual([]);
    expect(server.received).toHaveLength(received.size);
  });
});

test('a connection that nobody used yet fails one request when it closes, and not the others', async () => {
  const server = await startServer({
    connect: (socket) => {
      if (server.connections === 1) socket.destroy();
    },
    post: ({ socket }) => socket.write(answer),
  });
  const client = createHttpClient();
  onTestFinished(() => client.close());
  const post = (body: string) =>
    client({ url: new URL(server.url), headers: {}, body, timeoutMs: 5_000 }).then(
      ({ status }) => status,
      ({ code, isUnsent }) => [code, isUnsent],
    );
  const settled = await Promise.all(['a', 'b', 'c', 'd'].map(post));
  expect(settled.filter((one) => one === 200)).toHaveLength(3);
  expect(settled.filter((one) => one !== 200)).toEqual([['closed', true]]);
  expect(server.received).toHaveLength(3);
});
