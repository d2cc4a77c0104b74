/** The bundled stores, and functions that find and open stores of any kind. Each store's code is loaded on first use. */

import type { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, warning } from '@form-relay/base/finding';
import type { Plugin } from '@form-relay/core/plugin';
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import { warnOfRelativeFolder } from '@form-relay/schema/scalars';
import { durableObjects, queues } from './cloudflare/index.ts';
import { dynamodb } from './dynamodb/index.ts';
import { folder } from './folder/index.ts';
import { nats } from './nats/index.ts';
import { sqs } from './sqs/index.ts';
import type { Held, Remedies, StorePlace, StoreType } from './store.ts';

export const bundled: readonly StoreType[] = [folder, sqs, nats, dynamodb, queues, durableObjects];

export const plugin: Plugin = { name: 'stores', stores: bundled };

/** The keys for which this plug-in is loaded. */
export const uses = ['top keep', 'top counted_in'];

export const typesIn = (plugins: readonly Plugin[]): readonly StoreType[] =>
  plugins.flatMap(({ stores = [] }) => stores);

export const holds = ({ type: { holds = ['deliveries'] } }: StorePlace, what: Held): boolean =>
  holds.includes(what);

export const worksOn = ({ platforms }: StoreType, platform: 'node' | 'workers'): boolean =>
  platforms?.includes(platform) ?? true;

/** The store at an address, or the reason why there is none. */
export function placeAt(
  address: string,
  types: readonly StoreType[],
  what: Held,
): StorePlace | { readonly problem: string; readonly isUnknown?: true } {
  const [, scheme = ''] = /^([a-z][a-z\d+.-]*):/i.exec(address) ?? [];
  if (scheme !== '' && /^[^/]*\/\/[^/]*@/.test(address))
    return {
      problem: 'credentials belong in the environment (docs/keep-stores.md); remove them here',
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

/** The store that a config names; `undefined` after reporting a mistake. */
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
    // The owner's commands also load configs for Cloudflare, which a relay here would reject.
    const others = types.filter((one) => worksOn(one, 'node'));
    at.warning(
      `this store works only on Cloudflare Workers, and the config does not load elsewhere; there, write ${placesFor(what, others)} (${manual[what]}); for Workers, check it with \`relay config validate --for cloudflare\``,
      { code: 'store_of_platform' },
    );
  }
  return place;
}

const manual = { deliveries: 'docs/keep.md', counts: 'docs/counting.md' } as const;

/** Example addresses of all stores that hold this, for messages about a config. */
export function placesFor(what: Held, types: readonly StoreType[] = bundled): string {
  const examples = types
    .filter((type) => holds({ name: '', type }, what))
    .map((type) => (type.example ?? `${type.schemes[0]}://…`) + (worksOn(type, 'node') ? '' : onWorkers));
  return `${examples.slice(0, -1).join(', ')}, or ${examples.at(-1)}`;
}

const onWorkers = ' on Cloudflare Workers';

/** The timeout of one exchange with a store, within the time of a check. */
export const checkTimeoutMs = 8_000;

/** The finding that only a Worker can reach a store, which may be fine. */
export const unreachableFromHere = ({ name, type }: StorePlace): Finding | undefined =>
  worksOn(type, 'node')
    ? undefined
    : warning(
        name,
        'cannot be checked from here, because only Cloudflare Workers can reach it; elsewhere, this config does not load',
        'On Cloudflare, run relay config validate --for cloudflare before you deploy, and check /readyz afterwards (docs/deploy/cloudflare.md). Elsewhere, use another store (docs/keep-stores.md, docs/counting.md).',
      );

/** The finding that a store has failed. */
export const storeFailure = (
  { name }: StorePlace,
  error: ClientError,
  consequence: string,
  remedies: Remedies | undefined,
): Finding =>
  failure(
    name,
    `${error.message}; until this works, ${consequence}`,
    remedies?.[error.code] ??
      remedies?.other ??
      'Check the address, the credentials, and that the server is reachable.',
  );
