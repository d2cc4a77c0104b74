import type { Diagnostics, Schema, Services } from '@form-relay/core/index';
import { textSchema } from '@form-relay/schema/scalars';
import type { CounterStore } from '@form-relay/stores/counts';
import { readPlace, warnOfCloudflare } from '@form-relay/stores/places';
import type { StorePlace } from '@form-relay/stores/store';

type CountingStore = Extract<StorePlace, { readonly kind: 'folder' | 'nats' }>;

/** No queue can count, and no plug-in's store. */
export const counts = (place: StorePlace): place is CountingStore =>
  place.kind === 'folder' || place.kind === 'nats';

/** Where counts are stored. `name`: the place for people, without credentials. */
export type CounterPlace =
  | CountingStore
  | { readonly kind: 'durable-object'; readonly name: string; readonly binding: string }
  | { readonly kind: 'dynamodb'; readonly name: string; readonly table: string };

/** Where counts can be stored, for messages about a config. */
export const somewhere =
  'a folder such as /var/lib/form-relay, nats://host:4222/stream, dynamodb://table, or durable-object://BINDING on Cloudflare Workers';

const countsInQueue = `a queue cannot count; write counted_in at the top: ${somewhere} (docs/places.md)`;

export const counterPlace: Schema<CounterPlace> = textSchema((address, at): CounterPlace | undefined => {
  if (address.includes('{{')) return at.error('where counts are stored is never templated; write it out');
  const [, table] = /^dynamodb:\/\/([\w.-]{3,255})$/.exec(address) ?? [];
  if (table !== undefined) return { kind: 'dynamodb', name: address, table };
  const [, binding] = /^durable-object:\/\/(\w{1,100})$/.exec(address) ?? [];
  if (binding !== undefined) {
    warnOfCloudflare(
      'a folder such as /var/lib/form-relay, nats://host:4222/stream or dynamodb://table (docs/places.md)',
      at,
    );
    return { kind: 'durable-object', name: address, binding };
  }
  if (/^(sqs|queue|https):/i.test(address)) return at.error(countsInQueue);
  return /^[a-z][a-z\d+.-]*:/i.test(address) && !/^(nats|tls):/i.test(address)
    ? at.error(
        `found ${JSON.stringify(address)}; expected a folder such as /var/lib/form-relay, nats://host:4222/stream, dynamodb:// and the name of a table, such as dynamodb://places, or durable-object:// and a binding of Cloudflare`,
      )
    : placeOfStore(address, at);
});

function placeOfStore(address: string, at: Diagnostics): CounterPlace | undefined {
  const place = readPlace(address, at);
  return place && counts(place) ? place : undefined;
}

/** Opens a store. Connects to nothing and reads nothing before it is used. */
export async function openCounterStore(
  place: CounterPlace,
  { env, aws, binding }: Pick<Services, 'env' | 'aws' | 'binding'>,
): Promise<CounterStore> {
  switch (place.kind) {
    case 'folder': {
      const [{ FolderCounts }, { systemDisk }] = await Promise.all([
        import('@form-relay/stores/folder/counts'),
        import('@form-relay/stores/folder/disk'),
      ]);
      return new FolderCounts(place.path, systemDisk());
    }
    case 'nats':
      return new (await import('@form-relay/stores/nats/counts')).NatsCounts(place, env);
    case 'dynamodb':
      return new (await import('@form-relay/stores/dynamodb/counts')).DynamoCounts(place.table, aws);
    default:
      return (await import('@form-relay/stores/cloudflare/durable_object')).createObjectCounts(
        place,
        binding,
      );
  }
}

/** The remedy for a damaged count, by kind of store. */
export const damagedRemedy: Readonly<Record<CounterPlace['kind'], string>> = {
  folder:
    'Stop the relay, and remove the folder of this file. Write the number of places with relay places --set; registrations in it can then come again.',
  nats: 'Stop the relay, and purge the subject of this count. Write the number of places with relay places --set; registrations in it can then come again.',
  dynamodb:
    'Remove the item with this `id`. Write the number of places with relay places --set; registrations in it can then come again.',
  'durable-object':
    'Bind another name to a new class of Durable Objects, and name that in counted_in; registrations can then come again.',
};
