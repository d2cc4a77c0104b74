import { parseUrl } from '@form-relay/core/base/url';
import { type Answer, type Request, refuse } from './answer.ts';

/**
 * Why a request is refused, whoever sends it: a foreign name that leads to this address (DNS rebinding), or a page of
 * another origin (CSRF). Browsers name the page's origin in headers that no page can forge. Another port of this machine
 * is the same site, so cookies alone do not tell it apart.
 */
export function refusalOf(
  { method, path, headers }: Request,
  isOwnHost: (host: string) => boolean,
): Answer | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  if (!isOwnHost(host)) return refuse(403, 'the inbox does not answer under this name');
  // A link may lead to the page from anywhere; its data is for the page alone.
  if ((method === 'GET' || method === 'HEAD') && !path.startsWith('/api/')) return undefined;
  const isForeign =
    site === undefined
      ? origin !== undefined && parseUrl(origin)?.host !== host
      : site !== 'same-origin' && site !== 'none';
  return isForeign ? refuse(403, 'the inbox answers only to its own page') : undefined;
}
