import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import type { Streamed } from '@form-relay/base/streamed';
import type { HttpAnswer, HttpRequest } from '@form-relay/core/services';
import { failed } from '../failures.ts';

/** The maximum number of 1xx responses before the final one. */
export const mostInterim = 16;

/** The size limit of a response's body. If a body is longer, the rest is cut off and the connection is closed. */
export const bodyLimitBytes = 65_536;

/** The size limit of a status line and its headers. */
export const headLimitBytes = 32_768;

/**
 * The size limit of 1xx responses, status line, headers and chunk framing together: enough for a body of 64
 * KB in chunks of one byte.
 */
export const framingLimitBytes = 458_752;

/**
 * Asks for a response without content coding: short responses gain nothing from one, and without this header
 * the server may use any (RFC 9110, 12.5.3). The owner may ask for another coding.
 */
export const uncoded = { 'accept-encoding': 'identity' };

/** Whether someone other than the owner chose the address. */
export const isSentByOthers = ({ redirectedFrom, isPublicOnly }: HttpRequest): boolean =>
  redirectedFrom !== undefined || isPublicOnly === true;

/**
 * Checks the address of a request that others chose, and returns the request. Rejects with a `ClientError` if
 * they may not lead the relay to it.
 *
 * @param canResolve Whether the relay can resolve names on this platform.
 */
export async function guarded(
  { redirectedFrom, isPublicOnly, ...request }: HttpRequest,
  canResolve: boolean,
): Promise<HttpRequest> {
  if (!isPublicOnly && redirectedFrom?.url.origin === request.url.origin) return request;
  const { guardAddress } = await import('./redirect_guard.ts');
  return guardAddress(request, isPublicOnly ? undefined : redirectedFrom, canResolve);
}

/** A header line as sent. Throws a `ClientError` if the header cannot be sent or is reserved for the client. */
export function headerLine(name: string, value: string): string {
  const header = known.get(name) ?? newHeader(name);
  if (header.complaint !== undefined) throw failed('request_malformed', { reason: header.complaint });
  if (value === header.value) return header.line;
  if (notInValue.test(value)) throw failed('request_malformed', { reason: `invalid ${name} header` });
  header.value = value;
  header.line = `${name}: ${value}\r\n`;
  return header.line;
}

interface Header {
  readonly complaint: string | undefined;
  /** The latest valid value, cached because most stay the same. */
  value: string | undefined;
  line: string;
}

function newHeader(name: string): Header {
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

/** A token (RFC 9110, 5.6.2). */
const token = /^[!#$%&'*+\-.^_`|~\w]+$/;

/** Headers that the client writes itself or does not support. */
const clientsOwn = /^(?:connection|content-length|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** A character that field values cannot contain (RFC 9110, 5.5). */
const notInValue = /[^\t\x20-\x7e\x80-\xff]/;

/** The length of a body and the reuse of its connection, according to the head (RFC 9112, 6.3 and 9.3). */
export interface Framing {
  readonly lengthBytes: number | 'chunked' | 'until_end';
  /** How long the connection may be idle before the next request. 0 if it must not be reused. */
  readonly restMs: number;
}

/** Most servers close idle connections after 5 s or more. */
export const usualRestMs = 4_000;
/** How much earlier the relay closes a connection than the server announces. */
const marginMs = 2_000;
const mostRestMs = 600_000;

/**
 * Reads a well-formed head. Returns `undefined` if the head contradicts itself, as in response smuggling: two
 * lengths, even equal ones, or a length and a transfer coding.
 */
export function framingOf(head: string): Framing | undefined {
  let length: number | undefined;
  let hasTransferCoding = false;
  let isChunked = false;
  let keeps = head.startsWith('1.1', 5);
  let closes = false;
  let restMs = usualRestMs;
  for (let start = head.indexOf('\n') + 1; start < head.length - 2; ) {
    const end = head.indexOf('\r', start);
    const name = framingName(head, start);
    if (name !== undefined) {
      const value = head.slice(start + name.length + 1, end);
      if (name === 'content-length') {
        if (length !== undefined) return undefined;
        length = lengthIn(value);
        if (length === undefined) return undefined;
      } else if (name === 'transfer-encoding') {
        // The last coding in the last header counts.
        if (/[^\t ]/.test(value)) {
          hasTransferCoding = true;
          isChunked = /(?:^|,)[\t ]*chunked[\t ]*$/i.test(value);
        }
      } else if (name === 'connection') {
        if (/close/i.test(value)) closes = true;
        else if (/(?:^|,)[\t ]*keep-alive[\t ]*(?:,|$)/i.test(value)) keeps = true;
      } else {
        const seconds = /timeout=(\d{1,9})/i.exec(value)?.[1];
        if (seconds !== undefined) restMs = Math.min(Number(seconds) * 1_000 - marginMs, mostRestMs);
      }
    }
    start = end + 2;
  }
  if (hasTransferCoding && length !== undefined) return undefined;
  const lengthBytes = isChunked ? 'chunked' : hasTransferCoding ? 'until_end' : (length ?? 'until_end');
  return { lengthBytes, restMs: keeps && !closes ? Math.max(0, restMs) : 0 };
}

/**
 * The name of a header that affects framing, in lower case. First letter and length exclude most other
 * headers.
 */
function framingName(head: string, start: number): string | undefined {
  const first = head.charCodeAt(start) | 0x20;
  if (first !== 0x63 && first !== 0x6b && first !== 0x74) return undefined;
  const colon = head.indexOf(':', start);
  const length = colon - start;
  if (length !== 10 && length !== 14 && length !== 17) return undefined;
  const name = head.slice(start, colon).toLowerCase();
  return framingNames.has(name) ? name : undefined;
}

const framingNames = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

const mostLength = 2n ** 64n - 1n;

/** A length; `undefined` unless it is a 64-bit number. */
function lengthIn(value: string): number | undefined {
  const digits = /^[\t ]*(\d+)[\t ]*$/.exec(value)?.[1];
  if (digits === undefined) return undefined;
  return digits.length < 16 || BigInt(digits) <= mostLength ? Number(digits) : undefined;
}

/** The headers after a status line, by name in lower case. Repeated headers are joined (RFC 9110, 5.3). */
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
 * A response that came before its request was sent does not count (RFC 9112, 9.3): taken for the response to the
 * next request, it would acknowledge data that the server never got. So unsolicited bytes close the connection.
 * Unsolicited bytes may also arrive just after the next request was written, which is why there is `EagerServers`.
 */
export const unsolicitedResponse = () => failed('answered_unasked', {}, { retryAfterMs: 0, isUnsent: true });

/**
 * Servers that sent unsolicited bytes. Each request to them gets a new connection, on which nothing can be
 * left over.
 */
export class EagerServers extends Set<string> {
  override add(origin: string): this {
    // Redirects may lead to ever more servers.
    if (this.size >= mostEager) this.clear();
    return super.add(origin);
  }

  /** Calls `goOn` when all unsolicited bytes have been read. Eager servers get more time to send them. */
  afterUnsolicited(origin: string, goOn: () => void): void {
    // On a busy machine, bytes that came in time may still be unread.
    if (this.has(origin)) setTimeout(() => afterNextPoll(goOn), listenMs);
    else afterNextPoll(goOn);
  }
}

const mostEager = 1_000;

/** How long to listen to an eager server before a request. */
const listenMs = 50;

/** Calls `goOn` when all bytes that have arrived by now have been read. */
function afterNextPoll(goOn: () => void): void {
  // The first callback runs in this turn of the event loop, the second after the reads of the next turn.
  setImmediate(() => setImmediate(goOn));
}

/**
 * Writes each piece after the previous one was written and other events were handled, until `to` is
 * destroyed. If the pieces are shorter or longer than announced, destroys `to` with a `ClientError`, because
 * the rest would be taken for the next request.
 *
 * @param writeLast Writes the last piece, which completes the request.
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

const notAsLong = 'the body is shorter or longer than announced';

/** Decodes UTF-8 in header values, which have one character per byte. */
export function utf8(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
