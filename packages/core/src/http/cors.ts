import type { Settings } from '../settings.ts';
import type { RelayResponse } from './request.ts';

/** For `Allow` and its counterpart in a preflight's answer. */
export const methodsFor = (allowed: Allowed) => `${listed[allowed]}, OPTIONS`;

export type Allowed = keyof typeof listed;

const listed = { GET: 'GET, HEAD', POST: 'POST', 'GET, POST': 'GET, HEAD, POST' } as const;

/** Every request header that htmx 2 or 4 sends, and the one that makes a form post cross-origin safe to send. */
const allowedHeaders = [
  'content-type, hx-boosted, hx-current-url, hx-current-url-uri-autoencoded, hx-history-restore-request',
  'hx-prompt, hx-prompt-uri-autoencoded, hx-request, hx-request-type, hx-source, hx-target',
  'hx-target-uri-autoencoded, hx-trigger, hx-trigger-name, hx-trigger-name-uri-autoencoded',
  'hx-trigger-uri-autoencoded',
].join(', ');

/** The answer to OPTIONS: what a page of another origin may send. */
export const preflight = (allowed: Allowed): RelayResponse => ({
  status: 204,
  headers: {
    'access-control-allow-methods': methodsFor(allowed),
    'access-control-allow-headers': allowedHeaders,
    'access-control-max-age': '7200',
  },
  body: '',
});

/** The headers that the relay sends, and those that htmx 2 looks for, so that it finds none without an error in the console. */
const exposedHeaders = [
  'HX-Location, HX-Push, HX-Push-Url, HX-Redirect, HX-Refresh, HX-Replace-Url, HX-Reselect, HX-Reswap',
  'HX-Retarget, HX-Trigger, HX-Trigger-After-Settle, HX-Trigger-After-Swap, Retry-After, X-Request-Id',
].join(', ');

/** Headers on which answers depend, in addition to the address. */
const vary = 'Origin, HX-Request, Accept, Sec-Fetch-Mode';

/** Which pages may read the answer. A page that may not read it is still served: CORS protects readers only. */
export function corsHeaders(allowed: Settings['allowedOrigins']) {
  const exposed = { vary, 'access-control-expose-headers': exposedHeaders };
  const forAll = { ...exposed, 'access-control-allow-origin': '*' };
  const withoutOrigin = { vary, ...(allowed === '*' && { 'access-control-allow-origin': '*' }) };
  return (origin: string | undefined): Readonly<Record<string, string>> => {
    if (origin === undefined) return withoutOrigin;
    if (allowed === '*') return forAll;
    return allowed.has(origin) ? { ...exposed, 'access-control-allow-origin': origin } : exposed;
  };
}

/** For answers that no page may read. */
export const forNoPage = { vary } as const;

/** Every page may load what is the same for everybody, whatever `ALLOWED_ORIGINS` says. */
export const publicCors = {
  'access-control-allow-origin': '*',
  // For pages that are isolated by Cross-Origin-Embedder-Policy.
  'cross-origin-resource-policy': 'cross-origin',
} as const;
