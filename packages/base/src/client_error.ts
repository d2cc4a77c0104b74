export interface Retry {
  /** The shortest wait before a retry, in milliseconds. `undefined`: a retry would fail the same way. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the other side certainly received nothing. Default: no. */
  readonly isUnsent?: boolean;
  /** Whether only the owner can fix the cause: a retry, even tomorrow, fails the same way. Default: no. */
  readonly isLasting?: boolean;
}

/** An expected failure while talking to another server. */
export class ClientError extends Error {
  override name = 'ClientError';
  /** The kind of failure, such as `timed_out`; see `failures`. */
  readonly code: string;
  /** @internal */ readonly params: object;
  readonly retryAfterMs: number | undefined;
  /** @internal */ readonly isUnsent: boolean;
  readonly isLasting: boolean;

  /** @internal @param message For the owner's log: names the cause and never holds a submitted value or a secret. */
  constructor(message: string, options: Retry & { readonly code?: string; readonly params?: object } = {}) {
    super(message);
    this.code = options.code ?? 'other';
    this.params = options.params ?? { message };
    this.retryAfterMs = options.retryAfterMs;
    this.isUnsent = options.isUnsent ?? false;
    this.isLasting = options.isLasting ?? false;
  }
}

interface AuthorsFailure {
  /** Names the kind of failure, for the stores. */
  readonly code?: string;
}

/** A temporary failure: a retry may help after `afterMs`. `why` is for the owner's log, and holds no submitted value. */
export const retry = (
  why: string,
  { afterMs = 0, ...more }: AuthorsFailure & { readonly afterMs?: number } = {},
) => new ClientError(why, { ...more, retryAfterMs: afterMs });

/** A failure that only the owner can fix. */
export const fail = (why: string, more: AuthorsFailure = {}) =>
  new ClientError(why, { ...more, isLasting: true });

/** The words of each kind of failure: a text, or a function of the failure's parameters. */
type Words = Readonly<Record<string, string | ((params: never) => string)>>;

export type FailureParams<W extends Words, C extends keyof W> = W[C] extends (params: infer P) => string
  ? P
  : Record<never, never>;

/**
 * Makes `failed`, which makes the `ClientError` of a code: `failed('sqs_status', { status })`. The messages are
 * for the owner's log. A message quotes the other server's codes, never its texts, which can repeat an address.
 */
export const failures =
  <const W extends Words>(words: W) =>
  <C extends keyof W & string>(
    code: C,
    ...[params, retry]: Record<never, never> extends FailureParams<W, C>
      ? [params?: FailureParams<W, C>, retry?: Retry]
      : [params: FailureParams<W, C>, retry?: Retry]
  ): ClientError => {
    const text = words[code] as string | ((params: object) => string);
    const given: object = params ?? {};
    const message = typeof text === 'function' ? text(given) : text;
    return new ClientError(message, { ...retry, code, params: given });
  };

/** The failures of outputs and captchas. The clients have their own. */
export const outputWords = {
  http_status: ({ status, isElsewhere, code }: { status: number; isElsewhere: boolean } & ServiceCode) =>
    `the server answered ${status}${inBrackets(code)}${isElsewhere ? ' after a redirect to another origin' : ''}`,
  service_refused: ({ code }: ServiceCode) =>
    `the service answered that it rejected the request${inBrackets(code)}`,
  answer_cut: "the service's response is longer than 64 KB, or was cut off",
  answered_early: ({ status }: { status: number }) =>
    `the server answered ${status} before the request was complete`,
  /** A 301, 307 or 308 that the relay cannot follow: the server did not accept the request. */
  redirect_unfollowed: ({ status, why }: { status: number; why: string }) =>
    `the server answered ${status}, a redirect ${why}`,
  address_unset: ({ name }: { name: string }) => `${name}, which \`url_env\` names, is not set`,
  address_malformed: ({ name }: { name: string }) =>
    `${name}, which \`url_env\` names, is not a URL that starts with https:// or http://, without a user name`,
  mail_from_unset: 'MAIL_FROM_ADDRESS is not set',
  no_recipients: '`to` rendered to no e-mail address',
  recipients_empty: ({ key }: { key: string }) =>
    `a part of \`${key}\` rendered empty; is its environment variable set?`,
  recipients_malformed: ({ key }: { key: string }) =>
    `a part of \`${key}\` did not render to addresses like name@example.com`,
  rendered_empty: ({ key }: { key: string }) => `\`${key}\` rendered empty; is its environment variable set?`,
  captcha_secret_empty: 'the secret renders empty; is its environment variable set?',
  captcha_status: ({ status }: { status: number }) => `the provider answered ${status}`,
  captcha_verdict_cut: "the provider's response was cut off",
  captcha_without_verdict: 'the provider did not answer with a JSON object',
};

export interface ServiceCode {
  readonly code?: string | undefined;
}

export const inBrackets = (code: string | undefined): string => (code ? ` (${code})` : '');

export const failed = failures(outputWords);

/** A mistake in a plug-in, found by the relay. The message is for the owner. */
export class PluginMistake extends Error {}

/**
 * A stack trace without the error's message, which may hold submitted values. Removes message lines that look
 * like part of the trace, too.
 */
export const stackOf = (error: unknown): readonly string[] => {
  if (!(error instanceof Error)) return ['the thrown value is not an Error'];
  const { message, stack = '' } = error;
  const at = stack.indexOf(message);
  const frames = (at < 0 ? '' : stack.slice(at + message.length)).match(/^\s+at .*$/gm) ?? [];
  const name = /^\w+$/.test(error.name) ? error.name : 'Error';
  const head = error instanceof PluginMistake ? message : name;
  return [head, ...frames.map((frame) => frame.trim())];
};

/** Statuses of temporary failures: RFC 9110, 15.5.9 and 15.6; RFC 8470; RFC 6585. */
const passingStatuses = [408, 425, 429, 502, 503, 504];

/**
 * Whether a retry may help, after `waitMs` if the server set a wait. Does not retry a 429 without a wait,
 * because the retry would get a 429 again.
 */
export function retryOf(status: number, waitMs: number | undefined): Retry {
  if (!passingStatuses.includes(status)) return {};
  return { retryAfterMs: waitMs ?? (status === 429 ? undefined : 0) };
}

/** Parses the `Retry-After` header: seconds, or a date (RFC 9110, 10.2.3). Returns milliseconds from now. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  // `Date.parse` accepts almost anything as a date, such as `1-` or `2 s`.
  const date = /^[A-Z][a-z]+, .+ GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
