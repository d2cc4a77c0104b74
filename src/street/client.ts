import type { Client } from '../gates/gate.ts';
import type { RelayRequest } from '../http.ts';
import {
  type Address,
  isWithin,
  privateNetworkOf,
  readAddress,
  writeAddress,
  writeNetwork,
} from '../networks.ts';
import type { Settings } from '../settings/settings.ts';

type Proxies = Pick<Settings, 'trustedProxies' | 'proxyHeader'>;

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
  let client = peer;
  let rest = headers[proxyHeader] ?? '';
  while (trustedProxies.some((network) => isWithin(client, network))) {
    // An internal client may itself have an address that is trusted.
    if (rest === '') return client === peer ? { why: 'proxy_silent' } : { address: client };
    const comma = lastComma(rest);
    const entry = rest.slice(comma + 1).trim();
    const next = readAddress(proxyHeader === 'forwarded' ? forwardedFor(entry) : withoutPort(entry));
    if (!next) return { why: 'proxy_silent' };
    client = next;
    rest = rest.slice(0, Math.max(0, comma));
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

/**
 * The last comma that stands in no quotes. Counted from the end, which a trusted proxy wrote: a quote that somebody opens
 * at the beginning, and never closes, hides nothing.
 */
function lastComma(list: string): number {
  let isQuoted = false;
  for (let at = list.length - 1; at >= 0; at -= 1) {
    if (list[at] === '"') isQuoted = !isQuoted;
    if (list[at] === ',' && !isQuoted) return at;
  }
  return -1;
}

/** `192.0.2.1:4711`, `[2001:db8::1]:4711` and `[2001:db8::1]`, as some proxies write them. */
const withoutPort = (node: string): string =>
  /^\[([^\]]*)\](?::\d{1,5})?$/.exec(node)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(node)?.[1] ?? node;

/** RFC 7239, 4: `for="[2001:db8::1]:4711";proto=https`. Nothing where it says `unknown`, hides itself, or says it twice. */
function forwardedFor(element: string): string {
  const named = element.split(';').flatMap((pair) => /^for\s*=(.*)$/i.exec(pair.trim())?.[1] ?? []);
  return named.length === 1 ? withoutPort((named[0] ?? '').trim().replace(/^"(.*)"$/, '$1')) : '';
}
