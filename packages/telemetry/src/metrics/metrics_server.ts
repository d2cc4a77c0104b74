import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { metricsType } from './tally.ts';

/** Simultaneous readers: a few Prometheus servers, and people. */
const mostConnections = 32;
/** Time limits for requests, and for clients that do not read the response. */
const requestMs = 5_000;
const answerMs = 10_000;

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Responds to `GET /metrics` on its own port, and to nothing else. Rejects like `listen`, with a `code` such
 * as `EADDRINUSE`.
 *
 * @param read Creates the text, which simultaneous requests share. If it rejects, the response is a 500.
 */
export async function serveMetrics({
  port,
  host,
  read,
}: {
  readonly port: number;
  readonly host: string;
  readonly read: () => Promise<string>;
}): Promise<MetricsServer> {
  let reading: Promise<string> | undefined;
  const text = () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const server = createServer(
    { headersTimeout: requestMs, requestTimeout: requestMs, connectionsCheckingInterval: 1_000 },
    async (incoming, outgoing) => {
      const { method = '', url = '' } = incoming;
      // Discards the body.
      incoming.resume();
      const isMetrics = url.split('?', 1)[0] === '/metrics';
      if (!isMetrics) return void outgoing.writeHead(404).end();
      if (method !== 'GET' && method !== 'HEAD')
        return void outgoing.writeHead(405, { allow: 'GET, HEAD' }).end();
      try {
        const body = await text();
        outgoing.writeHead(200, { 'content-type': metricsType, 'content-length': Buffer.byteLength(body) });
        outgoing.end(method === 'HEAD' ? undefined : body);
      } catch {
        outgoing.writeHead(500).end();
      }
    },
  );
  server.timeout = answerMs;
  server.maxConnections = mostConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
