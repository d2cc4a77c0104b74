import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { inTime } from '../../base/in_time.ts';
import { cutUnused } from './connections.ts';

/** How long idle connections are still read: requests that were on their way when the end began are answered. */
const lastCallMs = 200;

/** How long it may take to accept the connections that were already made. */
const acceptMs = 2_000;

/**
 * Refuses new connections, answers what still comes on open ones within a moment, lets answers under way go out, and
 * cuts what is open after `deadlineMs`.
 *
 * @param restMs How long connections that rest are still read, where there is no hurry.
 */
export async function closeServer(
  server: Server,
  deadlineMs: number,
  restMs: number = lastCallMs,
): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  await acceptWaiting(() => accepted);
  server.off('connection', count);
  // Not http's `close`, which cuts idle connections at once: requests that are not yet read would be lost. Bun's server is
  // none of `net`, and its `close` cuts none.
  const { close }: Pick<NetServer, 'close'> = server instanceof NetServer ? NetServer.prototype : server;
  const closed = new Promise<unknown>((resolve) => close.call(server, resolve));
  await inTime(restMs, closed, () => undefined);
  server.closeIdleConnections();
  cutUnused(server);
  await closed;
  clearTimeout(deadline);
}

/**
 * Connections wait in the system's queue, with a request perhaps, and Node accepts some in a turn of its event loop.
 *
 * @param accepted How many it has accepted.
 */
export async function acceptWaiting(accepted: () => number): Promise<void> {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const until = performance.now() + acceptMs;
  // The turn that this one is in may have accepted already.
  await turn();
  for (let before = -1; before < accepted() && performance.now() < until; ) {
    before = accepted();
    await turn();
  }
}
