import type { Effects } from '@form-relay/relay/base';
import type { LookEffects } from '@form-relay/relay/send_test';
import type { Relay } from '@form-relay/relay/serve';
import { createListBucket, ownAws } from '@form-relay/relay/transports';

/** The outside world of tests: as a relay's, with a look at buckets. */
export const sendingEffects = ({ effects }: Pick<Relay, 'effects'>): Effects & LookEffects => ({
  ...effects,
  listBucket: createListBucket(ownAws(effects.env, effects.now)),
});
