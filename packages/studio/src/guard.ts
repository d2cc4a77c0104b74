import { isThisMachine, parseUrl } from '@form-relay/core/base/url';
import type { RelayRequest } from '@form-relay/core/index';

/**
 * Why a request must not be answered; `undefined` when it may. Only this machine talks to the studio: a name that
 * resolves to 127.0.0.1 (DNS rebinding) gives itself away by its Host, a page of another site by its Origin. Pages that
 * another server of this machine serves may use the relay's own API, as they will on the day; never the studio's.
 */
export function refusalOf({ path, headers }: Pick<RelayRequest, 'path' | 'headers'>): string | undefined {
  const { host = '', origin } = headers;
  if (!isThisMachine(host)) return 'the studio answers only to localhost and 127.0.0.1';
  if (origin === undefined || origin === `http://${host}`) return undefined;
  // The page to which the link of a mail leads keeps its address to itself, and so its origin. What it sends is sealed.
  if (origin === 'null' && path.startsWith('/api/v1/confirm/')) return undefined;
  return path.startsWith('/api/v1/') && isThisMachine(parseUrl(origin)?.host ?? '')
    ? undefined
    : 'the studio answers only to pages of this machine';
}

/** The relay's own API, which visitors have without a key: pages of other servers of this machine load forms from it. */
export const isForVisitors = (path: string): boolean =>
  path.startsWith('/api/') || path === '/healthz' || path === '/readyz';

/** Whether a page of the studio itself asks: browsers name the origin in each POST, and a page cannot forge it. */
export const isOwnPage = ({ headers }: Pick<RelayRequest, 'headers'>): boolean =>
  headers.origin === `http://${headers.host}`;
