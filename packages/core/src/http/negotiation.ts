import { parseUrl } from '@form-relay/base/url';
import type { FormView } from '../plugin.ts';
import { publicAddress } from './mount.ts';
import type { RelayRequest } from './request.ts';

/** `HX-Request: true`, which counts once however often it was sent: runtimes join equal headers by commas. */
export const asksByHtmx = ({ headers: { 'hx-request': asked } }: RelayRequest): boolean =>
  asked === 'true' || (asked !== undefined && /^true(?: *, *true)+$/.test(asked));

/** The id of the element that htmx is going to fill: htmx 2 names it by its id, htmx 4 by tag and id. */
export const htmxTarget = ({ headers }: RelayRequest): string =>
  headers['hx-target']?.replace(/^\w+#/, '') ?? '';

/**
 * The prefix of addresses in a form: the mount path alone on the relay's own origin; for other pages, PUBLIC_URL or what the request
 * says.
 */
export function addressBase(
  request: RelayRequest,
  publicUrl: string | undefined,
  medium: FormView['medium'],
): string {
  const { headers, mountPath = '' } = request;
  const { origin, host: hostHeader = '', 'sec-fetch-site': site } = headers;
  if (medium === 'page' || site === 'same-origin' || site === 'none') return mountPath;
  const host = firstOf(headers['x-forwarded-host']) ?? hostHeader;
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
