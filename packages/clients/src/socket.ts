import type net from 'node:net';
import type { LookupFunction } from 'node:net';
import type tls from 'node:tls';
import type { ClientError, Retry } from '@form-relay/base/client_error';
import { readAddress } from '@form-relay/base/networks';
import type { Streamed } from '@form-relay/base/streamed';
import { type Awaited, failed } from './failures.ts';

type Callback = Parameters<LookupFunction>[2];

const underWay = new Map<string, Callback[]>();

/**
 * Like `dns.lookup`, but simultaneous lookups of a host share one result, which is not cached. If the DNS
 * hangs, each lookup would occupy one of the process's few threads.
 *
 * All connections use the same options, so the host is sufficient as a key.
 */
const lookup: LookupFunction = (host, options, callback) => {
  const waiting = underWay.get(host);
  if (waiting) {
    waiting.push(callback);
    return;
  }
  const callbacks = [callback];
  underWay.set(host, callbacks);
  // Loaded late, because a cold start may not need a lookup.
  process.getBuiltinModule('node:dns').lookup(host, options, (...answer) => {
    underWay.delete(host);
    for (const callback of callbacks) callback(...answer);
  });
};

export const connectOptions = {
  lookup,
  // Node's default of 250 ms per address, except for the last one, is too short after a lost packet.
  autoSelectFamilyAttemptTimeout: 2_000,
};

/** @param addresses The checked addresses of the host. Default: what the DNS returns. */
export function connectOptionsFor(addresses: readonly string[] | undefined) {
  if (!addresses) return connectOptions;
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const known: LookupFunction = (_, { all }, callback) => {
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
  return { ...connectOptions, lookup: known };
}

/** @param addresses `undefined` allows any address. */
export function isAmong(found: string | undefined, addresses: readonly string[] | undefined): boolean {
  if (!addresses || found === undefined) return true;
  const written = String(readAddress(found));
  return addresses.some((address) => String(readAddress(address)) === written);
}

/**
 * Explains why a connection to another server failed. Uses only error codes, because an error's message can
 * quote the server.
 *
 * @param before The step that was next.
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

/** OpenSSL's verification errors as Node names them. These names have no common prefix. */
const certificateCode =
  /CERT|CRL|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$|^(PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|UNSPECIFIED)$/;

const unreachableCodes = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);

/** A retry may help if a connection could not be made or broke. */
function retryOf(parts: readonly NodeJS.ErrnoException[]): Retry {
  const mayPass = parts.some(({ code = '' }) => closedCodes.has(code) || unmadeCodes.has(code));
  return mayPass ? { retryAfterMs: 0, isUnsent: parts.every(isUnsent) } : {};
}

/** Temporary reasons why a connection could not be made. */
const unmadeCodes = new Set([
  ...unreachableCodes,
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EMFILE',
  'ENFILE',
]);

/** If there was no connection, nothing was sent. */
const isUnsent = ({ syscall }: NodeJS.ErrnoException) => syscall === 'connect' || syscall === 'getaddrinfo';

/** For a host with several addresses, the error is an `AggregateError` without its own `syscall`. */
const partsOf = (error: NodeJS.ErrnoException): readonly NodeJS.ErrnoException[] =>
  error instanceof AggregateError ? error.errors : [error];

/** The host of a URL, without the brackets around an IPv6 address. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** The server name for TLS, which must not be an IP address (RFC 6066, 3). */
export const serverName = (host: string): string =>
  process.getBuiltinModule('node:net').isIP(host) ? '' : host;

/** When the certificate of a TLS connection expires, in milliseconds since the epoch; `undefined` without TLS. */
export function certificateUntil(socket: net.Socket): number | undefined {
  const { getPeerCertificate } = socket as Partial<tls.TLSSocket>;
  const until = getPeerCertificate?.call(socket as tls.TLSSocket).valid_to;
  return until === undefined ? undefined : Date.parse(until);
}

/** The pieces of a stream, yielding to the event loop between them. */
export async function* yieldingPieces(streamed: Streamed): AsyncGenerator<Uint8Array, void, void> {
  let isFirst = true;
  for (const piece of streamed.pieces()) {
    if (!isFirst) await new Promise<void>((resolve) => setImmediate(resolve));
    isFirst = false;
    yield piece;
  }
}
