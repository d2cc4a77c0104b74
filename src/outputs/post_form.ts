import { failed, type Retry } from '../client_error.ts';
import type { HttpAnswer } from '../effects.ts';
import { type Finding, finding } from '../finding.ts';
import { mapOf, optionalBlock, template } from '../schema/kinds.ts';
import type { Template } from '../template/render.ts';
import { parseUrl, pathWithoutTokens } from '../url.ts';
import { version } from '../version.ts';
import type { Delivery } from './output.ts';
import type { Payload } from './payload.ts';

/** Headers that belong to the HTTP connection or to the body's framing. */
const httpsOwn = /^(connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

const headerNameProblem = (name: string) => {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return finding('header_name_malformed', []);
  return httpsOwn.test(name) ? finding('header_reserved', [], { name }) : undefined;
};

/** The keys of outputs that post urlencoded bodies. */
export const headers = optionalBlock(
  'Request headers and their values. `Content-Type` is always `application/x-www-form-urlencoded`.',
  mapOf(template(), headerNameProblem),
);

interface FormPost {
  readonly url: URL;
  readonly headers?: ReadonlyMap<string, Template> | undefined;
}

export const contentTypeWarnings = ({ headers }: FormPost): readonly Finding[] =>
  [...(headers?.keys() ?? [])]
    .filter((name) => name.toLowerCase() === 'content-type')
    .map((name) => finding('header_without_effect', ['headers', name]));

/** Without the query, which may hold a key, and without what looks like one in the path. */
export const postTarget = ({ url }: FormPost): string => url.origin + pathWithoutTokens(url.pathname);

/**
 * Posts the payload and gives the answer that counts. Throws a `ClientError` on a 4xx or 5xx status (SPEC: Behaviour
 * per type), which says where another try may succeed. 302 and 303 mean "done, look there" and are not followed;
 * 301, 307 and 308 repeat the post elsewhere, at most 3 times (D14).
 */
export async function postForm(output: FormPost, delivery: Delivery): Promise<HttpAnswer> {
  const { now, http } = delivery.effects;
  const deadline = now() + delivery.timeoutMs;
  const leftMs = () => Math.min(delivery.timeoutMs, deadline - now());
  const body = encode(delivery.payload);
  let url = output.url;
  let headers = renderHeaders(output.headers, delivery);
  let isElsewhere = false;
  for (let hop = 0; hop <= mostRedirects; hop += 1) {
    const answer = await http({ url, headers, body, timeoutMs: Math.max(1, leftMs()) });
    if (answer.status >= 400) {
      throw failed('http_status', { status: answer.status, isElsewhere }, retryOf(answer, now()));
    }
    if (![301, 307, 308].includes(answer.status)) return answer;
    const next = redirectTarget(answer, url);
    if (next.origin !== url.origin) {
      // Any configured header may be a credential, not only `Authorization` (D33).
      headers = ownHeaders(delivery);
      isElsewhere = true;
    }
    url = next;
  }
  throw failed('redirected_too_often', { most: mostRedirects });
}

const mostRedirects = 3;

/** Statuses that say "later": RFC 9110, 15.5.9 and 15.6; RFC 8470; RFC 6585. */
const passingStatuses = [408, 425, 429, 502, 503, 504];

/** A 429 without a time to wait would only be repeated. */
function retryOf({ status, headers }: HttpAnswer, now: number): Retry {
  if (!passingStatuses.includes(status)) return {};
  const retryAfterMs = retryAfter(headers['retry-after'], now);
  return { retryAfterMs: retryAfterMs ?? (status === 429 ? undefined : 0) };
}

/** Seconds, or a date (RFC 9110, 10.2.3). In milliseconds from now. */
function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  // To `Date.parse`, almost anything is a date: `1-`, or `2 s`.
  const date = /^[A-Z][a-z]+, .+ GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function redirectTarget({ status, headers: { location } }: HttpAnswer, from: URL): URL {
  const target = location ? parseUrl(location, from) : undefined;
  if (!target) {
    throw failed('redirected_nowhere', { status });
  }
  const isWeb = target.protocol === 'https:' || target.protocol === 'http:';
  if (!isWeb || (from.protocol === 'https:' && target.protocol !== 'https:')) {
    throw failed('redirected_away', { status, scheme: from.protocol.slice(0, -1) });
  }
  return target;
}

/** The same at every try, so that a server that knows `Idempotency-Key` takes the submission once. */
const ownHeaders = ({ id }: Delivery): Readonly<Record<string, string>> => ({
  'content-type': 'application/x-www-form-urlencoded',
  'user-agent': userAgent,
  'idempotency-key': id,
});

const userAgent = `form-relay/${version}`;

function renderHeaders(
  headers: ReadonlyMap<string, Template> | undefined,
  delivery: Delivery,
): Readonly<Record<string, string>> {
  if (!headers) return ownHeaders(delivery);
  // Without a prototype, `__proto__` is a name like any other.
  const rendered: Record<string, string> = Object.assign(Object.create(null), ownHeaders(delivery));
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (key !== 'content-type') rendered[key] = headerValue(value.render(delivery.scope));
  }
  return rendered;
}

/**
 * Controls become spaces, so that no value can start a header of its own. One byte a character: Latin-1 as it is,
 * anything beyond as UTF-8 bytes (D13).
 */
function headerValue(text: string): string {
  const clean = text.replaceAll(/[\0-\x1f\x7f-\x9f]+/g, ' ').trim();
  return /[^\0-\xff]/.test(clean) ? Buffer.from(clean, 'utf8').toString('latin1') : clean;
}

function encode(payload: Payload): string {
  const body = new URLSearchParams();
  for (const [key, values] of payload) {
    for (const value of values) body.append(key, value);
  }
  return body.toString();
}
