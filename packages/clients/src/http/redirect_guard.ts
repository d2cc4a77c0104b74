import {
  type Address,
  isWithin,
  type Network,
  privateNetworkOf,
  readAddress,
  readNetwork,
} from '@form-relay/base/networks';
import { isLoopback } from '@form-relay/base/url';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { HttpRequest, Redirector } from '@form-relay/core/services';
import { failed } from '../failures.ts';
import { bareHost, connectionFailure } from '../socket.ts';

/**
 * Resolves with the request and the time left if others may lead the relay to its address. A receiver must
 * not make the relay post to a link-local address, where clouds serve credentials, nor, from outside, into
 * the network behind the relay. Rejects with a `ClientError`.
 *
 * @param from The server that redirected to the address; `undefined` if someone else chose the address.
 * @param canResolve Whether the relay can resolve names on this platform.
 */
export async function guardAddress(
  request: HttpRequest,
  from: Redirector | undefined,
  canResolve: boolean,
): Promise<HttpRequest> {
  const { url: to, timeoutMs } = request;
  const startedAt = performance.now();
  const late = failed('timed_out', { timeoutMs });
  const addresses = await withTimeout(timeoutMs, addressesOutside(from, to, canResolve), () => {
    throw late;
  });
  return { ...request, addresses, timeoutMs: Math.max(1, timeoutMs - (performance.now() - startedAt)) };
}

/** The addresses of the URL. Rejects with a `ClientError` if the relay must not post to one of them. */
async function addressesOutside(
  from: Redirector | undefined,
  to: URL,
  canResolve: boolean,
): Promise<readonly string[] | undefined> {
  const addresses = await addressesOf(to, canResolve);
  const targets = reachesOf(to, addresses);
  const isRefused =
    targets.includes('link_local') ||
    (targets.includes('private') && (!from || (await reachesFrom(from, canResolve)).includes('public')));
  if (isRefused) throw failed(from ? 'redirected_inside' : 'address_inside');
  return addresses;
}

const reachesFrom = async ({ url, remoteAddress }: Redirector, canResolve: boolean) =>
  reachesOf(url, remoteAddress === undefined ? await addressesOf(url, canResolve) : [remoteAddress]);

type Reach = 'link_local' | 'private' | 'public';

/** The host's addresses; `undefined` if only the platform can resolve names. */
async function addressesOf(url: URL, canResolve: boolean): Promise<readonly string[] | undefined> {
  const host = bareHost(url);
  if (readAddress(host)) return [host];
  if (!canResolve) return undefined;
  const { lookup } = process.getBuiltinModule('node:dns/promises');
  const found = await lookup(host, { all: true }).catch((error: NodeJS.ErrnoException) => {
    throw connectionFailure(error);
  });
  return found.map(({ address }) => address);
}

/** A name that cannot be resolved here counts as public, because the platform reaches only public hosts. */
const reachesOf = (url: URL, addresses: readonly string[] | undefined): readonly Reach[] =>
  addresses?.map((address) => reachOf(readAddress(address) ?? [])) ?? [
    isLoopback(bareHost(url)) ? 'private' : 'public',
  ];

function reachOf(written: Address): Reach {
  const address = isWithin(written, nat64) ? written.slice(6) : written;
  if (linkLocal.some((network) => isWithin(address, network))) return 'link_local';
  const isInside = privateNetworkOf(address) || unspecified.some((network) => isWithin(address, network));
  return isInside ? 'private' : 'public';
}

const network = (text: string) => readNetwork(text) as Network;

/** Link-local networks (RFC 3927, RFC 4291), and the IPv6 address at which AWS serves credentials. */
const linkLocal = [network('169.254.0.0/16'), network('fe80::/10'), network('fd00:ec2::254')];

/** Unspecified addresses; connections to them reach this machine. */
const unspecified = [network('0.0.0.0/8'), network('::')];

/** IPv6 addresses that contain an IPv4 address (RFC 6052). */
const nat64 = network('64:ff9b::/96');
