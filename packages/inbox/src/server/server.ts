import { createServer, type Server } from 'node:http';
import { clientNetwork } from '@form-relay/core/base/networks';
import { type Proxies, readClient } from '@form-relay/core/http/client';
import type { Inbox } from './inbox.ts';

/** A page needs six connections, and a team has many pages open. */
const mostConnections = 1_024;

/** An office behind one address has many pages open. Proxies are no clients. */
const mostOfClient = 128;

/** `node:http` with limits for slow and greedy clients. @param proxies Absent: only this machine can connect. */
export function createInboxServer(handle: Inbox['handle'], proxies?: Proxies): Server {
  const server = createServer({
    headersTimeout: 5_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 5_000,
    maxHeaderSize: 16_384,
    // The inbox answers in its own words.
    requireHostHeader: false,
  });
  server.timeout = 60_000;
  server.maxConnections = mostConnections;
  server.maxRequestsPerSocket = 1_000;
  server.on('request', handle);
  if (proxies) limitClients(server, proxies);
  return server;
}

/** Closes connections of a client that has too many. */
function limitClients(server: Server, proxies: Proxies): void {
  const openOf = new Map<string, number>();
  server.on('connection', (socket) => {
    const client = readClient({ headers: {}, peerAddress: socket.remoteAddress }, proxies);
    if (!('address' in client)) return;
    const name = clientNetwork(client.address);
    const open = (openOf.get(name) ?? 0) + 1;
    openOf.set(name, open);
    socket.on('close', () => {
      const left = (openOf.get(name) ?? 1) - 1;
      if (left > 0) openOf.set(name, left);
      else openOf.delete(name);
    });
    if (open > mostOfClient) socket.destroy();
  });
}
