import type { CountPlace, CountStore } from '../../base/counts.ts';
import type { StoreWorld } from '../../keeping/stores/index.ts';

/** Every kind of store, each read when a config names it. */
const kinds: Readonly<Record<CountPlace['kind'], (place: never, world: StoreWorld) => Promise<CountStore>>> =
  {
    folder: async ({ path }: Extract<CountPlace, { kind: 'folder' }>) => {
      const [{ FolderCounts }, { systemDisk }] = await Promise.all([
        import('./folder.ts'),
        import('../../keeping/stores/folder/disk.ts'),
      ]);
      return new FolderCounts(path, systemDisk());
    },
    nats: async (place: Extract<CountPlace, { kind: 'nats' }>, { readEnv }) =>
      new (await import('./nats.ts')).NatsCounts(place, readEnv),
    dynamodb: async (place: Extract<CountPlace, { kind: 'dynamodb' }>, { aws }) =>
      new (await import('./dynamodb.ts')).DynamoCounts(place, aws),
    'durable-object': async (place: Extract<CountPlace, { kind: 'durable-object' }>, { binding }) =>
      (await import('./durable_object.ts')).createObjectCounts(place, binding),
  };

/** Opens a store. Nothing is connected or read before it is used. */
export const openCounts = (place: CountPlace, world: StoreWorld): Promise<CountStore> =>
  kinds[place.kind](place as never, world);
