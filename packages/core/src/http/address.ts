/** The relay's own address, as visitors and mails know it. */
import { parseUrl, publicPathOf } from '@form-relay/base/url';
import type { FormView } from '../plugin.ts';
import type { RelayRequest, RequestHead } from './request.ts';

/** The relay's address for other sites and mails. `undefined`: it is unknown, or may be forged. */
export function publicAddress(
  { mountPath = '', isMountSure = false }: Pick<RequestHead, 'mountPath' | 'isMountSure'>,
  publicUrl: string | undefined,
): string | undefined {
  if (publicUrl === undefined || publicPathOf(publicUrl) !== '') return publicUrl;
  return mountPath === '' || isMountSure ? publicUrl + mountPath : undefined;
}

/** The host to which the visitor sent the request, as a proxy or the browser reports it. The client may forge it. */
export const hostOf = ({ headers }: Pick<RequestHead, 'headers'>): string | undefined =>
  firstOf(headers['x-forwarded-host']) ?? headers.host;

/**
 * The prefix of addresses in a form: only the mount path on the relay's own origin; for other pages, PUBLIC_URL or what
 * the request says.
 */
export function addressBase(
  request: RelayRequest,
  publicUrl: string | undefined,
  medium: FormView['medium'],
): string {
  const { headers, mountPath = '' } = request;
  const { origin, 'sec-fetch-site': site } = headers;
  if (medium === 'page' || site === 'same-origin' || site === 'none') return mountPath;
  const host = hostOf(request) ?? '';
  const from = origin ? parseUrl(origin) : undefined;
  // Older browsers, and all on plain HTTP, send no Sec-Fetch-Site.
  if (site === undefined && (!origin || from?.host === host)) return mountPath;
  const address = publicAddress({ mountPath, isMountSure: true }, publicUrl);
  if (address !== undefined) return address;
  if (!/^[\w.:[\]-]+$/.test(host)) return mountPath;
  const scheme = /^https?$/.exec(firstOf(headers['x-forwarded-proto']) ?? '')?.[0];
  // A page that has a scheme of the web shares it; one from a file has none.
  if (scheme === undefined && /^https?:$/.test(from?.protocol ?? '')) return `//${host}${mountPath}`;
  return `${scheme ?? 'http'}://${host}${mountPath}`;
}

/** The value of the outermost proxy. */
const firstOf = (header: string | undefined) => header?.split(',')[0]?.trim() || undefined;
