import type { Remedy } from '../effects.ts';

/**
 * Why a connection to another server failed, for the operator's log. Built from error codes
 * alone: an error's own message can hold what the other side sent.
 *
 * @param closed What to say when the other side just went away.
 */
export function connectionFailure(error: NodeJS.ErrnoException, closed: string): string {
  const { code = error.name, syscall } = error;
  if (closedCodes.has(code)) return closed;
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  if (syscall === 'getaddrinfo') return `could not resolve the host: ${code}`;
  if (/^(ERR_SSL_|ERR_TLS_HANDSHAKE|EPROTO$)/.test(code)) return `TLS failed: ${code}`;
  if (certificateCode.test(code)) return `certificate not trusted: ${code}`;
  // A host with several addresses fails with an AggregateError, which has no `syscall`.
  return `${syscall ?? 'connect'} ${code}`;
}

const closedCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']);

/** OpenSSL's verification errors as Node names them; they share no prefix. */
const certificateCode =
  /CERT|CRL|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$|^(PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|UNSPECIFIED)$/;

/** Nothing was connected, so nothing was sent. */
const unsentCodes = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']);

/** A connection that could not be made, or that broke, may be better the next time. */
export function connectionRemedy({ code = '', syscall }: NodeJS.ErrnoException): Remedy {
  const isUnsent = unsentCodes.has(code) || (code === 'ETIMEDOUT' && syscall === 'connect');
  return isUnsent || closedCodes.has(code) ? { retryAfterMs: 0, isUnsent } : {};
}
