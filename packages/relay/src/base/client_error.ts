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

/** Whether and when another try may help. */
export interface Retry {
  /** Another try may succeed, after at least so many milliseconds. `undefined`: it would end the same way. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the other side certainly got nothing. Default: no. */
  readonly isUnsent?: boolean;
}

/** An expected failure of a conversation with another server. */
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

/** Makes a `ClientError` of a code and what its words need. */
export function failed<C extends ClientErrorCode>(
  code: C,
  ...[params = {} as Params<C>, retry]: Record<never, never> extends Params<C>
    ? [params?: Params<C>, retry?: Retry]
    : [params: Params<C>, retry?: Retry]
): ClientError {
  return new ClientError(say(code, params), { ...retry, code, params });
}

const saidByServices: readonly ClientErrorCode[] = ['http_status', 'service_refused', 'answer_unexpected'];

/** The code that a service gave for what is wrong, where the failure tells one. */
export const serviceCodeIn = ({ code, params }: ClientError): string | undefined =>
  saidByServices.includes(code) ? (params as ServiceCode).code : undefined;

/** The same failure without that code. */
export const withoutServiceCode = (error: ClientError): ClientError =>
  failed(error.code as 'service_refused', { ...error.params, code: undefined }, error);
