import { clientNetwork, privateNetworkOf, readAddress } from '../../base/networks.ts';

/**
 * Names the client of a connection: by its IPv4 address, or by the /64 of its IPv6 address. `undefined` for a proxy, which
 * speaks for many: your own and the platform's have addresses of private networks.
 */
export function clientOf(remoteAddress = ''): string | undefined {
  const address = readAddress(remoteAddress);
  return address && !privateNetworkOf(address) ? clientNetwork(address) : undefined;
}
