/** How plug-ins send requests: bound to what they work for, so that its time, its trace and its id are never left out. */
import { fail } from '@form-relay/base/client_error';
import { parseJson } from '@form-relay/base/json';
import { parseUrl } from '@form-relay/base/url';
import { writeUrlencoded } from '@form-relay/base/urlencoded';
import { type Addressed, addressOf, headerValue } from '../outputs/http.ts';
import { type OutputRequest, type RequestParts, sendRequest } from '../outputs/request.ts';
import type { HttpMethod, Services } from '../services.ts';

export interface Http {
  /**
   * Sends a request once, following redirects that repeat it. Rejects, with what tells the relay whether to try again, unless the server
   * took it.
   */
  send(request: PlainRequest): Promise<PlainAnswer>;
}

export interface PlainRequest {
  /** Default: `POST`. */
  readonly method?: HttpMethod;
  /** An address, or the keys `url` and `url_env` of an output. */
  readonly url: URL | string | Addressed;
  /** Added to the query of `url`. */
  readonly query?: Readonly<Record<string, string>>;
  /** Not sent to another origin that the server redirects to. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body: a value to write as JSON, the values of a form, or a text. */
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** The statuses that mean success. Default: all below 300, 302 and 303. */
  readonly accepts?: (status: number) => boolean;
  /** Less than the time that is left. */
  readonly timeoutMs?: number;
}

export interface PlainAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The first 64 KB. */
  readonly body: string;
  /** The body, if it is JSON. */
  readonly json: unknown;
}

/** The context of bound requests. */
export interface BoundTo {
  readonly services: Pick<Services, 'http' | 'now' | 'env'>;
  readonly signal: AbortSignal;
  /** The time for all requests together. */
  readonly timeoutMs: number;
  /** The id of a delivery: the same for each of its tries. */
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
      // The order of requests is the same in each try. A server that knows the key would take two with the same for one.
      if (method !== 'GET') requests += 1;
      const request: OutputRequest = {
        ...parts,
        ...body,
        method,
        url: urlOf(given, services),
        id: id && method !== 'GET' ? (requests === 1 ? id : `${id}.${requests}`) : undefined,
        headers: { ...headers, ...parts?.headers },
        accepts: given.accepts ?? parts?.accepts,
        signal,
      };
      // The clock may be set back meanwhile.
      const leftMs = Math.max(1, Math.min(timeoutMs, deadline - services.now()));
      const waitMs = Math.min(given.timeoutMs ?? leftMs, leftMs);
      const answer = await sendRequest(request, waitMs, services).catch((error) => {
        // The signal's reason says what there was no time for.
        throw signal.aborted ? signal.reason : error;
      });
      return {
        status: answer.status,
        headers: answer.headers,
        body: answer.body,
        json: parseJson(answer.body),
      };
    },
  };
}

function urlOf({ url, query }: PlainRequest, services: Pick<Services, 'env'>): URL {
  const isAddress = url instanceof URL || typeof url === 'string';
  const read = isAddress ? parseUrl(String(url)) : new URL(addressOf(url, services));
  if (read?.protocol !== 'https:' && read?.protocol !== 'http:') throw fail('the request has no web address');
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
