/** The kinds of stores, by the scheme of their address. The code of each is loaded when it is first used. */
import type { Diagnostics, Services, Settings } from '@form-relay/core/index';
import { parseUrl, warnOfRelativeFolder } from '@form-relay/core/kit';
import type { OpenStore, QueueConfig, Store, StorePlace } from '../store.ts';
import { openPluginStore, type StoreContext, schemeOf } from './plugin_store.ts';

export type { StoreContext };

interface OwnType {
  /** In lower case. */
  readonly schemes: readonly string[];
  /** Reads its address, or says what is wrong with it. */
  read(address: string, at: Diagnostics): StorePlace | undefined;
  /** Opens a store. It connects to nothing and reads nothing before it is used. */
  open(keep: QueueConfig, context: StoreContext): Promise<Store>;
}

const folder: OwnType = {
  schemes: [],
  read: (address, at) => {
    warnOfRelativeFolder(address, at);
    return { kind: 'folder', name: address, path: address };
  },
  open: async (keep, context) => (await import('./folder.ts')).openFolder(keep, context),
};

/** The owner's commands load what a relay elsewhere refuses, since it may run on Cloudflare. @param others What to write there. */
export const warnOfCloudflare = (others: string, at: Diagnostics): void =>
  at.warning(
    `only Cloudflare Workers have this store, and a relay elsewhere does not load this config; there, write ${others}; for Workers, check it with \`relay config validate --for cloudflare\``,
    { code: 'store_of_platform' },
  );

const sqs: OwnType = {
  schemes: ['sqs'],
  /** The address of a standard queue, with another scheme: a FIFO queue cannot delay single messages. */
  read: (address, at) => {
    const url = parseUrl(address);
    // SQS is asked by https, which allows fewer hosts than an unknown scheme.
    return url && parseUrl(`https://${url.host}/`) && /^sqs:\/\/[^/?#]+\/\d{12}\/[\w-]{1,80}$/i.test(address)
      ? { kind: 'sqs', name: address, url }
      : at.error(
          `found ${JSON.stringify(address)}; expected the address of a standard queue of Amazon SQS, not a FIFO one, with sqs instead of https: sqs://sqs.eu-central-1.amazonaws.com/123456789012/form-relay`,
        );
  },
  open: async (keep, context) => new (await import('./sqs.ts')).SqsStore(keep, await context.aws()),
};

const cloudflare: OwnType = {
  schemes: ['queue'],
  /** `queue://KEPT/ASIDE`: the bindings of two queues of Cloudflare. */
  read: (address, at) => {
    const [, binding = '', aside = ''] = /^queue:\/\/(\w{1,100})\/(\w{1,100})$/i.exec(address) ?? [];
    if (binding === aside)
      return at.error(
        `found ${JSON.stringify(address)}; expected the bindings of two queues of Cloudflare: one for retries, one for what waits for you, such as queue://KEPT/ASIDE`,
      );
    warnOfCloudflare('a folder such as /var/lib/form-relay, sqs://… or nats://… (docs/keep.md)', at);
    return { kind: 'queue', name: address, binding, aside };
  },
  open: async (keep, context) =>
    new (await import('./cloudflare.ts')).QueueStore(keep, context, await context.aws()),
};

const nats: OwnType = {
  schemes: ['nats', 'tls'],
  /** `nats://host:4222/stream`, with commas between several hosts. */
  read: (address, at) => {
    const [, scheme = '', hosts = '', stream = ''] =
      /^(\w+):\/\/([^/]+)\/([\w-]{1,200})\/?$/.exec(address) ?? [];
    const servers = hosts.split(',');
    return servers.every((server) => /^[^\s?#]+$/.test(server) && parseUrl(`http://${server}`))
      ? { kind: 'nats', name: address, servers, stream, isTls: scheme.toLowerCase() === 'tls' }
      : at.error(
          `found ${JSON.stringify(address)}; expected nats://host:4222/stream, with the name of a JetStream stream at its end, such as nats://nats:4222/form-relay; several hosts stand with commas between them`,
        );
  },
  open: async (keep, context) => new (await import('./nats.ts')).NatsStore(keep, context),
};

const storeTypes = [sqs, cloudflare, nats];

/** Reads the place where failed deliveries wait; an address without a scheme is a folder. Another scheme may be a plug-in's. */
export function readPlace(address: string, at: Diagnostics): StorePlace | undefined {
  const scheme = schemeOf(address);
  if (scheme === undefined) return folder.read(address, at);
  if (/^[^/]*\/\/[^/]*@/.test(address))
    return at.error('credentials stand in the environment alone (docs/keep.md); leave them out here');
  // AWS shows addresses of queues with https.
  const type = /^https:\/\/(?:[\w-]+\.)*sqs\./i.test(address) ? sqs : typeFor(scheme);
  return type ? type.read(address, at) : { kind: 'plugin', name: address };
}

const typeFor = (scheme: string) => storeTypes.find(({ schemes }) => schemes.includes(scheme));

export function openStore(keep: QueueConfig, context: StoreContext): Promise<Store> {
  if (keep.in.kind === 'plugin') return openPluginStore(keep.in, context);
  return (typeFor(schemeOf(keep.in.name) ?? '') ?? folder).open(keep, context);
}

/** How a relay opens stores. */
export const storeOpener = (services: Services, { uploadBudget: mostKept }: Settings): OpenStore =>
  services.openStore ?? ((keep) => openStore(keep, { ...services, mostKept }));
