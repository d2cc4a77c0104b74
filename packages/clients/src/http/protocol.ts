import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import type { Streamed } from '@form-relay/base/streamed';
import type { HttpAnswer, HttpRequest } from '@form-relay/core/services';
import { failed } from '../failures.ts';

/** The limit of 1xx answers before the final one. */
export const mostInterim = 16;

/** The limit of an answer's body. The rest is cut off, with the connection. */
export const bodyLimitBytes = 65_536;

/** The limit of a status line and its headers. */
export const headLimitBytes = 32_768;

/**
 * The limit of 1xx answers, status line, headers and chunk framing together: enough for a body of 64 KB in chunks of one
 * byte each.
 */
export const framingLimitBytes = 458_752;

/**
 * The header that asks for an answer without a content coding: short answers gain nothing from one, and without this
 * header any coding would do (RFC 9110, 12.5.3). An owner may ask for another.
 */
export const uncoded = { 'accept-encoding': 'identity' };

/**
 * The request to the address that a redirect names, once that is one to which redirects may lead. Rejects with a
 * `ClientError` otherwise.
 *
 * @param canResolve Whether the platform lets the relay resolve names.
 */
export async function afterRedirect(
  { redirectedFrom, ...request }: HttpRequest,
  canResolve: boolean,
): Promise<HttpRequest> {
  if (!redirectedFrom || redirectedFrom.url.origin === request.url.origin) return request;
  const { guardRedirect } = await import('./redirect_guard.ts');
  return guardRedirect(request, redirectedFrom, canResolve);
}

/** A header as it is sent. Throws a `ClientError` for one that cannot be sent, or that is the client's own. */
export function headerLine(name: string, value: string): string {
  const header = headerOf(name);
  if (header.complaint !== undefined) throw failed('request_malformed', { reason: header.complaint });
  if (value === header.value) return header.line;
  if (notInValue.test(value)) throw failed('request_malformed', { reason: `invalid ${name} header` });
  header.value = value;
  header.line = `${name}: ${value}\r\n`;
  return header.line;
}

interface Header {
  readonly complaint: string | undefined;
  /** The last valid value: most stay the same. */
  value: string | undefined;
  line: string;
}

function headerOf(name: string): Header {
  const before = known.get(name);
  if (before) return before;
  const header = { complaint: complaintOf(name), value: undefined, line: '' };
  if (known.size >= mostKnown) known.clear();
  known.set(name, header);
  return header;
}

const known = new Map<string, Header>();
const mostKnown = 1_000;

function complaintOf(name: string): string | undefined {
  if (!token.test(name)) return 'invalid header key';
  if (/^expect$/i.test(name)) return 'expect header not supported';
  return clientsOwn.test(name) ? `invalid ${name} header` : undefined;
}

/** RFC 9110, 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~\w]+$/;

/** The client writes these headers itself, or does not support them. */
const clientsOwn = /^(?:connection|content-length|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** RFC 9110, 5.5. */
const notInValue = /[^\t\x20-\x7e\x80-\xff]/;

/** The headers after a status line, by their names in lower case. Repeated headers are joined (RFC 9110, 5.3). */
export function headersIn(head: string): HttpAnswer['headers'] {
  // Without a prototype, `__proto__` is an ordinary name.
  const headers: Record<string, string> = Object.create(null);
  for (const line of head.split('\r\n').slice(1, -2)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).replace(/^[\t ]+|[\t ]+$/g, '');
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/**
 * An answer that came before its request was sent does not count (RFC 9112, 9.3): taken for the answer to the next
 * request, it would acknowledge what the server never saw. So unsolicited bytes close their connection. Unsolicited
 * bytes may also arrive just after the next request was written: hence `EagerServers`.
 */
export const unsolicitedResponse = () => failed('answered_unasked', {}, { retryAfterMs: 0, isUnsent: true });

/** Servers that sent unsolicited bytes. Each request to them gets a new connection, free of leftovers. */
export class EagerServers {
  readonly #origins = new Set<string>();

  has(origin: string): boolean {
    return this.#origins.has(origin);
  }

  add(origin: string): void {
    // Redirects may lead to ever more servers.
    if (this.#origins.size >= mostEager) this.#origins.clear();
    this.#origins.add(origin);
  }

  /** Calls `goOn` once all unsolicited bytes are read. Eager servers get more time to send them. */
  afterUnsolicited(origin: string, goOn: () => void): void {
    // On a busy machine, bytes that came in time may still wait to be read.
    if (this.has(origin)) setTimeout(() => afterNextPoll(goOn), listenMs);
    else afterNextPoll(goOn);
  }
}

const mostEager = 1_000;

/** The time to listen to an eager server before a request. */
const listenMs = 50;

/** Calls `goOn` when all bytes that have arrived by now are read. */
function afterNextPoll(goOn: () => void): void {
  // The first callback comes in this turn of the event loop, the second after the next one's reads.
  setImmediate(() => setImmediate(goOn));
}

/**
 * Writes a piece when the connection has taken the one before and the process had its turn, until `to` is destroyed.
 * Destroys it with a `ClientError` if the pieces are not as long as announced: the rest would begin the next request.
 *
 * @param writeLast Writes the last piece: the request is whole then.
 */
export function writePieces(streamed: Streamed, to: Socket, writeLast: (piece: Uint8Array) => void): void {
  const pieces = streamed.pieces()[Symbol.iterator]();
  let left = streamed.byteLength;
  const goOn = () => {
    if (to.destroyed) return;
    const { value, done } = pieces.next();
    left -= value?.length ?? 0;
    if (done || left < 0) return void to.destroy(failed('request_malformed', { reason: notAsLong }));
    if (left > 0) return void to.write(value, () => setImmediate(goOn));
    writeLast(value);
  };
  goOn();
}

const notAsLong = 'its body is not as long as announced';

/** Decodes UTF-8 in header values, which hold one byte a character. */
export function utf8(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
