/** Functions for programs that read, deliver, retry, count and delete queued deliveries. */

import { err, ok } from '@form-relay/base/result';
import type { Result } from '@form-relay/core/index';
import { bundled, placeAt } from '@form-relay/stores/index';
import type { QueueConfig } from './open_stores.ts';

export type * from '@form-relay/stores/store';
export { assignment, openContent, type QueuedSubmission } from './content.ts';
export {
  type DeliveryStore,
  type FormQueue,
  type OpenStore,
  type QueueConfig,
  storeOpener,
} from './open_stores.ts';
export { findOutput, outputIdentity } from './output_match.ts';
export { nextTry, reasonOf } from './retry_policy.ts';
export { ageInWords, totalOf } from './store_status.ts';

/** The store at an address that need not be in a config, or the reason why there is none. Nothing in it expires. */
export function keepIn(address: string): Result<QueueConfig, string> {
  const place = placeAt(address, bundled, 'deliveries');
  if (!('problem' in place)) return ok({ in: place, forMs: Infinity, filesIn: undefined });
  return err(
    place.isUnknown
      ? 'a plug-in provides this store; use --config with the config that loads the plug-in'
      : place.problem,
  );
}
