import { parseUrl, publicPathOf } from '@form-relay/base/url';
import type { FormView } from '../plugin.ts';

/** A request as plain data, for all runtimes. */
export interface RelayRequest {
  readonly method: string;
  /** As sent, percent-encoded, without query. */
  readonly path: string;
  /** @internal The path prefix below which the relay is mounted, such as a stage. Default: none. */
  readonly mountPath?: string;
  /** @internal Whether the runtime vouches for `mountPath`, which the client could otherwise forge. Default: no. */
  readonly isMountSure?: boolean;
  /** As sent, without `?`. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As sent; `undefined` if it could not be read. */
  readonly body: Uint8Array | undefined;
  /** @internal The body exceeds the form's limit (`maxBodyBytes` or that of `admit`), so the runtime may drop it. */
  readonly isTooLong?: true;
  /** @internal The client's IP address, if the runtime vouches for it. An owner's proxy would appear as the client. */
  readonly senderAddress?: string;
  /** @internal The peer's IP address: the client's or a proxy's. */
  readonly peerAddress?: string | undefined;
  /** @internal The runtime's id of the request, as in its logs. Default: a new UUID. */
  readonly id?: string | undefined;
  /** @internal The runtime's timeout for the response, in milliseconds, if it has one. */
  readonly timeLeftMs?: number;
  /** @internal Whether the process continues after the response, so that work can follow it. Default: no. */
  readonly livesOn?: boolean;
}

/** A request before its body is read. */
export type RequestHead = Omit<RelayRequest, 'body' | 'isTooLong'>;

export interface RelayResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** @internal The response is the same for all clients until its ETag changes, so a runtime may compress it once. */
  readonly isFixed?: true;
  /** @internal The body is the base64 of bytes. Only for fixed responses. */
  readonly isBase64?: true;
}

/** SPEC: Limits. */
export const maxBodyBytes = 65_536;

/** `HX-Request: true`, counted once even if it was sent several times: runtimes join equal headers with commas. */
export const asksByHtmx = ({ headers: { 'hx-request': header } }: RequestHead): boolean =>
  header === 'true' || (header !== undefined && /^true(?: *, *true)+$/.test(header));

/** The id of the element that htmx is going to fill: htmx 2 sends its id, htmx 4 its tag and id. */
export const htmxTarget = ({ headers }: RequestHead): string =>
  headers['hx-target']?.replace(/^\w+#/, '') ?? '';

/** The relay's address for other sites and mails. `undefined` if it is unknown or may be forged. */
export function publicAddress(
  { mountPath = '', isMountSure = false }: Pick<RequestHead, 'mountPath' | 'isMountSure'>,
  publicUrl: string | undefined,
): string | undefined {
  if (publicUrl === undefined || publicPathOf(publicUrl) !== '') return publicUrl;
  return mountPath === '' || isMountSure ? publicUrl + mountPath : undefined;
}

/** The host to which the visitor sent the request, as reported by a proxy or the browser. The client may forge it. */
export const hostOf = ({ headers }: Pick<RequestHead, 'headers'>): string | undefined =>
  firstOf(headers['x-forwarded-host']) ?? headers.host;

/**
 * The prefix of addresses in a form: on the relay's own origin, only the mount path; on other pages,
 * PUBLIC_URL or the address in the request.
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
  // Older browsers, and all browsers on plain HTTP, send no Sec-Fetch-Site.
  if (site === undefined && (!origin || from?.host === host)) return mountPath;
  const address = publicAddress({ mountPath, isMountSure: true }, publicUrl);
  if (address !== undefined) return address;
  if (!/^[\w.:[\]-]+$/.test(host)) return mountPath;
  const scheme = /^https?$/.exec(firstOf(headers['x-forwarded-proto']) ?? '')?.[0];
  // A page loaded over HTTP or HTTPS gets its own scheme; one from a file has no such scheme.
  if (scheme === undefined && /^https?:$/.test(from?.protocol ?? '')) return `//${host}${mountPath}`;
  return `${scheme ?? 'http'}://${host}${mountPath}`;
}

/** The value that the outermost proxy set. */
const firstOf = (header: string | undefined) => header?.split(',')[0]?.trim() || undefined;
