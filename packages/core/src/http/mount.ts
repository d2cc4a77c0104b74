/** The path below which a proxy serves the relay, such as `/forms`: of PUBLIC_URL, or as a trusted proxy reports it. */
import { isWithin, readAddress } from '@form-relay/base/networks';
import { mountPathIn } from '@form-relay/base/url';
import type { Settings } from '../settings.ts';
import type { RequestHead } from './request.ts';

const prefixHeader = 'x-forwarded-prefix';

/** Finds the mount path of a request, and takes it off its path if the proxy has not. */
export function createMount(settings: Settings) {
  const { trustedProxies = [] } = settings;
  let publicUrl: string | undefined;
  let publicPath = '';
  const isFromProxy = ({ senderAddress, peerAddress = '' }: RequestHead): boolean => {
    const peer = readAddress(senderAddress ?? peerAddress);
    return peer !== undefined && trustedProxies.some((network) => isWithin(peer, network));
  };
  return <T extends RequestHead>(request: T): T => {
    if (settings.publicUrl !== publicUrl) {
      publicUrl = settings.publicUrl;
      publicPath = publicPathOf(publicUrl);
    }
    const reported = request.headers[prefixHeader];
    const mountPath =
      publicPath || (reported !== undefined && isFromProxy(request) ? reportedPath(reported) : '');
    if (mountPath === '') return request;
    return { ...request, path: withoutMount(request.path, mountPath), mountPath, isMountSure: true };
  };
}

/** Proxies append to what they got, which may come from the client: only the last value is sure. */
const reportedPath = (header: string): string =>
  mountPathIn(header.slice(header.lastIndexOf(',') + 1).trim()) ?? '';

/** A proxy may strip the mount path or not. The mount path `/api` begins like the relay's own paths. */
function withoutMount(path: string, mountPath: string): string {
  if (!path.startsWith(`${mountPath}/`)) return path;
  const rest = path.slice(mountPath.length);
  return path.startsWith('/api/v1/') && !rest.startsWith('/api/v1/') ? path : rest;
}

/** The path in PUBLIC_URL; empty where it has none. */
export const publicPathOf = (url: string | undefined): string => url?.replace(/^https?:\/\/[^/]*/, '') ?? '';

/** The relay's address for other sites and mails. `undefined`: it is unknown, or may be forged. */
export function publicAddress(
  { mountPath = '', isMountSure = false }: Pick<RequestHead, 'mountPath' | 'isMountSure'>,
  publicUrl: string | undefined,
): string | undefined {
  if (publicUrl === undefined || publicPathOf(publicUrl) !== '') return publicUrl;
  return mountPath === '' || isMountSure ? publicUrl + mountPath : undefined;
}
