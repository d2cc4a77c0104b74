/** A server may disconnect at any byte. Data that it did not read is never acknowledged, and nothing is sent twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isFuzzing } from '../../../test/support/fuzz.ts';
import { rawServer, relayWith } from '../../../test/support/index.ts';
import { LatestMap } from '../src/collections.ts';
import { failed } from '../src/failures.ts';
import { createHttpClient } from '../src/http/http_client.ts';
import type { Connection } from '../src/http/http_connection.ts';
import { Exchange, Traffic } from '../src/http/http_exchange.ts';
import { ConnectionPool } from '../src/http/http_pool.ts';
import { EagerServers } from '../src/http/protocol.ts';

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const headLength = answer.indexOf('ok');

/** With `end`, the other direction stays open. */
const endings = ['end', 'destroy', 'resetAndDestroy'] as const;

describe('outputs over HTTP:', () => {
  const relayTo = async (url: string) => {
    const config = `forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "${url}", mapping: "*", timeout: 10s, retries: 0}]}}`;
    const relay = await relayWith({ config });
    return async (name: string) => (await relay.submit('contact', [['name', name]])).status;
  };

  test.each(endings)(
    'a server that disconnects after any number of bytes of the response (%s)',
    async (ending) => {
      let length = 0;
      const server = await rawServer({
        options: { allowHalfOpen: true },
        post: (socket) => {
          const leave = () => (ending === 'end' ? socket.end() : socket[ending]());
          // A reset can overtake unread bytes.
          if (length === 0) leave();
          else
            socket.write(answer.slice(0, length), () => (ending === 'end' ? leave() : setTimeout(leave, 5)));
        },
      });
      const submit = await relayTo(server.origin);
      for (length = 0; length <= answer.length; length += 1)
        expect([length, await submit(`n${length}`)]).toEqual([length, length < headLength ? 500 : 200]);
      expect(server.bodies).toEqual(Array.from({ length: answer.length + 1 }, (_, n) => `name=n${n}`));
    },
  );

  test('a server that disconnects after any number of bytes of the request', async () => {
    let most = 0;
    const server = await rawServer({
      piece: (socket, length) => {
        if (length >= most) socket.destroy();
      },
    });
    const submit = await relayTo(server.origin);
    for (most = 1; most < 250; most += 23) expect(await submit('Ann')).toBe(500);
  });

  test('a server that does all of this, in any order', async () => {
    const any = (...all: readonly (() => void)[]) => all[Math.floor(Math.random() * all.length)]?.();
    const server = await rawServer({
      connect: (socket) =>
        any(
          () => {},
          () => {},
          () => {},
          () => setTimeout(() => socket.end(), Math.random() * 5),
        ),
      piece: (socket) => Math.random() < 0.05 && socket.destroy(),
      post: (socket) =>
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
    const submit = await relayTo(server.origin);
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
    const received = new Set(server.bodies);
    expect(acknowledged.filter((body) => !received.has(body))).toEqual([]);
    expect(server.bodies).toHaveLength(received.size);
  });
});

test('an unused connection that closes fails one request, and not the others', async () => {
  const server = await rawServer({
    connect: (socket) => {
      if (server.connections === 1) socket.destroy();
    },
    post: (socket) => socket.write(answer),
  });
  const client = createHttpClient();
  onTestFinished(() => client.close());
  const post = (body: string) =>
    client({ url: new URL(server.origin), headers: {}, body, timeoutMs: 5_000 }).then(
      ({ status }) => status,
      ({ code, isUnsent }) => [code, isUnsent],
    );
  const settled = await Promise.all(['a', 'b', 'c', 'd'].map(post));
  expect(settled.filter((one) => one === 200)).toHaveLength(3);
  expect(settled.filter((one) => one !== 200)).toEqual([['closed', true]]);
  expect(server.bodies).toHaveLength(3);
});

test('a request that fails before its timer starts gets no timer, and the next one is served', async () => {
  const server = await rawServer({ post: (socket) => socket.write(answer) });
  const url = new URL(server.origin);
  const context = { eager: new EagerServers(), sessions: new LatestMap<Buffer>(1), onEmpty: () => {} };
  const pool = new ConnectionPool(url, context, url.origin, undefined);
  onTestFinished(() => pool.destroy());
  const traffic = new Traffic();
  const take = (timeoutMs: number) =>
    new Promise((resolve, reject) => {
      const request = { url, headers: {}, body: '', timeoutMs };
      pool.take(new Exchange(`GET / HTTP/1.1\r\n\r\n`, request, undefined, traffic, resolve, reject));
    });
  const first = take(50);
  await new Promise(setImmediate);
  // Another connection of the pool closes in the same turn of the event loop in which the request begins to wait.
  pool.closed({ wasOpened: false, hasServed: false } as Connection, failed('closed', { before: 'answer' }));
  await expect(first).rejects.toMatchObject({ code: 'closed' });
  expect(traffic.underWay).toBe(0);
  // If the failed request had a timer, it would fire before this one.
  const silent = await rawServer({});
  const client = createHttpClient();
  const slow = client({ url: new URL(silent.origin), headers: {}, body: '', timeoutMs: 60 });
  await expect(slow).rejects.toMatchObject({ code: 'timed_out' });
  expect(traffic.underWay).toBe(0);
  expect(await take(5_000)).toMatchObject({ status: 200 });
});
