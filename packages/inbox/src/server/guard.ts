import { parseUrl } from '@form-relay/core/base/url';
import { type Answer, type Request, refuse } from './answer.ts';

/**
 * Why a request is refused, whoever sends it: a foreign name that leads to this address (DNS rebinding), or a page of
 * another origin. Another port of this machine is the same site, so cookies alone do not tell it apart.
 */
export function refusalOf(request: Request, isOwnHost: (host: string) => boolean): Answer | undefined {
  const { host = '' } = request.headers;
  if (!isOwnHost(host)) return refuse(403, 'the inbox does not answer under this name');
  return isForged(request, (origin) => parseUrl(origin)?.host === host)
    ? refuse(403, 'the inbox answers only to its own page')
    : undefined;
}

/**
 * Whether a page of another origin may have sent it (CSRF). Browsers say so in headers that pages cannot forge; other
 * programs send neither, and no cookie without having been given one.
 */
export function isForged(
  { method, path, headers }: Pick<Request, 'method' | 'path' | 'headers'>,
  isOwnOrigin: (origin: string) => boolean,
): boolean {
  // A link may lead to the page from anywhere; its data is for the page alone.
  if ((method === 'GET' || method === 'HEAD') && !path.startsWith('/api/')) return false;
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && !isOwnOrigin(origin);
}
