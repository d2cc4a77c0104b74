/** Stores that Cloudflare binds to names. */
import type { CountPlace } from '../../base/counts.ts';
import type { Keep } from '../../base/kept.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import type { Problem } from '../problem.ts';

interface Stores {
  readonly keep: Keep | undefined;
  readonly countedIn: CountPlace | undefined;
}

/** Those of a config. The owner's commands load it and warn, since the relay may run on Cloudflare. */
export const storesOfCloudflare = ({ keep, countedIn }: Stores): readonly Finding[] => [
  ...(keep?.in.kind === 'queue' ? [finding('store_of_cloudflare', ['keep', 'in'], { key: 'keep' })] : []),
  ...(countedIn?.kind === 'durable-object'
    ? [finding('store_of_cloudflare', ['counted_in'], { key: 'counted_in' })]
    : []),
];

export const isOfCloudflare = ({ code }: Problem): boolean => code === 'store_of_cloudflare';
