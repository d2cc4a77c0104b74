import { failures } from '@form-relay/base/client_error';

export const failed = failures({
  idempotency_full: ({ most }: { most: number }) =>
    `more was sent under Idempotency-Keys within a day than ${most} bytes hold; lower keys_limit (docs/keys.md)`,
});
