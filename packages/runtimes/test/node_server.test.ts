/** Input that only a server on a port gets: raw bytes, odd targets, silent connections, and an orderly shutdown. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import net from 'node:net';
import { closeServer, createNodeServer, createRelay } from '../../../test/support/bare_relay.ts';
import { configOf, httpSink, listen } from '../../../test/support/index.ts';

async function listening() {
  const sink = await httpSink();
  const relay = createRelay({ config: configOf(sink.origin), env: {}, effects: { log: () => undefined } });
  const server = createNodeServer(relay.handle);
  const port = await listen(server);
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await relay.close();
  });
  return { server, relay, sink, port };
}

test('a client that closes its sending side still gets its answers', async () => {
  const { port, sink } = await listening();
  const post = (name: string) =>
    'POST /api/v1/submit/contact HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-www-form-urlencoded\r\n' +
    `content-length: 6\r\n\r\nname=${name}`;
  const answersTo = async (bytes: string) => {
    const socket = net.connect(port, '127.0.0.1').setEncoding('latin1');
    socket.end(bytes);
    let answers = '';
    for await (const text of socket) answers += text;
    return answers.match(/HTTP\/1\.1 \d+/g);
  };
  expect(await answersTo(post('A'))).toEqual(['HTTP/1.1 200']);
  expect(await answersTo(post('B') + post('C'))).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  // The connection ends in the middle of the request.
  const upgrade = post('F').replace('host: a', 'host: a\r\nconnection: upgrade\r\nupgrade: x');
  for (const unfinished of [post('E'), upgrade])
    expect(await answersTo(post('D') + unfinished.slice(0, -1))).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  expect(sink.requests.map(({ body }) => body).sort()).toEqual(
    ['A', 'B', 'C', 'D', 'D'].map((name) => `name=${name}`),
  );
});

test('closing answers requests that were sent before, even if they had not been read yet', async () => {
  const { server, port } = await listening();
  const socket = net.connect(port, '127.0.0.1');
  let answers = '';
  socket.on('data', (chunk) => {
    answers += chunk.toString('latin1');
  });
  const get = 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n';
  socket.write(get);
  await once(socket, 'data');
  // Sent at once, but read in a later turn of the event loop.
  socket.write(get);
  await Promise.all([closeServer(server, 600_000), once(socket, 'close')]);
  expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
});

test('a submission whose body ends during shutdown is answered before its connection is cut', async () => {
  const asked = await listen(createServer());
  const relay = createRelay({
    config: configOf(`http://127.0.0.1:${asked}`),
    env: {},
    effects: { log: () => undefined },
  });
  const server = createNodeServer(relay.handle);
  const socket = net.connect(await listen(server), '127.0.0.1').setEncoding('latin1');
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  const head =
    'POST /api/v1/submit/contact HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-www-form-urlencoded';
  socket.write(`${head}\r\ncontent-length: 6\r\n\r\nname=`);
  await once(server, 'request');
  const closed = Promise.all([closeServer(server, 3_000), once(socket, 'close')]);
  await vi.waitFor(() => expect(server.listening).toBe(false));
  socket.write('A');
  await closed;
  await relay.close();
  expect(answer).toMatch(/^HTTP\/1\.1 500 /);
});

test.each([
  ['in turn', [], [0, 1, 2]],
  ['the last one first', [], [2, 0, 1]],
  ['the last one next to last', [], [0, 2, 1]],
  ['the last one before the end began', [2], [0, 1]],
  ['the first one before the end began', [0], [2, 1]],
])('closing answers all requests of a connection, done %s, and accepts no more', async (_, before, after) => {
  const taken: (() => void)[] = [];
  const server = createNodeServer(
    ({ path }) =>
      new Promise((resolve) => {
        taken.push(() => resolve({ status: 200, headers: {}, body: path }));
      }),
  );
  const port = await listen(server);
  onTestFinished(() => server.closeAllConnections());
  const post = (path: string) => `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 8\r\n\r\nname=Ann`;
  const socket = net.connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk;
  });
  const closed = once(socket, 'close');
  socket.write(post('/0') + post('/1') + post('/2'));
  await vi.waitFor(() => expect(taken).toHaveLength(3));
  const finish = async (numbers: readonly number[]) => {
    for (const number of numbers) {
      taken[number]?.();
      await new Promise(setImmediate);
    }
  };
  await finish(before);
  const ended = closeServer(server, 600_000);
  await vi.waitFor(() => expect(server.listening).toBe(false));
  await finish(after);
  // The request may arrive before the answers are read. The request then gets no answer, so its sender repeats it.
  if (!socket.destroyed) socket.write(post('/3'));
  await Promise.all([ended, closed]);
  expect(received.match(/\/\d$|\/\d(?=HTTP)/g)).toEqual(['/0', '/1', '/2']);
  expect(taken).toHaveLength(3);
});
