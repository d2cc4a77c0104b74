import { ClientError, failed } from '../../../base/client_error.ts';
import { connectionFailure } from '../../../transports/socket.ts';

/** An error of the client library, of JetStream (with its number), or of the system below it. */
interface Found extends Error {
  readonly code?: unknown;
  readonly operation?: unknown;
  readonly subject?: unknown;
}

/** JetStream's numbers for "it is full": of the stream, of the account, of the server's disk. */
const fullCodes: readonly unknown[] = [10_077, 10_048, 10_002, 10_028, 10_047, 10_023];

const mayPass = { retryAfterMs: 0 };

/** Whether a failure says that nothing more fits. */
export const isFull = (error: unknown): boolean => error instanceof ClientError && error.code === 'nats_full';

/** Why a stream did not do it. What is no failure to expect comes back as it is. */
export function natsFailure(error: unknown, stream: string, timeoutMs: number): unknown {
  if (error instanceof ClientError || !(error instanceof Error)) return error;
  const parts = causesOf(error);
  const named = (name: string) => parts.find((one) => one.name === name);
  const system = parts.find(({ code }) => typeof code === 'string');
  if (/MODULE_NOT_FOUND$/.test(String(system?.code))) return failed('nats_client_missing');
  if (system) return connectionFailure(system as NodeJS.ErrnoException, 'answer');
  const violation = named('PermissionViolationError');
  if (violation) return failed('nats_not_allowed', { what: `${violation.operation} ${violation.subject}` });
  if (named('AuthorizationError') || named('UserAuthenticationExpiredError'))
    return failed('nats_login_refused');
  if (named('TimeoutError')) return failed('timed_out', { timeoutMs }, mayPass);
  if (named('StreamNotFoundError')) return failed('nats_no_stream', { stream });
  if (named('ConsumerNotFoundError')) return failed('nats_no_consumer', { stream });
  if (named('JetStreamNotEnabled')) return failed('nats_without_jetstream', { stream }, mayPass);
  const refused = named('JetStreamApiError');
  if (refused) return refusal(Number(refused.code), stream);
  if (named('ClosedConnectionError') || named('RequestError'))
    return failed('closed', { before: 'answer' }, mayPass);
  const connection = named('ConnectionError');
  if (/'tls'/.test(connection?.message ?? '')) return failed('nats_without_tls');
  return connection ? failed('connection_failed', { call: 'connect', codes: ['NATS'] }, mayPass) : error;
}

function refusal(code: number, stream: string): ClientError {
  if (fullCodes.includes(code)) return failed('nats_full', { stream }, mayPass);
  if (code === 10_054) return failed('nats_too_large', { stream });
  // Another stream has the subject.
  if (code === 10_060) return failed('nats_no_stream', { stream });
  return failed('nats_refused', { code }, mayPass);
}

const causesOf = (error: Error): readonly Found[] =>
  error.cause instanceof Error ? [error, ...causesOf(error.cause)] : [error];
