import { createServer, type Server } from 'node:http';
import type { Inbox } from './inbox.ts';

/** A page needs six connections, and a team has many pages open. */
const mostConnections = 1_024;

/** `node:http` with limits for slow and greedy clients. The caller listens. */
export function createInboxServer(handle: Inbox['handle']): Server {
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
  return server;
}
