import { isUtf8 } from 'node:buffer';
import { failed } from '../../client_error.ts';
import type { Effects, HttpAnswer } from '../../effects.ts';
import type { DeliveryWarning } from '../../event.ts';
import { traceparentOf } from '../../trace.ts';
import { parseUrl } from '../../url.ts';
import { version } from '../../version.ts';
import type { WithToken } from '../oauth2/with_token.ts';
import { retryAfter, retryOf } from '../retry_after.ts';
import { type Mask, refused, type Said, slow, type Transport } from '../transport.ts';
import type { AnyAnswer, HttpMessage } from './http_message.ts';
import { serviceCode } from './service_code.ts';

export function httpTransport({
  http,
  now,
  withToken,
}: Pick<Effects, 'http' | 'now'> & { readonly withToken: WithToken }): Transport<HttpMessage, HttpAnswer> {
  return {
    send: (message, timeoutMs) => {
      const { oauth2, headers } = message;
      if (!oauth2) return send(message, timeoutMs, http, now);
      return withToken(oauth2, timeoutMs, (token, leftMs) =>
        send({ ...message, headers: { ...headers, authorization: `Bearer ${token}` } }, leftMs, http, now),
      );
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
 * Sends, and gives the answer that counts. A 4xx or 5xx status is a failure (SPEC: Behaviour per type), which says
 * where another try may succeed. 302 and 303 mean "done, look there" and are not followed; 301, 307 and 308 repeat the
 * request elsewhere, at most 3 times. A redirect that cannot be followed is the answer (D14).
 */
async function send(
  message: HttpMessage,
  timeoutMs: number,
  http: Effects['http'],
  now: Effects['now'],
): Promise<HttpAnswer> {
  const deadline = now() + timeoutMs;
  const { method, body, streamed, accepts } = message;
  let { url } = message;
  let headers = allHeaders(message);
  if (message.signing) Object.assign(headers, await signatureOf(message, message.signing, now()));
  let isElsewhere = false;
  for (let hop = 0; ; hop += 1) {
    // The clock may be set back meanwhile.
    const leftMs = Math.max(1, Math.min(timeoutMs, deadline - now()));
    const content = streamed ? { body: '', streamed } : { body };
    const answer = await http({ method, url, headers, ...content, timeoutMs: leftMs });
    const { status } = answer;
    const next = redirects.includes(status) ? nextAfter(answer, url, hop) : undefined;
    if (!(next instanceof URL)) {
      const isTaken = accepts === 'any' || (accepts ? accepts.includes(status) : status < 400);
      if (!isTaken) {
        const code = message.codeAt === undefined ? undefined : serviceCode(answer.body, message.codeAt);
        const retry = retryOf(status, retryAfter(answer.headers['retry-after'], now()));
        throw failed('http_status', { status, isElsewhere, code }, retry);
      }
      // It cannot have what it was never sent.
      if (answer.isEarly) throw failed('answered_early', { status });
      return accepts === 'any' ? anyAnswer(answer, isElsewhere, now()) : new FinalAnswer(answer, url, next);
    }
    if (next.origin !== url.origin) {
      // Any configured header may be a credential, not only `Authorization` (D33).
      headers = ownHeaders(message);
      isElsewhere = true;
    }
    url = next;
  }
}

const anyAnswer = (answer: HttpAnswer, isElsewhere: boolean, now: number): AnyAnswer => ({
  ...answer,
  isElsewhere,
  waitMs: retryAfter(answer.headers['retry-after'], now),
});

/**
 * The answer that counts. Where it leads, many servers say without the origin (RFC 9110, 10.2.2); here it is whole. Most
 * outputs never ask for the headers, so they are read when one does.
 */
class FinalAnswer implements HttpAnswer {
  readonly status: number;
  readonly body: string;
  readonly isCut: boolean | undefined;
  readonly warning: DeliveryWarning | undefined;
  readonly #answer: HttpAnswer;
  readonly #from: URL;

  constructor(answer: HttpAnswer, from: URL, warning: DeliveryWarning | undefined) {
    this.status = answer.status;
    this.body = answer.body;
    this.isCut = answer.isCut;
    this.warning = warning;
    this.#answer = answer;
    this.#from = from;
  }

  get headers(): HttpAnswer['headers'] {
    const { headers } = this.#answer;
    const target = headers.location === undefined ? undefined : parseUrl(headers.location, this.#from);
    return target ? { ...headers, location: target.href } : headers;
  }
}

const redirects = [301, 302, 303, 307, 308];

const mostRedirects = 3;

const ownHeaders = ({ contentType, id, trace }: HttpMessage): Record<string, string> => ({
  'content-type': contentType,
  'user-agent': userAgent,
  'idempotency-key': id,
  ...(trace && { traceparent: traceparentOf(trace) }),
});

const userAgent = `form-relay/${version}`;

/** A new object each time. */
function allHeaders(message: HttpMessage): Record<string, string> {
  const own = ownHeaders(message);
  // Without a prototype, `__proto__` is a name like any other.
  return message.headers ? Object.assign(Object.create(null), own, message.headers) : own;
}

let webhook: typeof import('./webhook_signature.ts') | undefined;

/** The headers of a try that is made now. What signs is read when the first message wants it. */
async function signatureOf(
  { id, body, streamed }: HttpMessage,
  { secrets }: NonNullable<HttpMessage['signing']>,
  now: number,
): Promise<Readonly<Record<string, string>>> {
  webhook ??= await import('./webhook_signature.ts');
  const unsigned = { id, timestamp: Math.floor(now / 1_000), body, secrets };
  return streamed ? webhook.signStreamed(unsigned, streamed) : webhook.signWebhook(unsigned);
}

/** Where the same request is to be sent next; or, if this redirect is not followed, what is wrong with it. */
function nextAfter(
  { status, headers: { location } }: HttpAnswer,
  from: URL,
  hop: number,
): URL | DeliveryWarning | undefined {
  const target = location ? parseUrl(location, from) : undefined;
  if (!target) return 'redirected_nowhere';
  if (status === 302 || status === 303) return undefined;
  if (hop === mostRedirects) return 'redirected_too_often';
  const isWeb = target.protocol === 'https:' || target.protocol === 'http:';
  return isWeb && (from.protocol === 'http:' || target.protocol === 'https:') ? target : 'redirected_away';
}

/**
 * The request as the server's client writes it, with files in words; test/transports/shown.test.ts holds it to what a server receives.
 */
function bytesOf(message: HttpMessage, signature: object | undefined, mask: Mask): string {
  const { method = 'POST', url, addressFrom, addressInBody, contentType, body, streamed } = message;
  const headers = Object.entries(allHeaders(message)).map(
    ([name, value]) => `${name}: ${mask.value(name, readable(value))}`,
  );
  const lines = [
    `${method} ${addressFrom === undefined ? mask.path(url.pathname + url.search) : `[${addressFrom}]`} HTTP/1.1`,
    `host: ${addressFrom === undefined ? url.host : `[${addressFrom}]`}`,
    'connection: keep-alive',
    ...headers,
    ...(message.oauth2 ? ['authorization: Bearer [from oauth2]'] : []),
    // A signature tells nothing of the secret, and owners look for it.
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

/** Header values hold one byte a character (D13); those that are UTF-8 read better as what they say. */
function readable(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
