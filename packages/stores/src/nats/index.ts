import { parseUrl } from '@form-relay/base/url';
import type { StoreType } from '../store.ts';

/** Addresses such as `nats://host:4222/stream`, with commas between several hosts: a NATS JetStream stream. */
export const nats: StoreType = {
  schemes: ['nats', 'tls'],
  example: 'nats://host:4222/stream',
  holds: ['deliveries', 'counts'],
  platforms: ['node', 'lambda'],
  problem: (address) =>
    natsAddress(address)
      ? undefined
      : `found ${JSON.stringify(address)}; expected nats://host:4222/stream, with the name of a JetStream stream at its end, such as nats://nats:4222/form-relay; separate several hosts with commas`,
  open: async (address, context) => {
    const { openNats } = await import('./nats_leases.ts');
    return openNats(natsAddress(address) as NatsAddress, context);
  },
};

export interface NatsAddress {
  readonly name: string;
  /** Servers as `host` or `host:port`. Any one that responds reveals the rest of its cluster. */
  readonly servers: readonly string[];
  readonly stream: string;
  /** Whether TLS is required. */
  readonly isTls: boolean;
}

export function natsAddress(address: string): NatsAddress | undefined {
  const [, scheme = '', hosts = '', stream = ''] =
    /^(\w+):\/\/([^/]+)\/([\w-]{1,200})\/?$/.exec(address) ?? [];
  const servers = hosts.split(',');
  return servers.every((server) => /^[^\s?#]+$/.test(server) && parseUrl(`http://${server}`))
    ? { name: address, servers, stream, isTls: scheme.toLowerCase() === 'tls' }
    : undefined;
}
