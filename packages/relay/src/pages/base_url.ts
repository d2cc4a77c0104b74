import type { RelayRequest } from '../base/http.ts';
import { parseUrl } from '../base/url.ts';
import type { Medium } from '../form.ts';

/**
 * The prefix of addresses in a rendered form: the mount path alone in a page of the relay's own origin, such as
 * its own pages (`plain`). A page of another origin needs the relay's: PUBLIC_URL, or what the request says of it.
 */
export function addressBase(request: RelayRequest, publicUrl: string | undefined, medium: Medium): string {
  const { headers, mountPath = '' } = request;
  const { origin, host: hostHeader = '', 'sec-fetch-site': site } = headers;
  if (medium === 'plain' || site === 'same-origin' || site === 'none') return mountPath;
  const host = firstOf(headers['x-forwarded-host']) ?? hostHeader;
  const from = origin ? parseUrl(origin) : undefined;
  // Older browsers, and all on plain HTTP, send no Sec-Fetch-Site.
  if (site === undefined && (!origin || from?.host === host)) return mountPath;
  if (publicUrl !== undefined) return publicUrl + mountPath;
  if (!/^[\w.:[\]-]+$/.test(host)) return mountPath;
  const scheme = /^https?$/.exec(firstOf(headers['x-forwarded-proto']) ?? '')?.[0];
  // A page that has a scheme of the web shares it; one from a file has none.
  if (scheme === undefined && /^https?:$/.test(from?.protocol ?? '')) return `//${host}${mountPath}`;
  return `${scheme ?? 'http'}://${host}${mountPath}`;
}

/** The value of the outermost proxy. */
const firstOf = (header: string | undefined) => header?.split(',')[0]?.trim() || undefined;
