import { parseUrl } from '@form-relay/core/base/url';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Whether the request names this host: a foreign name can lead to this address, too (DNS rebinding). */
export function isForHost({ headers: { host = '' } }: Pick<Asked, 'headers'>, url: URL): boolean {
  return /^[\w.:[\]-]+$/.test(host) && parseUrl(`${url.protocol}//${host}`)?.host === url.host;
}

/**
 * Whether a page of another origin may have sent it. Browsers say so in headers that pages cannot forge; other programs
 * send neither, and no cookie without having been given one.
 */
export function isForged({ method, path, headers }: Asked, url: URL): boolean {
  const isSafe = (method === 'GET' || method === 'HEAD') && !path.startsWith('/api/');
  if (isSafe) return false;
  const { 'sec-fetch-site': site, origin } = headers;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && origin !== url.origin;
}
