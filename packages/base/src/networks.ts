/** IP addresses and networks as they appear in headers, sockets and settings. */
import { memoized } from './maybe_promise.ts';
import { err, ok, type Result } from './result.ts';

/** Loaded late: a function that reads no address does not need `node:net`. */
const net = () => process.getBuiltinModule('node:net');

/**
 * An address as 16-bit groups: two for IPv4, including mapped addresses (`::ffff:192.0.2.1`; RFC 4291,
 * 2.5.5.2), eight for IPv6.
 */
export type Address = readonly number[];

export interface Network {
  readonly address: Address;
  /** Up to 32 for IPv4, 128 for IPv6. */
  readonly bits: number;
}

/** Parses an address, with or without a zone (`fe80::1%eth0`); `undefined` for anything else. */
export function readAddress(text: string): Address | undefined {
  if (net().isIPv4(text)) return ofIPv4(text);
  if (!net().isIPv6(text)) return undefined;
  const [head = '', tail] = (text.split('%', 1)[0] ?? '').split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const groups = [...before, ...Array(8 - before.length - after.length).fill(0), ...after];
  return isMapped(groups) ? groups.slice(6) : groups;
}

function ofIPv4(text: string): Address {
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

/** The groups may end with an IPv4 address. */
const groupsOf = (text: string): readonly number[] =>
  text === ''
    ? []
    : text.split(':').flatMap((group) => (group.includes('.') ? ofIPv4(group) : Number.parseInt(group, 16)));

const isMapped = (groups: Address) =>
  groups[5] === 0xffff && groups.every((group, index) => index > 4 || group === 0);

/** Parses a network in CIDR notation (RFC 4632), or an address. Does not check the bits after the prefix; see `isWhole`. */
export function readNetwork(text: string): Network | undefined {
  const [, written = '', bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const address = readAddress(written);
  if (!address) return undefined;
  // The network `::ffff:192.0.2.0/120` is 192.0.2.0/24.
  const most = address.length * 16;
  const unmapped = written.includes(':') ? 128 - most : 0;
  const count = bits === undefined ? most : Number(bits) - unmapped;
  return count >= 0 && count <= most ? { address, bits: count } : undefined;
}

/** Whether all bits after the prefix are 0. In `10.0.0.1/8` some are not, and that may be a typo. */
export const isWhole = ({ address, bits }: Network): boolean =>
  masked(address, bits).every((group, index) => group === address[index]);

/** The first address of a network. */
export const masked = (address: Address, bits: number): Address =>
  address.map(
    (group, index) => group & (0xffff << Math.min(16, Math.max(0, 16 * (index + 1) - bits))) & 0xffff,
  );

export function isWithin(address: Address, { address: first, bits }: Network): boolean {
  if (address.length !== first.length) return false;
  for (let index = 0; index * 16 < bits; index += 1) {
    const others = Math.max(0, 16 * (index + 1) - bits);
    if ((address[index] ?? 0) >> others !== (first[index] ?? 0) >> others) return false;
  }
  return true;
}

/** Writes an address canonically, IPv6 without `::`. */
export const writeAddress = (address: Address): string =>
  address.length === 2
    ? address.map((group) => `${group >> 8}.${group & 255}`).join('.')
    : address.map((group) => group.toString(16)).join(':');

/** The unit that counts as one client: an IPv4 address, or the /64 of an IPv6 address, the smallest assignment. */
export const clientNetwork = (address: Address): string =>
  address.length === 2 ? writeAddress(address) : `${writeAddress(address.slice(0, 4))}::/64`;

/** Loopback and private networks, which visitors on the Internet cannot have (RFC 1918, 3927, 4193, 4291, 6598). */
const privateIPv4 = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  ...['100.64.0.0/10', '169.254.0.0/16'],
];
const privateIPv6 = ['::1', 'fc00::/7', 'fe80::/10'];

/** IPv6 networks are parsed only when needed: the first IPv6 address that Node parses takes 4 ms. */
const privateNetworks = memoized((groups: number) =>
  (groups === 2 ? privateIPv4 : privateIPv6).flatMap((one) => readNetwork(one) ?? []),
);

export const privateNetworkOf = (address: Address): Network | undefined =>
  privateNetworks(address.length).find((network) => isWithin(address, network));

export const writeNetwork = ({ address, bits }: Network): string => `${writeAddress(address)}/${bits}`;

/** Addresses and networks; `none` for an empty list. */
export function networksIn(text: string): Result<readonly Network[], string> {
  if (text.trim().toLowerCase() === 'none') return ok([]);
  const networks: Network[] = [];
  for (const written of text.split(',').map((part) => part.trim())) {
    if (written === '') continue;
    const network = readNetwork(written);
    if (!network)
      return err(`"${written}" is not an address or network; write one such as 10.0.0.1 or 10.0.0.0/8`);
    if (!isWhole(network)) {
      const { address, bits } = network;
      const meant = writeNetwork({ address: masked(address, bits), bits });
      return err(
        `"${written}" is one address of ${meant}; write the network, or the address without /${bits}`,
      );
    }
    if (network.bits === 0) {
      return err(
        `"${written}" matches every address, so any client could forge its own; list only your proxies`,
      );
    }
    networks.push(network);
  }
  return networks.length > 0
    ? ok(networks)
    : err('no address found; unset it, or write addresses such as 127.0.0.1,10.0.0.0/8, or none');
}
