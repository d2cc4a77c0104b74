import { failures } from '@form-relay/core/kit';

export const failed = failures({
  counts_damaged: ({ at }: { at: string }) =>
    `the count ${at} is damaged, so that nobody knows what is left (docs/places.md)`,
  idempotency_full: ({ most }: { most: number }) =>
    `more was sent under Idempotency-Keys within a day than ${most} bytes hold; lower keys_limit (docs/keys.md)`,
});
