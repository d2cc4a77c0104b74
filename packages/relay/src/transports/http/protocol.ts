import { failed } from '../../base/client_error.ts';
import type { HttpAnswer } from '../../base/effects.ts';

/** How much of an answer is read: more costs CPU and memory, and says nothing (D42). */

/** How many 1xx answers may come before the one that counts. */
export const mostInterim = 16;

/** How much of an answer's body is read. The rest is cut off, with the connection. */
export const bodyLimitBytes = 65_536;

/** A status line and its headers. */
export const headLimitBytes = 32_768;

/**
 * 1xx answers, status line, headers, and what surrounds the chunks of a body: as much as a body of 64 KB needs in chunks of
 * one byte each.
 */
export const framingLimitBytes = 458_752;

/** Throws a `ClientError` for a header that cannot be sent, or that is the client's own. */
export function checkHeader(name: string, value: string): void {
  const header = headerOf(name);
  if (header.complaint !== undefined) throw failed('request_malformed', { reason: header.complaint });
  if (value === header.sound) return;
  if (notInValue.test(value)) throw failed('request_malformed', { reason: `invalid ${name} header` });
  header.sound = value;
}

interface Header {
  readonly complaint: string | undefined;
  /** The last value under it that can be sent: most stay the same. */
  sound: string | undefined;
}

function headerOf(name: string): Header {
  const before = known.get(name);
  if (before) return before;
  const header = { complaint: complaintOf(name), sound: undefined };
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

/** The client writes these itself, or knows nothing of what they ask for. */
const clientsOwn = /^(?:connection|content-length|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** RFC 9110, 5.5. */
const notInValue = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * Headers by their names in lower case. Those that came several times are one (RFC 9110, 5.3).
 *
 * @param raw Name, value, name, value.
 */
export function joinedHeaders(raw: readonly string[]): HttpAnswer['headers'] {
  // Without a prototype, `__proto__` is a name like any other.
  const headers: Record<string, string> = Object.create(null);
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? '';
    const value = raw[at + 1] ?? '';
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/** The same, of a status line with its headers. */
export function headersIn(head: string): HttpAnswer['headers'] {
  const lines = head.split('\r\n').slice(1, -2);
  return joinedHeaders(
    lines.flatMap((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^[\t ]+|[\t ]+$/g, '')];
    }),
  );
}

/**
 * An answer that came before its request was sent does not count (D76; RFC 9112, 9.3): taken for the answer to the next
 * request, it would acknowledge what the server never saw. So bytes that nobody asked for close their connection. That
 * is not enough: they may arrive just after the next request was written. Hence `EagerServers`.
 */

export const unsolicitedResponse = () => failed('answered_unasked', {}, { retryAfterMs: 0, isUnsent: true });

/**
 * Servers that spoke without being asked. Each of their requests gets a connection of its own, on which nothing is left
 * from the one before.
 */
export class EagerServers {
  readonly #origins = new Set<string>();

  has(origin: string): boolean {
    return this.#origins.has(origin);
  }

  add(origin: string): void {
    // Redirects may lead to ever more of them.
    if (this.#origins.size >= mostEager) this.#origins.clear();
    this.#origins.add(origin);
  }

  /** Goes on once everything a server says before it is asked was read. Servers that did so before get more time. */
  afterUnsolicited(origin: string, goOn: () => void): void {
    // On a busy machine, what came in time may still wait to be read.
    if (this.has(origin)) setTimeout(() => afterNextPoll(goOn), listenMs);
    else afterNextPoll(goOn);
  }
}

const mostEager = 1_000;

/** How long an eager server is listened to before it gets a request. */
const listenMs = 50;

/** Goes on when everything was read that has arrived by now. */
export function afterNextPoll(goOn: () => void): void {
  // The first comes in this turn of the event loop, the second after the reading of the next one.
  setImmediate(() => setImmediate(goOn));
}
