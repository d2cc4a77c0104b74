import { printable } from '@form-relay/yaml/excerpt';
import { type StoreOptions, withStore } from './open_kept.ts';

/** How long a store may take to say how it is. */
const lookMs = 10_000;

/** Makes what the store needs, where that is the relay's to make, and says what it did and what it found. */
export const setUpKeep = (options: StoreOptions): Promise<void> =>
  withStore(options, async ({ name, store }) => {
    const did = (await store.setUp?.()) ?? [];
    const found = (await store.look(lookMs)).map((one) =>
      typeof one === 'string' ? one : `${one.says}. ${one.remedy}`,
    );
    for (const line of [...did, ...found]) process.stdout.write(`${printable(`${name}: ${line}`)}\n`);
  });
