import { failed, type Params } from '../../base/client_error.ts';
import type { Effects, HttpAnswer, HttpMethod } from '../../base/effects.ts';
import type { Streamed } from '../../base/streamed.ts';
import { hopsHeader, type Trace, traceparentOf } from '../../base/trace.ts';
import { parseUrl, pathWithoutTokens } from '../../base/url.ts';
import { version } from '../../base/version.ts';
import type { OAuth2, OAuth2Grant } from '../oauth2/token_request.ts';
import type { WithToken } from '../oauth2/tokens.ts';
import {
  type AnyMessage,
  type AnyTarget,
  type Mask,
  refused,
  type Said,
  slow,
  type Transport,
} from '../transport.ts';
import { retryAfter, retryOf, serviceCode } from './answer.ts';
import { anyAnswer, FinalAnswer, isSeeOther } from './final_answer.ts';
import { utf8 } from './protocol.ts';

export type { AnyAnswer } from './final_answer.ts';

export function httpTransport({
  http,
  now,
  withToken,
}: Pick<Effects, 'http' | 'now'> & { readonly withToken: WithToken }): Transport<HttpMessage, HttpAnswer> {
  return {
    send: (message, timeoutMs) => {
      const { oauth2, headers } = message;
      if (!oauth2) return new Sending(message, timeoutMs, http, now).start();
      return withToken(oauth2, timeoutMs, (token, leftMs) => {
        const withIt = { ...message, headers: { ...headers, authorization: `Bearer ${token}` } };
        return new Sending(withIt, leftMs, http, now).start();
      });
    },
    show: async (message, mask) => {
      const signature = message.signing && (await signatureOf(message, message.signing, now()));
      const says = message.says && masked(message.says, mask);
      return { kind: 'http', bytes: bytesOf(message, signature, mask), says };
    },
    answerInWords: ({ status }) => String(status),
    warningOf: (answer) => (answer instanceof FinalAnswer ? answer.warning : undefined),
    faults: [
      refused,
      {
        name: 'status_500',
        says: 'answers 500',
        error: () => failed('http_status', { status: 500, isElsewhere: false, code: undefined }),
      },
      slow,
    ],
  };
}

/**
 * Sends a request and resolves with the final answer. A 4xx or 5xx status is a failure (SPEC: Behaviour per type), with
 * whether a retry may help. 302 and 303 mean "done, look there" and are not followed; 301, 307 and 308 repeat the
 * request elsewhere, at most 3 times. If that cannot be done, or for any other 3xx, nobody took the request.
 */
class Sending {
  readonly #message: HttpMessage;
  readonly #http: Effects['http'];
  readonly #now: Effects['now'];
  readonly #timeoutMs: number;
  readonly #deadline: number;
  #url: URL;
  #headers: Record<string, string>;
  /** The addresses that redirected. */
  readonly #from: URL[] = [];
  #isElsewhere = false;

  constructor(message: HttpMessage, timeoutMs: number, http: Effects['http'], now: Effects['now']) {
    this.#message = message;
    this.#http = http;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
    this.#deadline = now() + timeoutMs;
    this.#url = message.url;
    this.#headers = allHeaders(message);
  }

  start(): Promise<HttpAnswer> {
    const { signing } = this.#message;
    if (!signing) return this.#request();
    return signatureOf(this.#message, signing, this.#now()).then((signature) => {
      Object.assign(this.#headers, signature);
      return this.#request();
    });
  }

  #request(): Promise<HttpAnswer> {
    const { method, body, streamed } = this.#message;
    // The clock may be set back meanwhile.
    const timeoutMs = Math.max(1, Math.min(this.#timeoutMs, this.#deadline - this.#now()));
    const content = streamed ? '' : body;
    const [redirectedFrom] = this.#from;
    const request = {
      method,
      url: this.#url,
      redirectedFrom,
      headers: this.#headers,
      body: content,
      streamed,
      timeoutMs,
    };
    return this.#http(request).then((answer) => this.#understand(answer));
  }

  #understand(answer: HttpAnswer): HttpAnswer | Promise<HttpAnswer> {
    const { accepts, codeAt } = this.#message;
    const { status } = answer;
    if (isRepeated.has(status)) return this.#follow(answer);
    const isTaken =
      accepts === 'any' || (accepts ? accepts.includes(status) : status < 300 || isSeeOther(status));
    if (!isTaken) {
      const code = codeAt === undefined ? undefined : serviceCode(answer.body, codeAt);
      const retry = retryOf(status, retryAfter(answer.headers['retry-after'], this.#now()));
      throw failed('http_status', { status, isElsewhere: this.#isElsewhere, code }, retry);
    }
    // The server cannot have taken what it was never sent.
    if (answer.isEarly) throw failed('answered_early', { status });
    return accepts === 'any'
      ? anyAnswer(answer, this.#isElsewhere, this.#now())
      : new FinalAnswer(answer, this.#url);
  }

  #follow({ status, headers: { location } }: HttpAnswer): Promise<HttpAnswer> {
    const refuse = (why: Params<'redirect_unfollowed'>['why']) =>
      failed('redirect_unfollowed', { status, why });
    const from = this.#url;
    const next = location ? parseUrl(location, from) : undefined;
    if (!next) throw refuse('nowhere');
    next.hash = '';
    const isWeb = next.protocol === 'https:' || next.protocol === 'http:';
    if (!isWeb || (from.protocol === 'https:' && next.protocol === 'http:')) throw refuse('away');
    this.#from.unshift(from);
    if (this.#from.some(({ origin, pathname, search }) => next.href === origin + pathname + search))
      throw refuse('circle');
    if (this.#from.length > mostRedirects) throw refuse('too_often');
    if (next.origin !== this.#url.origin) {
      // Any configured header may be a credential, not only `Authorization`.
      this.#headers = ownHeaders(this.#message);
      this.#isElsewhere = true;
    }
    this.#url = next;
    return this.#request();
  }
}

/** Redirects that repeat the request. A 301 is no GET here, since receivers mean "post there". */
const isRepeated: ReadonlySet<number> = new Set([301, 307, 308]);

const mostRedirects = 3;

/** A new object each time, written out because V8 spreads slowly. */
const ownHeaders = ({ contentType, id, trace }: HttpMessage): Record<string, string> =>
  trace
    ? {
        'content-type': contentType,
        'user-agent': userAgent,
        'idempotency-key': id,
        traceparent: traceparentOf(trace),
        [hopsHeader]: hopsOf(trace),
      }
    : { 'content-type': contentType, 'user-agent': userAgent, 'idempotency-key': id };

const userAgent = `form-relay/${version}`;

/** A new object each time. */
function allHeaders(message: HttpMessage): Record<string, string> {
  const own = ownHeaders(message);
  // Without a prototype, `__proto__` is an ordinary name.
  if (!message.headers) return own;
  const all = Object.assign(Object.create(null), own, message.headers);
  if (message.trace) all[hopsHeader] = hopsOf(message.trace);
  return all;
}

const hopsOf = ({ hops }: Trace) => String(hops + 1);

let webhook: typeof import('./webhook_signature.ts') | undefined;

/** The headers that sign a try. The first signed message loads the module. */
async function signatureOf(
  { id, body, streamed }: HttpMessage,
  { secrets }: NonNullable<HttpMessage['signing']>,
  now: number,
): Promise<Readonly<Record<string, string>>> {
  webhook ??= await import('./webhook_signature.ts');
  const unsigned = { id, timestamp: Math.floor(now / 1_000), body, secrets };
  return streamed ? webhook.signStreamed(unsigned, streamed) : webhook.signWebhook(unsigned);
}

/**
 * The request as the server's client writes it, with files in words (test/transports/shown.test.ts compares it with what
 * a server receives).
 */
function bytesOf(message: HttpMessage, signature: object | undefined, mask: Mask): string {
  const { method = 'POST', url, addressFrom, addressInBody, contentType, body, streamed } = message;
  const headers = Object.entries(allHeaders(message)).map(
    ([name, value]) => `${name}: ${mask.header(name, utf8(value))}`,
  );
  const lines = [
    `${method} ${addressFrom === undefined ? mask.path(url.pathname + url.search) : `[${addressFrom}]`} HTTP/1.1`,
    `host: ${addressFrom === undefined ? url.host : `[${addressFrom}]`}`,
    'connection: keep-alive',
    ...(message.headers && 'accept-encoding' in message.headers ? [] : ['accept-encoding: identity']),
    ...headers,
    ...(message.oauth2 ? ['authorization: Bearer [from oauth2]'] : []),
    // Not masked: a signature reveals nothing of the secret, and owners look for it.
    ...Object.entries(signature ?? {}).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${streamed?.byteLength ?? Buffer.byteLength(body)}`,
  ];
  const shown = /json|^multipart/.test(contentType) ? mask.json(body) : mask.pairs(body, '&');
  const isHidden = addressFrom !== undefined && addressInBody !== undefined;
  const safe = isHidden ? shown.replaceAll(`"${addressInBody}"`, `"[${addressFrom}]"`) : shown;
  return `${lines.join('\r\n')}\r\n\r\n${safe}`;
}

const masked = ({ title, entries, footer }: Said, mask: Mask): Said => ({
  title: mask.text(title),
  entries: entries.map(({ label, value }) => ({ label, value: mask.value(label, value) })),
  footer: footer.map((line) => mask.text(line)),
});

export interface HttpMessage extends AnyMessage {
  readonly via: 'http';
  /** Default: `POST`. */
  readonly method?: HttpMethod | undefined;
  readonly url: URL;
  /** The variable with the whole address, which is then a secret that is never shown. */
  readonly addressFrom?: string | undefined;
  /** A text in the JSON that is part of that address, and as secret. */
  readonly addressInBody?: string | undefined;
  /** The same for every try, so that a server that knows `Idempotency-Key` takes the submission once. */
  readonly id: string;
  readonly trace?: Trace | undefined;
  readonly contentType: string;
  readonly body: string;
  /** The content to send instead of `body`, which then shows it to people without the files. */
  readonly streamed?: Streamed | undefined;
  /** The owner's headers, rendered: names in lower case, one byte a character. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly oauth2?: OAuth2Grant | undefined;
  /** The statuses that mean success. Default: all below 400. `any`: the output's verdict decides. */
  readonly accepts?: readonly number[] | 'any' | undefined;
  /** The path of the service's own error code in a refusal (`serviceCode`). */
  readonly codeAt?: string | undefined;
  /** The words in it for people, if there are any, to show them. */
  readonly says?: Said | undefined;
  /** Signs each try with one or several secrets (Standard Webhooks). */
  readonly signing?: { readonly secrets: readonly string[] } | undefined;
}

export interface HttpTarget extends AnyTarget {
  readonly via: 'http';
  /** The address in the config, or the variable that holds it. */
  readonly address: URL | { readonly env: string };
  readonly oauth2: OAuth2 | undefined;
}

/** Named without the query, which may hold a key, and without what looks like one in the path. */
export const httpTarget = (address: HttpTarget['address'], oauth2?: OAuth2): HttpTarget => ({
  via: 'http',
  name:
    address instanceof URL
      ? address.origin + pathWithoutTokens(address.pathname)
      : `the address in ${address.env}`,
  address,
  oauth2,
});

/** The address in a variable. Throws a `ClientError` that names the variable but not its value. */
export function addressIn(
  name: string,
  env: Effects['env'],
): { readonly url: URL; readonly addressFrom: string } {
  const written = env(name)?.trim();
  if (!written) throw failed('address_unset', { name });
  // URL parsers drop line breaks and tabs, so two addresses would become an unknown one.
  const url = /[\t\n\r]/.test(written) ? undefined : parseUrl(written);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || url.username !== '' || url.password !== '')
    throw failed('address_malformed', { name });
  return { url, addressFrom: name };
}
