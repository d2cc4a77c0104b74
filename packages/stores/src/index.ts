/** The relay's own stores, and how stores of all kinds are found and opened. The code of each is loaded when it is first used. */

import type { Plugin } from '@form-relay/core/plugin';
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import { warnOfRelativeFolder } from '@form-relay/schema/scalars';
import { durableObjects, queues } from './cloudflare/index.ts';
import { dynamodb } from './dynamodb/index.ts';
import { folder } from './folder/index.ts';
import { nats } from './nats/index.ts';
import { sqs } from './sqs/index.ts';
import type { Held, StorePlace, StoreType } from './store.ts';

export const bundled: readonly StoreType[] = [folder, sqs, nats, dynamodb, queues, durableObjects];

export const plugin: Plugin = { name: 'stores', stores: bundled };

/** Keys for which it is loaded. */
export const uses = ['top keep', 'top counted_in'];

export const typesIn = (plugins: readonly Plugin[]): readonly StoreType[] =>
  plugins.flatMap(({ stores = [] }) => stores);

export const holds = ({ type: { holds = ['deliveries'] } }: StorePlace, what: Held): boolean =>
  holds.includes(what);

export const worksOn = ({ platforms }: StoreType, platform: 'node' | 'workers'): boolean =>
  platforms?.includes(platform) ?? true;

/** The place at an address, or what is wrong with it. */
export function placeAt(
  address: string,
  types: readonly StoreType[],
  what: Held,
): StorePlace | { readonly problem: string; readonly isUnknown?: true } {
  const [, scheme = ''] = /^([a-z][a-z\d+.-]*):/i.exec(address) ?? [];
  if (scheme !== '' && /^[^/]*\/\/[^/]*@/.test(address))
    return {
      problem: 'credentials belong in the environment (docs/keep-stores.md); leave them out here',
    };
  const type = types.findLast(({ schemes }) => schemes.includes(scheme.toLowerCase()));
  if (!type) {
    const problem = `found ${JSON.stringify(address)}; expected ${placesFor(what, types)}`;
    return { problem, isUnknown: true };
  }
  const place = { name: address, type };
  if (!holds(place, what)) {
    const problem =
      what === 'counts' ? 'this store does not support counts' : 'this store does not support deliveries';
    return { problem: `${problem}; write ${placesFor(what, types)} (${manual[what]})` };
  }
  const problem = type.problem?.(address);
  return problem === undefined ? place : { problem };
}

/** The place that a config names; `undefined` after a report of what is wrong with it. */
export function configuredPlace(
  address: string,
  plugins: readonly Plugin[],
  what: Held,
  at: Diagnostics,
): StorePlace | undefined {
  const types = typesIn(plugins);
  const place = placeAt(address, types, what);
  if ('problem' in place)
    return at.error(place.problem, place.isUnknown ? { code: 'store_unknown' } : undefined);
  if (place.type.isFolder) warnOfRelativeFolder(address, at);
  if (!worksOn(place.type, 'node')) {
    // The owner's commands load what a relay elsewhere refuses, since it may run on Cloudflare.
    const others = types.filter((one) => worksOn(one, 'node'));
    at.warning(
      `this store works only on Cloudflare Workers, and the config does not load elsewhere; there, write ${placesFor(what, others)} (${manual[what]}); for Workers, check it with \`relay config validate --for cloudflare\``,
      { code: 'store_of_platform' },
    );
  }
  return place;
}

const manual = { deliveries: 'docs/keep.md', counts: 'docs/counting.md' } as const;

/** Addresses of all stores that hold something, for messages about a config. */
export function placesFor(what: Held, types: readonly StoreType[] = bundled): string {
  const examples = types
    .filter((type) => holds({ name: '', type }, what))
    .map((type) => (type.example ?? `${type.schemes[0]}://…`) + (worksOn(type, 'node') ? '' : onWorkers));
  return `${examples.slice(0, -1).join(', ')}, or ${examples.at(-1)}`;
}

const onWorkers = ' on Cloudflare Workers';
