/** The functions of programs that read, deliver, retry, count and delete kept deliveries. */

import { err, ok } from '@form-relay/base/result';
import type { Result } from '@form-relay/core/index';
import { Diagnostics } from '@form-relay/schema/diagnostics';
import { readPlace } from '@form-relay/stores/places';
import type { QueueConfig } from '@form-relay/stores/store';

export { storeOpener } from '@form-relay/stores/places';
export type * from '@form-relay/stores/store';
export { assignment, openContent, type QueuedSubmission } from './content.ts';
export { ageInWords } from './keep_words.ts';
export { findOutput, outputIdentity } from './output_match.ts';
export { nextTry, reasonOf } from './retry_policy.ts';
export { totalOf } from './store_status.ts';

/** The store at an address that no config names; or why it is none, in words. Nothing in it expires. */
export function keepIn(address: string): Result<QueueConfig, string> {
  const at = new Diagnostics();
  const place = readPlace(address, at);
  if (!place) return err(at.mistakes[0]?.message ?? '');
  if (place.kind === 'plugin')
    return err('a plug-in has this store; name the config that loads it, with --config');
  return ok({ in: place, forMs: Infinity, filesIn: undefined });
}
