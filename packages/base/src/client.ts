import { memoized } from './maybe_promise.ts';
import {
  type Address,
  clientNetwork,
  isWithin,
  type Network,
  privateNetworkOf,
  readAddress,
  writeAddress,
  writeNetwork,
} from './networks.ts';

/** The settings TRUSTED_PROXIES and PROXY_HEADER. */
export interface Proxies {
  readonly trustedProxies: readonly Network[] | undefined;
  readonly proxyHeader: string;
}

/** The parts of a request that identify its client. */
export interface Sent {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The client's IP address, if the runtime vouches for it. */
  readonly senderAddress?: string;
  /** The peer's IP address: the client's or a proxy's. */
  readonly peerAddress?: string | undefined;
}

/** Why the sender of a request is unknown. `network`: the private network that the request comes from. */
export type UnknownClient =
  | { readonly why: 'no_peer' | 'proxy_silent' }
  | { readonly why: 'proxy_unlisted'; readonly network: string };

export type Client = { readonly address: Address } | UnknownClient;

/** The sender's IP address; `undefined` if it is unknown. */
export const addressOfClient = (client: Client): string | undefined =>
  'address' in client ? writeAddress(client.address) : undefined;

/** Names the client of a connection by its network. `undefined` for a private network, because that may be a proxy. */
export function publicClient(peer: string | undefined): string | undefined {
  const address = readAddress(peer ?? '');
  return address && !privateNetworkOf(address) ? clientNetwork(address) : undefined;
}

/** Each proxy appends the address from which it got the request, so only the end of the header is trustworthy. */
export function readClient(
  { headers, senderAddress, peerAddress }: Sent,
  { trustedProxies, proxyHeader }: Proxies,
): Client {
  const peer = readAddress(senderAddress ?? peerAddress ?? '');
  if (!peer) return { why: 'no_peer' };
  if (!trustedProxies) return unlessProxy(peer);
  const lastOf = proxyHeader === 'forwarded' ? lastElement : lastEntry;
  let client = peer;
  let rest = headers[proxyHeader] ?? '';
  while (trustedProxies.some((network) => isWithin(client, network))) {
    // A client on the internal network can have a trusted address.
    if (rest === '') return client === peer ? { why: 'proxy_silent' } : { address: client };
    const { node, isMalformed, before } = lastOf(rest);
    // A malformed element: the proxy repeats the visitor's Host without escaping it. Count the proxy's own
    // address, so that a forged Host does not evade the limit.
    if (isMalformed) return { address: client };
    if (client === peer && (node === undefined || hidden.test(node))) return { why: 'proxy_silent' };
    const next = readAddress(withoutPort(node ?? ''));
    // If an entry is not an address, count the address of the host that wrote it.
    if (!next) return { address: client };
    client = next;
    rest = before;
  }
  // Stop here even in a private network: a sender there could forge the rest of the header.
  return { address: client };
}

/**
 * Assumes that a private address is a proxy's, as CLIENT_CONNECTION_LIMIT does: not all proxies forward the
 * client's address, and all visitors behind such a proxy would share one limit.
 */
function unlessProxy(address: Address): Client {
  const network = privateNetworkOf(address);
  return network ? unlisted(network) : { address };
}

/** Cached, because there are only a few private networks. */
const unlisted = memoized(
  (network: Network): Client => ({ why: 'proxy_unlisted', network: writeNetwork(network) }),
);

/**
 * An entry by which a proxy hides the address or says that it does not know it (RFC 7239, 6.2 and 6.3), for
 * all its clients alike.
 */
const hidden = /^(unknown|_[\w.-]+)(:|$)/i;

/** Reads `X-Forwarded-For`, which has no quotes. */
function lastEntry(header: string): LastElement {
  const comma = header.lastIndexOf(',');
  const before = header.slice(0, Math.max(0, comma));
  return { node: header.slice(comma + 1).trim(), isMalformed: false, before };
}

/** Strips the port of `192.0.2.1:4711`, `[2001:db8::1]:4711` or `[2001:db8::1]`; the port may be obfuscated (RFC 7239, 6.3). */
export const withoutPort = (node: string): string =>
  /^(?:\[([^\]]*)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node)?.slice(1).find(Boolean) ?? node;

export interface LastElement {
  /** The unquoted value of `for`; `undefined` if there is none. */
  readonly node: string | undefined;
  /** Whether the element breaks the grammar, or has `for` twice. */
  readonly isMalformed: boolean;
  readonly before: string;
}

/** Reads the `Forwarded` header (RFC 7239) from its end, because trusted proxies wrote only the end. */
export function lastElement(header: string): LastElement {
  const start = startOfLast(header);
  const before = header.slice(0, Math.max(0, start - 1));
  return { ...readElement(header.slice(start)), before };
}

/**
 * Where the last element starts. Read backwards, a quote inside quotes follows a backslash, and an opening
 * quote follows `=`, so the end of the header determines the start.
 */
function startOfLast(header: string): number {
  let isQuoted = false;
  for (let at = header.length - 1; at >= 0; at -= 1) {
    if (header[at] === '"' && !(isQuoted && header[at - 1] === '\\')) isQuoted = !isQuoted;
    if (header[at] === ',' && !isQuoted) return at + 1;
  }
  return 0;
}

function readElement(element: string): Omit<LastElement, 'before'> {
  let node: string | undefined;
  for (let at = 0; at < element.length; at = pair.lastIndex) {
    pair.lastIndex = at;
    const [, name, quoted, plain = ''] = pair.exec(element) ?? [];
    if (pair.lastIndex === 0) return malformed;
    if (name?.toLowerCase() !== 'for') continue;
    if (node !== undefined) return malformed;
    node = quoted?.replace(/\\(.)/gs, '$1') ?? plain;
  }
  return { node, isMalformed: false };
}

const malformed = { node: undefined, isMalformed: true };

/**
 * A pair, or nothing, up to the next semicolon. Accepts what some proxies write: spaces anywhere, and
 * unquoted values that need quotes (`for=[2001:db8::1]`). Neither makes the header ambiguous.
 */
const pair =
  /[ \t]*(?:([!#$%&'*+.^`|~\w-]+)[ \t]*=[ \t]*(?:(?:"((?:[^"\\]|\\.)*)"|([^\s",;\\]+))[ \t]*)?)?(?:;|$)/sy;

/**
 * Names a client in the log, for one day (UTC): 12 hexadecimal digits of an HMAC. Copies of the relay with the same
 * FORM_TOKEN_SECRET give the same names. The names are not anonymous: the owner of the secret could try all addresses.
 */
export function clientNames(): (client: string, about: NamedIn) => string {
  const { createHmac } = process.getBuiltinModule('node:crypto');
  let today: { readonly number: number; readonly key: Buffer } | undefined;
  let secret: string | undefined;
  return (client, { services, settings }) => {
    secret ??= settings.formTokenSecret || `${services.uuid()}${services.uuid()}`;
    const number = Math.floor(services.now() / dayMs);
    if (today?.number !== number) {
      const day = new Date(number * dayMs).toISOString().slice(0, 10);
      today = { number, key: createHmac('sha256', secret).update(`form-relay client\0${day}`).digest() };
    }
    return createHmac('sha256', today.key).update(client).digest('hex').slice(0, 12);
  };
}

interface NamedIn {
  readonly services: { now(): number; uuid(): string };
  readonly settings: { readonly formTokenSecret: string };
}

const dayMs = 86_400_000;
