/** What programs use that read, deliver, retry, count and delete kept deliveries. */

import { err, ok } from '@form-relay/base/result';
import type { Result } from '@form-relay/core/index';
import { Diagnostics } from '@form-relay/schema/diagnostics';
import type { QueueConfig } from './store.ts';
import { readPlace } from './stores/index.ts';

export { ageInWords } from './keep_words.ts';
export { findOutput, outputIdentity } from './output_match.ts';
export { nextTry, reasonOf } from './retry_policy.ts';
export type * from './store.ts';
export { totalOf } from './store_status.ts';
export { assignment, openContent, type QueuedSubmission } from './stores/content.ts';
export { storeOpener } from './stores/index.ts';

/** The store at an address that no config names; or why it is none, in words. Nothing in it expires. */
export function keepIn(address: string): Result<QueueConfig, string> {
  const at = new Diagnostics();
  const place = readPlace(address, at);
  if (!place) return err(at.mistakes[0]?.message ?? '');
  if (place.kind === 'plugin')
    return err('a plug-in has this store; name the config that loads it, with --config');
  return ok({ in: place, forMs: Infinity, filesIn: undefined });
}
