/** The kinds of stores. The code of each is loaded when it is first used. */

import { parseUrl } from '@form-relay/base/url';
import type { Diagnostics, Services, Settings } from '@form-relay/core/index';
import { warnOfRelativeFolder } from '@form-relay/schema/scalars';
import { openPluginStore, type StoreContext, schemeOf } from './open_store.ts';
import type { OpenStore, QueueConfig, Store, StorePlace } from './store.ts';

export type { StoreContext };

/** Reads an address, or says what is wrong with it. */
type Read = (address: string, at: Diagnostics) => StorePlace | undefined;

const folder: Read = (address, at) => {
  warnOfRelativeFolder(address, at);
  return { kind: 'folder', name: address, path: address };
};

/** The owner's commands load what a relay elsewhere refuses, since it may run on Cloudflare. @param others What to write there. */
export const warnOfCloudflare = (others: string, at: Diagnostics): void =>
  at.warning(
    `only Cloudflare Workers have this store, and a relay elsewhere does not load this config; there, write ${others}; for Workers, check it with \`relay config validate --for cloudflare\``,
    { code: 'store_of_platform' },
  );

/** The address of a standard queue, with another scheme: a FIFO queue cannot delay single messages. */
const sqs: Read = (address, at) => {
  const url = parseUrl(address);
  // The URL of SQS uses https, which allows fewer hosts than an unknown scheme.
  return url && parseUrl(`https://${url.host}/`) && /^sqs:\/\/[^/?#]+\/\d{12}\/[\w-]{1,80}$/i.test(address)
    ? { kind: 'sqs', name: address, url }
    : at.error(
        `found ${JSON.stringify(address)}; expected the address of a standard queue of Amazon SQS, not a FIFO one, with sqs instead of https: sqs://sqs.eu-central-1.amazonaws.com/123456789012/form-relay`,
      );
};

/** `queue://KEPT/ASIDE`: the bindings of two queues of Cloudflare. */
const cloudflare: Read = (address, at) => {
  const [, binding = '', aside = ''] = /^queue:\/\/(\w{1,100})\/(\w{1,100})$/i.exec(address) ?? [];
  if (binding === aside)
    return at.error(
      `found ${JSON.stringify(address)}; expected the bindings of two queues of Cloudflare: one for retries, one for what waits for you, such as queue://KEPT/ASIDE`,
    );
  warnOfCloudflare('a folder such as /var/lib/form-relay, sqs://… or nats://… (docs/keep.md)', at);
  return { kind: 'queue', name: address, binding, aside };
};

/** `nats://host:4222/stream`, with commas between several hosts. */
const nats: Read = (address, at) => {
  const [, scheme = '', hosts = '', stream = ''] =
    /^(\w+):\/\/([^/]+)\/([\w-]{1,200})\/?$/.exec(address) ?? [];
  const servers = hosts.split(',');
  return servers.every((server) => /^[^\s?#]+$/.test(server) && parseUrl(`http://${server}`))
    ? { kind: 'nats', name: address, servers, stream, isTls: scheme.toLowerCase() === 'tls' }
    : at.error(
        `found ${JSON.stringify(address)}; expected nats://host:4222/stream, with the name of a JetStream stream at its end, such as nats://nats:4222/form-relay; several hosts stand with commas between them`,
      );
};

/** By scheme. */
const readers = new Map([
  ['sqs', sqs],
  ['queue', cloudflare],
  ['nats', nats],
  ['tls', nats],
]);

/** Reads the place where failed deliveries wait; an address without a scheme is a folder. Another scheme may be a plug-in's. */
export function readPlace(address: string, at: Diagnostics): StorePlace | undefined {
  const scheme = schemeOf(address);
  if (scheme === undefined) return folder(address, at);
  if (/^[^/]*\/\/[^/]*@/.test(address))
    return at.error('credentials stand in the environment alone (docs/keep.md); leave them out here');
  // AWS shows addresses of queues with https.
  const read = /^https:\/\/(?:[\w-]+\.)*sqs\./i.test(address) ? sqs : readers.get(scheme);
  return read ? read(address, at) : { kind: 'plugin', name: address };
}

/** Opens a store. Connects to nothing and reads nothing before it is used. */
export async function openStore(keep: QueueConfig, context: StoreContext): Promise<Store> {
  const { in: place, filesIn } = keep;
  switch (place.kind) {
    case 'folder':
      return (await import('./folder/store.ts')).openFolder(place.path, context);
    case 'sqs':
      return new (await import('./sqs/store.ts')).SqsStore(place.url, filesIn, await context.aws());
    case 'queue':
      return new (await import('./cloudflare/queues.ts')).QueueStore(
        place,
        filesIn,
        context,
        await context.aws(),
      );
    case 'nats':
      return new (await import('./nats/store.ts')).NatsStore(keep, context);
    case 'plugin':
      return openPluginStore(place, context);
  }
}

/** How a relay opens stores. */
export const storeOpener = (services: Services, { uploadBudget: mostKept }: Settings): OpenStore =>
  services.openStore ?? ((keep) => openStore(keep, { ...services, mostKept }));
