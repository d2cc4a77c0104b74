import { type ClientError, failed } from '../../base/client_error.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from '../../base/effects.ts';
import { ConnectionPool, type PoolWorld } from './connection_pool.ts';
import { Exchange } from './exchange.ts';
import { targetOf, wireOf } from './request_wire.ts';
import { TlsSessions } from './tls_sessions.ts';
import { createTraffic, drain } from './traffic.ts';
import { EagerServers } from './unasked_answers.ts';
import { createUndiciClient, type StreamedRequest, type StreamingClient } from './undici_client.ts';

/**
 * The client of a process that lives on (D161): HTTP/1.1 over connections that are kept, one pool an origin, one request
 * at a time on each. Bodies that come in pieces go through undici.
 *
 * Nothing is ever sent twice. A connection is closed 2 s before its server's `Keep-Alive: timeout` says that it will be, or
 * after 4 s where it says nothing, and what has arrived on it is read before it is used again. A server may still
 * close while the request is on its way: that request fails, because the server may have taken it.
 *
 * `close` resolves when every request under way has ended. It does not wait for connections that are still opening.
 */
export function createHttpClient(
  streaming: StreamingClient = createUndiciClient(),
): HttpClient & { close(): Promise<void> } {
  const pools = new Map<string, ConnectionPool>();
  const traffic = createTraffic();
  const world: PoolWorld = {
    eager: new EagerServers(),
    sessions: new TlsSessions(),
    onEmpty: ({ origin }) => pools.delete(origin),
  };

  const begin = (
    request: HttpRequest,
    resolve: (answer: HttpAnswer) => void,
    reject: (error: ClientError) => void,
  ) => {
    if (traffic.isClosed) throw failed('client_closed');
    const { url, timeoutMs } = request;
    const target = targetOf(url);
    const { origin } = target;
    const wire = wireOf(request, target, !world.eager.has(origin));
    let pool = pools.get(origin);
    if (!pool) {
      pool = new ConnectionPool(url, world);
      pools.set(origin, pool);
    }
    pool.take(new Exchange(wire, timeoutMs, traffic, resolve, reject));
  };

  const end = async () => {
    await Promise.all([drain(traffic), streaming.close()]);
    for (const pool of pools.values()) pool.destroy();
  };
  let closing: Promise<void> | undefined;
  const send: HttpClient = (request) =>
    isStreamed(request)
      ? streaming(request)
      : new Promise<HttpAnswer>((resolve, reject) => begin(request, resolve, reject));
  return Object.assign(send, { close: () => (closing ??= end()) });
}

const isStreamed = (request: HttpRequest): request is StreamedRequest => request.streamed !== undefined;
