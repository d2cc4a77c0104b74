/** How outputs send requests: redirects, statuses, and additions of extensions. */
import { failed, retryAfter, retryOf } from '@form-relay/base/client_error';
import { hopsHeader, type TracingHeaders } from '@form-relay/base/trace_context';
import { parseUrl } from '@form-relay/base/url';
import { version } from '@form-relay/base/version';
import type { HttpAnswer, HttpRequest, Redirector, Services } from '../services.ts';

export interface OutputRequest extends Pick<HttpRequest, 'method' | 'url'>, RequestParts {
  /** The same for every attempt, so that a server that supports `Idempotency-Key` accepts the submission once. */
  readonly id: string | undefined;
  readonly contentType: string | undefined;
  readonly body: HttpRequest['body'];
  readonly streamed?: HttpRequest['streamed'];
  readonly signal?: HttpRequest['signal'];
}

/** Parts of an output's request that extensions set (`Delivery.request`). */
export interface RequestParts {
  /** Names in lower case, values with one byte per character. Not sent to another origin. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent to every origin, because the headers contain no secret. */
  readonly tracing?: TracingHeaders | undefined;
  /** The statuses that mean success. Default: all below 300, 302 and 303. */
  readonly accepts?: ((status: number) => boolean) | undefined;
  /** Checks a successful response. Throws a `ClientError` if it means that the request was refused. */
  readonly judge?: ((answer: FinalAnswer) => void) | undefined;
  /** The service's own error code in a refusal, for the log. */
  readonly codeOf?: ((body: string) => string | undefined) | undefined;
}

/** The response to the last request, after redirects. */
export interface FinalAnswer extends HttpAnswer {
  /** The address that responded. `Location` may be relative to it. */
  readonly from: URL;
  /** Whether it followed a redirect to another origin. */
  readonly isElsewhere: boolean;
  /** Whether it is compressed although the relay requested it uncompressed. */
  readonly isCompressed: boolean;
}

type Used = Pick<Services, 'http' | 'now'>;

/** Sends a request once. Rejects with a `ClientError` unless the server accepted it. */
export const sendRequest = (request: OutputRequest, timeoutMs: number, services: Used) =>
  sendAndThen(request, timeoutMs, services, (answer) => answer);

/** Like `sendRequest`, but resolves with the result of `read`, which saves the promise of a `then`. */
export const sendAndThen = <T>(
  request: OutputRequest,
  timeoutMs: number,
  services: Used,
  read: (answer: FinalAnswer) => T,
): Promise<T> => new RedirectingRequest(request, timeoutMs, services, read).send();

/** A warning about a successful response that is a redirect without a valid Location. */
export function warningOf(answer: FinalAnswer): string | undefined {
  // Most responses are not redirects, and headers are parsed when they are first read.
  if (!seeOther.has(answer.status)) return undefined;
  const { location } = answer.headers;
  return location && parseUrl(location, answer.from)
    ? undefined
    : 'the server answered with a redirect without a valid Location, and may not have accepted the delivery';
}

/** "Done, look there", the usual response of applications to a form. */
const seeOther: ReadonlySet<number> = new Set([302, 303]);

/** Redirects that repeat the request. A 301 does not turn into a GET here, since receivers mean "post there". */
const isRepeated: ReadonlySet<number> = new Set([301, 307, 308]);

const none: readonly Redirector[] = [];
const noAnswer: HttpAnswer = { status: 0, headers: {}, body: '' };
const mostRedirects = 3;
const userAgent = `form-relay/${version}`;

const unfollowed = {
  nowhere: 'without an address',
  away: 'from https to http, or to an address that is not http or https; nothing was sent there',
  circle: 'back to an earlier address',
  too_often: `after ${mostRedirects} others`,
};

/**
 * 302 and 303 mean "done, look there" and are not followed; 301, 307 and 308 repeat the request elsewhere. A
 * class, so that its steps share no closure. In the end, the object itself is the response.
 */
class RedirectingRequest<T> implements FinalAnswer {
  readonly #request: OutputRequest;
  readonly #services: Used;
  readonly #read: (answer: FinalAnswer) => T;
  readonly #timeoutMs: number;
  readonly #deadline: number;
  #url: URL;
  #headers: Record<string, string>;
  #from: readonly Redirector[] = none;
  isElsewhere = false;
  status = 0;
  #answer: HttpAnswer = noAnswer;

  constructor(request: OutputRequest, timeoutMs: number, services: Used, read: (answer: FinalAnswer) => T) {
    this.#request = request;
    this.#services = services;
    this.#read = read;
    this.#timeoutMs = timeoutMs;
    this.#deadline = services.now() + timeoutMs;
    this.#url = request.url;
    const own = ownHeaders(request);
    // Without a prototype, `__proto__` is an ordinary name.
    this.#headers = request.headers ? Object.assign(Object.create(null), own, request.headers) : own;
    // The owner's `traceparent` overrides the relay's, but a hop count must not, or it could hide a loop.
    if (request.headers && request.tracing) this.#headers[hopsHeader] = request.tracing.hops;
  }

  get from(): URL {
    return this.#url;
  }

  get headers(): HttpAnswer['headers'] {
    return this.#answer.headers;
  }

  get body(): string {
    return this.#answer.body;
  }

  get isCut(): boolean {
    return this.#answer.isCut ?? false;
  }

  get isCompressed(): boolean {
    return /br|compress|deflate|gzip|zstd/i.test(this.headers['content-encoding'] ?? '');
  }

  send(): Promise<T> {
    const { method, body, streamed, signal } = this.#request;
    // The clock may have been set back.
    const timeoutMs = Math.max(1, Math.min(this.#timeoutMs, this.#deadline - this.#services.now()));
    const request = {
      method,
      url: this.#url,
      redirectedFrom: this.#from[0],
      headers: this.#headers,
      body: streamed ? '' : body,
      streamed,
      timeoutMs,
      signal,
    };
    return this.#services.http(request).then(this.#understand);
  }

  readonly #understand = (answer: HttpAnswer): T | Promise<T> => {
    const { accepts, codeOf, judge } = this.#request;
    const { status } = answer;
    if (isRepeated.has(status)) return this.#follow(answer);
    if (!(accepts ? accepts(status) : status < 300 || seeOther.has(status)))
      throw failed(
        'http_status',
        { status, isElsewhere: this.isElsewhere, code: codeOf?.(answer.body) },
        retryOf(status, retryAfter(answer.headers['retry-after'], this.#services.now())),
      );
    // The server responded before it got the whole request, so it cannot have accepted it.
    if (answer.isEarly) throw failed('answered_early', { status });
    this.status = status;
    this.#answer = answer;
    judge?.(this);
    return this.#read(this);
  };

  #follow({ status, headers: { location }, remoteAddress }: HttpAnswer): Promise<T> {
    const refuse = (why: keyof typeof unfollowed) =>
      failed('redirect_unfollowed', { status, why: unfollowed[why] });
    const from = this.#url;
    const next = location ? parseUrl(location, from) : undefined;
    if (!next) throw refuse('nowhere');
    next.hash = '';
    const isWeb = next.protocol === 'https:' || next.protocol === 'http:';
    if (!isWeb || (from.protocol === 'https:' && next.protocol === 'http:')) throw refuse('away');
    this.#from = [{ url: from, remoteAddress }, ...this.#from];
    if (this.#from.some(({ url }) => next.href === url.origin + url.pathname + url.search))
      throw refuse('circle');
    if (this.#from.length > mostRedirects) throw refuse('too_often');
    if (next.origin !== from.origin) {
      // Any configured header may be a credential, not only `Authorization`.
      this.#headers = ownHeaders(this.#request);
      this.isElsewhere = true;
    }
    this.#url = next;
    return this.send();
  }
}

/** A new object each time, written out because V8 spreads slowly. */
function ownHeaders({ contentType, id, tracing }: OutputRequest): Record<string, string> {
  if (contentType === undefined || id === undefined)
    return {
      ...(contentType !== undefined && { 'content-type': contentType }),
      'user-agent': userAgent,
      ...(id !== undefined && { 'idempotency-key': id }),
      ...(tracing && { traceparent: tracing.traceparent, [hopsHeader]: tracing.hops }),
    };
  return tracing
    ? {
        'content-type': contentType,
        'user-agent': userAgent,
        'idempotency-key': id,
        traceparent: tracing.traceparent,
        [hopsHeader]: tracing.hops,
      }
    : { 'content-type': contentType, 'user-agent': userAgent, 'idempotency-key': id };
}
