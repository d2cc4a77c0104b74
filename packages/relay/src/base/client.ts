import type { ClientUnknown } from './event.ts';
import { type LastElement, lastElement } from './forwarded.ts';
import type { RelayRequest } from './http.ts';
import {
  type Address,
  isWithin,
  type Network,
  privateNetworkOf,
  readAddress,
  writeAddress,
  writeNetwork,
} from './networks.ts';

/** Of the settings, those that name the proxies in front. */
interface Proxies {
  readonly trustedProxies: readonly Network[] | undefined;
  readonly proxyHeader: string;
}

/** Who sends a request; or why nobody can know. */
export type Client = { readonly address: Address } | Omit<ClientUnknown, 'check' | 'code'>;

/** The IP address of whoever sends a request; `undefined` when nobody can know. */
export function clientOf(request: RelayRequest, proxies: Proxies): string | undefined {
  const client = readClient(request, proxies);
  return 'address' in client ? writeAddress(client.address) : undefined;
}

/**
 * Each proxy writes at the end of the header from whom it has the request. So it is read from its end, and only as long
 * as those are trusted that wrote it: what stands before, anybody may have made up.
 */
export function readClient(
  { headers, senderAddress, peerAddress }: RelayRequest,
  { trustedProxies, proxyHeader }: Proxies,
): Client {
  const peer = readAddress(senderAddress ?? peerAddress ?? '');
  if (!peer) return { why: 'no_peer' };
  if (!trustedProxies) return unlessProxy(peer);
  const lastOf = proxyHeader === 'forwarded' ? lastElement : lastEntry;
  let client = peer;
  let rest = headers[proxyHeader] ?? '';
  while (trustedProxies.some((network) => isWithin(client, network))) {
    // An internal client may itself have an address that is trusted.
    if (rest === '') return client === peer ? { why: 'proxy_silent' } : { address: client };
    const { node, isMalformed, before } = lastOf(rest);
    // The proxy repeats a visitor's Host without escaping it. Its own address counts: nobody may leave the count that way.
    if (isMalformed) return { address: client };
    const next = readAddress(withoutPort(node ?? ''));
    if (!next) return { why: 'proxy_silent' };
    client = next;
    rest = before;
  }
  return rest.trim() === '' || trustedProxies.length === 0 ? { address: client } : unlessProxy(client);
}

/**
 * What comes from a private address is a proxy's, as for CLIENT_CONNECTION_LIMIT: some say for whom they speak, and some do
 * not. Taken for a client, all visitors behind it would be one, and the sixth be refused for what five others sent.
 */
function unlessProxy(address: Address): Client {
  const network = privateNetworkOf(address);
  return network ? { why: 'proxy_unlisted', network: writeNetwork(network) } : { address };
}

/** `X-Forwarded-For` has no quotes. */
function lastEntry(header: string): LastElement {
  const comma = header.lastIndexOf(',');
  const before = header.slice(0, Math.max(0, comma));
  return { node: header.slice(comma + 1).trim(), isMalformed: false, before };
}

/** `192.0.2.1:4711`, `[2001:db8::1]:4711` and `[2001:db8::1]`; a port may be hidden, too (RFC 7239, 6.3). */
const withoutPort = (node: string): string =>
  /^(?:\[([^\]]*)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node)?.slice(1).find(Boolean) ?? node;
