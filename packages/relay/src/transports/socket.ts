import type net from 'node:net';
import type { LookupFunction } from 'node:net';
import type tls from 'node:tls';
import { type Awaited, type ClientError, failed, type Retry } from '../base/client_error.ts';
import type { Streamed } from '../base/streamed.ts';

type Callback = Parameters<LookupFunction>[2];

const underWay = new Map<string, Callback[]>();

/**
 * `dns.lookup`, but those who ask for the same host at the same time share one answer, which is not kept. A lookup
 * occupies one of the few threads that the process has for it, and for long where the DNS hangs (D47).
 *
 * All connections ask in the same way, so the host says which answers are the same.
 */
const lookup: LookupFunction = (host, options, callback) => {
  const waiting = underWay.get(host);
  if (waiting) {
    waiting.push(callback);
    return;
  }
  const callbacks = [callback];
  underWay.set(host, callbacks);
  // Not imported above: a cold start may look up no host.
  process.getBuiltinModule('node:dns').lookup(host, options, (...answer) => {
    underWay.delete(host);
    for (const callback of callbacks) callback(...answer);
  });
};

/** How every connection to another server is made (D47). */
export const connectOptions = {
  lookup,
  // Node's default leaves each address of a host but the last 250 ms: too little after one lost packet.
  autoSelectFamilyAttemptTimeout: 2_000,
};

/**
 * Why a connection to another server failed. Made from error codes alone: an error's own message can hold what the
 * other side sent.
 *
 * @param before What would have come next.
 */
export function connectionFailure(error: NodeJS.ErrnoException, before?: Awaited): ClientError {
  const parts = partsOf(error);
  const [{ code = error.name, syscall: call = 'connect' } = error] = parts;
  const codes = [...new Set(parts.map(({ code = error.name }) => code))];
  const retry = retryOf(parts);
  if (closedCodes.has(code)) return failed('closed', { before }, retry);
  if (code === 'HPE_HEADER_OVERFLOW') return failed('headers_too_long');
  if (code.startsWith('HPE_')) return failed('not_http');
  if (call === 'getaddrinfo') return failed('unresolved', { code }, retry);
  if (tlsCode.test(code)) return failed('tls_failed', { code });
  if (code === 'CERT_HAS_EXPIRED') return failed('certificate_expired', { code });
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return failed('certificate_of_another_name', { code });
  if (certificateCode.test(code)) return failed('certificate_untrusted', { code });
  if (codes.includes('ECONNREFUSED')) return failed('nobody_listens', { call, codes }, retry);
  if (unreachableCodes.has(code)) return failed('unreachable', { call, codes }, retry);
  return failed('connection_failed', { call, codes }, retry);
}

const closedCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']);

const tlsCode = /^(ERR_SSL_|ERR_TLS_HANDSHAKE|EPROTO$)/;

/** OpenSSL's verification errors as Node names them; they share no prefix. */
const certificateCode =
  /CERT|CRL|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$|^(PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|UNSPECIFIED)$/;

const unreachableCodes = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);

/** A connection that could not be made, or that broke, may be better the next time. */
function retryOf(parts: readonly NodeJS.ErrnoException[]): Retry {
  const mayPass = parts.some(({ code = '' }) => closedCodes.has(code) || unmadeCodes.has(code));
  return mayPass ? { retryAfterMs: 0, isUnsent: parts.every(isUnsent) } : {};
}

/** Why no connection was made, as far as it may pass. */
const unmadeCodes = new Set([
  ...unreachableCodes,
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EMFILE',
  'ENFILE',
]);

/** Nothing was connected, so nothing was sent. */
const isUnsent = ({ syscall }: NodeJS.ErrnoException) => syscall === 'connect' || syscall === 'getaddrinfo';

/** A host with several addresses fails with the errors of all in one, which has no `syscall` of its own. */
const partsOf = (error: NodeJS.ErrnoException): readonly NodeJS.ErrnoException[] =>
  error instanceof AggregateError ? error.errors : [error];

/** When a TLS connection's certificate ends, in milliseconds since the epoch; `undefined` without TLS. */
export function certificateUntil(socket: net.Socket): number | undefined {
  const { getPeerCertificate } = socket as Partial<tls.TLSSocket>;
  const until = getPeerCertificate?.call(socket as tls.TLSSocket).valid_to;
  return until === undefined ? undefined : Date.parse(until);
}

export const endsSoon = (certificateUntil: number | undefined, now: number): boolean =>
  certificateUntil !== undefined && certificateUntil - now < soonMs;

/** Certificates are renewed 30 days before their end, as a rule: one with less than this left is forgotten. */
const soonMs = 14 * 86_400_000;

/** `2031-01-31`. */
export const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The pieces, and between them whatever else the process has to do. */
export async function* yieldingPieces(streamed: Streamed): AsyncGenerator<Uint8Array, void, void> {
  let isFirst = true;
  for (const piece of streamed.pieces()) {
    if (!isFirst) await new Promise<void>((resolve) => setImmediate(resolve));
    isFirst = false;
    yield piece;
  }
}
