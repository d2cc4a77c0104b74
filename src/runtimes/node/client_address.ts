import { BlockList, isIPv4, type Socket } from 'node:net';

/** Where your own proxies stand, or the platform's: this machine and private networks (RFC 1918, 4193, 6598). */
const own = new BlockList();
own.addSubnet('127.0.0.0', 8);
own.addSubnet('10.0.0.0', 8);
own.addSubnet('172.16.0.0', 12);
own.addSubnet('192.168.0.0', 16);
own.addSubnet('100.64.0.0', 10);
own.addSubnet('169.254.0.0', 16);
own.addAddress('::1', 'ipv6');
own.addSubnet('fc00::', 7, 'ipv6');
own.addSubnet('fe80::', 10, 'ipv6');

/**
 * Names the client of a connection: by its IPv4 address, or by the /64 of its IPv6 address, the least that a client gets.
 * `undefined` for a proxy, which speaks for many.
 */
export function clientOf({ remoteAddress = '' }: Socket): string | undefined {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
  if (isIPv4(address)) return own.check(address) ? undefined : address;
  return address === '' || own.check(address, 'ipv6') ? undefined : networkOf(address);
}

/** The first 64 bits of an IPv6 address. */
function networkOf(address: string): string {
  const [head = '', tail = ''] = address.split('::');
  const before = head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const left = address.includes('::') ? Array(8 - before.length - after.length).fill('0') : [];
  return [...before, ...left, ...after].slice(0, 4).join(':');
}
