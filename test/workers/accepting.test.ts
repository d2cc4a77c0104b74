import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { watchAccepting } from '../../packages/relay/src/runtimes/workers/handover.ts';

/** One for a process. */
const stop = watchAccepting();

/** Accepts as node:cluster does: it takes the socket from the server, and hands on what comes. */
async function accepting() {
  const server = net.createServer();
  const handed: { close(): void }[] = [];
  const socket = await new Promise<{ close(): void; onconnection: unknown }>((resolve) => {
    server.listen(0, '127.0.0.1');
    server.once('listening', () => {
      const { _handle: own } = server as unknown as { _handle: { close(): void; onconnection: unknown } };
      own.onconnection = (_error: unknown, connection: { close(): void }) => handed.push(connection);
      resolve(own);
    });
  });
  const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  const closed = once(client, 'close');
  await expect.poll(() => handed).toHaveLength(1);
  return { socket, handed, closed };
}

test('who was accepted when the last worker ended does not wait for ever', async () => {
  const { socket, closed } = await accepting();
  socket.close();
  await closed;
});

test('it stops when workers have taken what was accepted', async () => {
  const { handed } = await accepting();
  let hasStopped = false;
  const stopped = stop().then(() => {
    hasStopped = true;
  });
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(hasStopped).toBe(false);
  handed[0]?.close();
  await stopped;
});

test('after that, servers are nobody’s but their own', async () => {
  await stop();
  const { socket, handed, closed } = await accepting();
  let hasClosed = false;
  void closed.then(() => {
    hasClosed = true;
  });
  socket.close();
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(hasClosed).toBe(false);
  handed[0]?.close();
  await closed;
});
