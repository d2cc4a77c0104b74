import type { ClientError } from '@form-relay/base/client_error';
import type { BytesClient, HttpAnswer, HttpClient, HttpRequest } from '@form-relay/core/services';
import { LatestMap } from '../collections.ts';
import { failed } from '../failures.ts';
import { type Answer, Exchange, type Resolve, Traffic } from './http_exchange.ts';
import { ConnectionPool, type PoolContext } from './http_pool.ts';
import { EagerServers, guarded, headerLine, isSentByOthers, uncoded } from './protocol.ts';

/**
 * HTTP/1.1 over persistent connections, with one pool per origin and one request at a time per connection. `bytes`
 * reads responses other than short texts, such as AWS's.
 *
 * Requests are never sent twice. The client closes a connection 2 s before its server's `Keep-Alive: timeout`, or after
 * 4 s if there is none, and reads what has arrived before it reuses the connection. A server may still close a
 * connection while a request is on its way; that request fails, because the server may have accepted it.
 *
 * `close` resolves when all requests in progress have ended. The client does not wait for connections that are still
 * opening.
 */
export function createHttpClient(): HttpClient & { readonly bytes: BytesClient; close(): Promise<void> } {
  const pools = new Map<string, ConnectionPool>();
  const traffic = new Traffic();
  const context: PoolContext = {
    eager: new EagerServers(),
    sessions: new LatestMap(mostSessions),
    onEmpty: ({ key }) => pools.delete(key),
  };

  const begin = (
    request: HttpRequest,
    limitBytes: number | undefined,
    resolve: Resolve,
    reject: (error: ClientError) => void,
  ) => {
    if (traffic.isClosed) throw failed('client_closed');
    if (request.signal?.aborted) throw failed('aborted');
    const { url } = request;
    const target = targetOf(url);
    const { origin } = target;
    const wire = wireOf(request, target, !context.eager.has(origin));
    const { addresses } = request;
    const key = addresses ? `${origin} ${addresses.join(' ')}` : origin;
    let pool = pools.get(key);
    if (!pool) {
      pool = new ConnectionPool(url, context, key, addresses);
      pools.set(key, pool);
    }
    pool.take(new Exchange(wire, request, limitBytes, traffic, resolve, reject));
  };

  const end = async () => {
    await traffic.drain();
    for (const pool of pools.values()) pool.destroy();
  };
  let closing: Promise<void> | undefined;
  const send: HttpClient = (request) =>
    isSentByOthers(request)
      ? guarded(request, true).then(send)
      : new Promise<HttpAnswer>((resolve, reject) => begin(request, undefined, resolve, reject));
  const bytes: BytesClient = async (request) => {
    const { limitBytes } = request;
    const answer = await new Promise<Answer>((resolve, reject) =>
      begin(request, limitBytes, resolve, reject),
    );
    const { status, headers, bytes: body = nothing, isCut = false, isEarly } = answer;
    if (isCut && body.length < limitBytes)
      throw failed('closed', { before: 'end_of_answer' }, { retryAfterMs: 0 });
    return { status, headers, body, isCut, isEarly };
  };
  return Object.assign(send, { bytes, close: () => (closing ??= end()) });
}

/** Limited, because redirects may lead to ever more servers. A session takes 1 to 3 KB. */
const mostSessions = 100;

const nothing = Buffer.alloc(0);

const uncodedLine = `accept-encoding: ${uncoded['accept-encoding']}\r\n`;

interface Target {
  readonly href: string;
  readonly origin: string;
  /** The request head from the end of the method up to the value of `connection`. */
  readonly start: string;
  /** The first lines of most requests, as one text. */
  readonly usual: string;
}

const targets = new WeakMap<URL, Target>();

/** Caches by URL object, which an output keeps as long as its config. */
function targetOf(url: URL): Target {
  const known = targets.get(url);
  const { href } = url;
  if (known?.href === href) return known;
  const { origin, host, pathname, search } = url;
  const start = ` ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\nconnection: `;
  const target = { href, origin, start, usual: `POST${start}keep-alive\r\n${uncodedLine}` };
  targets.set(url, target);
  return target;
}

/**
 * The request as sent over the connection, without a streamed body: one character per byte, or bytes. Throws
 * a `ClientError` for headers that cannot be sent or are reserved for the client.
 *
 * @param keeps Whether the connection may carry further requests.
 */
function wireOf(
  { method = 'POST', headers, body, streamed }: HttpRequest,
  { start, usual }: Target,
  keeps: boolean,
): string | Buffer {
  const coding = 'accept-encoding' in headers ? '' : uncodedLine;
  let head =
    method === 'POST' && keeps && coding !== ''
      ? usual
      : method + start + (keeps ? 'keep-alive\r\n' : 'close\r\n') + coding;
  for (const name in headers) {
    head += headerLine(name, headers[name] as string);
  }
  const length = streamed?.byteLength ?? Buffer.byteLength(body);
  if (length > 0 || method !== 'GET') head += `content-length: ${length}\r\n`;
  head += '\r\n';
  if (streamed) return head;
  // If a body has as many bytes as characters, it is ASCII.
  if (length === body.length) return head + body;
  const bytes = Buffer.allocUnsafe(head.length + length);
  bytes.write(head, 'latin1');
  bytes.write(body, head.length, 'utf8');
  return bytes;
}
