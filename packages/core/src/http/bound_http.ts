/** How plug-ins send requests: with the time limit, the trace and the id of the work that they belong to. */
import { fail, failed, retryAfter, retryOf } from '@form-relay/base/client_error';
import { parseJson, serviceCode, valueAt } from '@form-relay/base/json';
import { parseUrl } from '@form-relay/base/url';
import { writeUrlencoded } from '@form-relay/base/urlencoded';
import { type Addressed, addressOf, headerValue } from '../outputs/http.ts';
import { type FinalAnswer, type OutputRequest, type RequestParts, sendRequest } from '../outputs/request.ts';
import type { HttpMethod, Services } from '../services.ts';

export interface Http {
  /**
   * Sends a request once, and follows redirects that repeat it. Rejects unless the server accepted it; the
   * error tells the relay whether to retry.
   */
  send(request: PlainRequest): Promise<PlainAnswer>;
}

export interface PlainRequest {
  /** Default: `POST`. */
  readonly method?: HttpMethod;
  /** A URL, or the keys `url` and `url_env` of an output. */
  readonly url: URL | string | Addressed;
  /** Appended to the path of `url`: `v1/messages`. */
  readonly path?: string;
  /** Appended to the query of `url`. */
  readonly query?: Readonly<Record<string, string>>;
  /** Not sent to another origin after a redirect. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body: a value to write as JSON, the values of a form, or a text. */
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** The statuses that mean success. Default: all below 300, 302 and 303. */
  readonly accepts?: (status: number) => boolean;
  /** Evaluates a response with any status, including errors. */
  readonly judge?: (answer: PlainAnswer) => Verdict;
  /** A limit below the remaining time. */
  readonly timeoutMs?: number;
}

/** A service's own report on a request. */
export interface Verdict {
  /** Whether the service accepted the request, according to a successful response. Default: yes. */
  readonly isTaken?: boolean;
  /** The service's error code, such as `chat_not_found`, for the log. Never a text, which could repeat a submitted value. */
  readonly code?: unknown;
  /** The wait before the next attempt, in milliseconds. By default, the relay reads `Retry-After`. */
  readonly afterMs?: number | undefined;
  /** Whether another attempt may succeed. Default: according to the status, or yes if there is a wait. */
  readonly isPassing?: boolean;
}

export interface PlainAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The first 64 KB. */
  readonly body: string;
  /** The body, if it is JSON. */
  readonly json: unknown;
  /** A value in `json`, such as `at('error.code')`; `undefined` if there is none. */
  at(path: string): unknown;
}

/** The context of bound requests. */
export interface BoundTo {
  readonly services: Pick<Services, 'http' | 'now' | 'env'>;
  readonly signal: AbortSignal;
  /** The time limit for all requests together. */
  readonly timeoutMs: number;
  /** The id of a delivery, the same for each of its attempts. */
  readonly id?: string;
  readonly parts?: RequestParts | undefined;
  readonly onSend?: () => void;
}

export function boundHttp({ services, signal, timeoutMs, id, parts, onSend }: BoundTo): Http {
  const deadline = services.now() + timeoutMs;
  let requests = 0;
  return {
    send: async (given) => {
      if (signal.aborted) throw signal.reason;
      onSend?.();
      const { method = 'POST', headers, ...body } = bodyOf(given);
      // Every attempt sends its requests in the same order. A server treats requests with equal keys as one.
      if (method !== 'GET') requests += 1;
      const request: OutputRequest = {
        ...parts,
        ...body,
        method,
        url: urlOf(given, services),
        id: id && method !== 'GET' ? (requests === 1 ? id : `${id}.${requests}`) : undefined,
        headers: { ...headers, ...parts?.headers },
        accepts: given.judge ? () => true : (given.accepts ?? parts?.accepts),
        signal,
      };
      // The clock may have been set back.
      const leftMs = Math.max(1, Math.min(timeoutMs, deadline - services.now()));
      const waitMs = Math.min(given.timeoutMs ?? leftMs, leftMs);
      const answer = await sendRequest(request, waitMs, services).catch((error) => {
        // The signal's reason says which operation ran out of time.
        throw signal.aborted ? signal.reason : error;
      });
      const json = parseJson(answer.body);
      const plain: PlainAnswer = {
        status: answer.status,
        headers: answer.headers,
        body: answer.body,
        json,
        at: (path) => valueAt(json, path),
      };
      if (given.judge) heed(given.judge(plain), answer, given, services.now());
      return plain;
    },
  };
}

/** Throws a `ClientError` unless the service accepted the request. */
function heed(verdict: Verdict, answer: FinalAnswer, { accepts }: PlainRequest, now: number): void {
  const { status, isElsewhere, headers } = answer;
  const { isTaken = true, code: given } = verdict;
  // A plug-in may have computed the wait from values that the server sent.
  const afterMs = Number.isFinite(verdict.afterMs) ? verdict.afterMs : undefined;
  const isAccepted = accepts ? accepts(status) : status < 400;
  if (isAccepted && isTaken) return;
  if (isAccepted && answer.isCut) throw failed('answer_cut');
  const code = serviceCode(JSON.stringify([given ?? null]), '0');
  const waits = [retryAfter(headers['retry-after'], now) ?? [], afterMs ?? []].flat();
  const waitMs = waits.length > 0 ? Math.max(0, ...waits) : undefined;
  const { isPassing = afterMs !== undefined } = verdict;
  const retry = isPassing ? { retryAfterMs: waitMs ?? 0 } : retryOf(status, waitMs);
  throw isAccepted && status < 300
    ? failed('service_refused', { code }, retry)
    : failed('http_status', { status, isElsewhere, code }, retry);
}

function urlOf({ url, path, query }: PlainRequest, services: Pick<Services, 'env'>): URL {
  const isAddress = url instanceof URL || typeof url === 'string';
  const read = isAddress ? parseUrl(String(url)) : new URL(addressOf(url, services));
  if (read?.protocol !== 'https:' && read?.protocol !== 'http:') throw fail('the request has no web address');
  if (path !== undefined) read.pathname = `${read.pathname.replace(/\/$/, '')}/${path.replace(/^\//, '')}`;
  for (const [name, value] of Object.entries(query ?? {})) read.searchParams.set(name, value);
  return read;
}

function bodyOf({ method, headers = {}, json, form, body = '' }: PlainRequest) {
  const named = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(headers)) named[name.toLowerCase()] = headerValue(String(value));
  const { 'content-type': own, ...others } = named;
  const written =
    json !== undefined
      ? { type: 'application/json', body: JSON.stringify(json) }
      : form !== undefined
        ? { type: 'application/x-www-form-urlencoded', body: writeUrlencoded(payloadOf(form)) }
        : { type: body === '' ? undefined : 'text/plain; charset=utf-8', body };
  return { method, headers: others, contentType: own ?? written.type, body: written.body };
}

const payloadOf = (form: NonNullable<PlainRequest['form']>) =>
  Object.entries(form).map(([name, value]) => [name, typeof value === 'string' ? [value] : value] as const);
