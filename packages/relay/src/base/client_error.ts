import { type ClientErrorCode, type Params, type ServiceCode, say } from './client_error_words.ts';

export type {
  Awaited,
  ClientErrorCode,
  Params,
  RecipientProblem,
  S3Action,
  SmtpCommand,
  SmtpMechanism,
  UnusedBucket,
} from './client_error_words.ts';

export interface Retry {
  /** The least wait before another try, in milliseconds. `undefined`: another try would fail the same way. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the other side certainly received nothing. Default: no. */
  readonly isUnsent?: boolean;
}

/** An expected failure while talking to another server. */
export class ClientError extends Error {
  override name = 'ClientError';
  readonly code: ClientErrorCode;
  readonly params: object;
  readonly retryAfterMs: number | undefined;
  readonly isUnsent: boolean;

  /** @param message For the owner's log: it names the cause and never holds a submitted value or a secret. */
  constructor(
    message: string,
    options: Retry & { readonly code?: ClientErrorCode; readonly params?: object } = {},
  ) {
    super(message);
    this.code = options.code ?? 'other';
    this.params = options.params ?? { message };
    this.retryAfterMs = options.retryAfterMs;
    this.isUnsent = options.isUnsent ?? false;
  }
}

export function failed<C extends ClientErrorCode>(
  code: C,
  ...[params = {} as Params<C>, retry]: Record<never, never> extends Params<C>
    ? [params?: Params<C>, retry?: Retry]
    : [params: Params<C>, retry?: Retry]
): ClientError {
  return new ClientError(say(code, params), { ...retry, code, params });
}

const saidByServices: readonly ClientErrorCode[] = ['http_status', 'service_refused', 'answer_unexpected'];

export const serviceCodeIn = ({ code, params }: ClientError): string | undefined =>
  saidByServices.includes(code) ? (params as ServiceCode).code : undefined;

export const withoutServiceCode = (error: ClientError): ClientError =>
  failed(error.code as 'service_refused', { ...error.params, code: undefined }, error);

/** A stack trace without the error's message, which may hold submitted values. */
export const stackOf = (error: unknown): readonly string[] =>
  error instanceof Error
    ? [error.name, ...(error.stack?.match(/^\s+at .*$/gm) ?? []).map((frame) => frame.trim())]
    : [];
