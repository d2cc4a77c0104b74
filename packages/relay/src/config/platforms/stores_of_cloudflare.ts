/** Stores that Cloudflare binds to names. */
import { mapOrNothing, type RawMap } from '../../features/feature.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import type { Problem } from '../problem.ts';

/**
 * Those of a config. A relay elsewhere does not load it: each delivery to keep would be lost, each place refused. The owner's
 * commands load it and warn, since the relay may run on Cloudflare.
 */
export const storesOfCloudflare = ({ keep, counted_in: counted }: RawMap): readonly Finding[] => [
  ...(/^queue:\/\/\w/i.test(String(mapOrNothing(keep).in))
    ? [finding('store_of_cloudflare', ['keep', 'in'], { key: 'keep' })]
    : []),
  ...(/^durable-object:\/\/\w/.test(String(counted))
    ? [finding('store_of_cloudflare', ['counted_in'], { key: 'counted_in' })]
    : []),
];

export const isOfCloudflare = ({ code }: Problem): boolean => code === 'store_of_cloudflare';
