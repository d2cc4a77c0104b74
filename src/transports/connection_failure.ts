import type { FailureKind, Remedy } from '../effects.ts';

/**
 * Why a connection to another server failed, for the operator's log. Built from error codes
 * alone: an error's own message can hold what the other side sent.
 *
 * @param closed What to say when the other side just went away.
 */
export function connectionFailure(error: NodeJS.ErrnoException, closed: string): string {
  if (error instanceof AggregateError) {
    return `connect ${[...new Set(partsOf(error).map(({ code }) => code))].join(', ')}`;
  }
  const { code = error.name, syscall } = error;
  if (closedCodes.has(code)) return closed;
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  if (syscall === 'getaddrinfo') return `could not resolve the host: ${code}`;
  if (tlsCode.test(code)) return `TLS failed: ${code}`;
  if (certificateCode.test(code)) return `certificate not trusted: ${code}`;
  return `${syscall ?? 'connect'} ${code}`;
}

const closedCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']);

const tlsCode = /^(ERR_SSL_|ERR_TLS_HANDSHAKE|EPROTO$)/;

/** OpenSSL's verification errors as Node names them; they share no prefix. */
const certificateCode =
  /CERT|CRL|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$|^(PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|UNSPECIFIED)$/;

/** What to give advice about. */
export function connectionKind(error: NodeJS.ErrnoException): FailureKind | undefined {
  const kinds = partsOf(error).map(kindOf);
  return kinds.find((kind) => kind === 'nobody_listens') ?? kinds[0];
}

function kindOf({ name, code = name, syscall }: NodeJS.ErrnoException): FailureKind | undefined {
  if (closedCodes.has(code)) return 'closed';
  if (syscall === 'getaddrinfo') return 'unresolved';
  if (code === 'ECONNREFUSED') return 'nobody_listens';
  if (/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(code)) return 'no_answer';
  if (tlsCode.test(code)) return 'tls';
  if (code === 'CERT_HAS_EXPIRED') return 'certificate_expired';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'certificate_of_another_name';
  return certificateCode.test(code) ? 'certificate_untrusted' : undefined;
}

/** A connection that could not be made, or that broke, may be better the next time. */
export function connectionRemedy(error: NodeJS.ErrnoException): Remedy {
  const parts = partsOf(error);
  if (!parts.some(({ code = '' }) => closedCodes.has(code) || unmadeCodes.has(code))) return {};
  return { retryAfterMs: 0, isUnsent: parts.every(isUnsent) };
}

/** Why no connection was made, as far as it may pass. */
const unmadeCodes = new Set([
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EMFILE',
  'ENETUNREACH',
  'ENFILE',
  'ETIMEDOUT',
]);

/** Nothing was connected, so nothing was sent. */
const isUnsent = ({ syscall }: NodeJS.ErrnoException) => syscall === 'connect' || syscall === 'getaddrinfo';

/** A host with several addresses fails with the errors of all in one, which has no `syscall` of its own. */
const partsOf = (error: NodeJS.ErrnoException): readonly NodeJS.ErrnoException[] =>
  error instanceof AggregateError ? error.errors : [error];
