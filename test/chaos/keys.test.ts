import { expect, test } from 'vitest';
import { type KeysOptions, runKeys } from '../../lab/chaos/keys.ts';
import { hasNats } from '../support/nats.ts';

const few = { submissions: 120, relays: 2, connections: 16, killAfter: 25, seed: 2 };

test.each<KeysOptions['in']>(['folder', ...(hasNats ? (['nats'] as const) : [])])(
  'servers get one answer for each key, and outputs one Idempotency-Key, while relays are killed (%s)',
  { timeout: 400_000 },
  async (place) => {
    const { violations, kills, repeated, statuses } = await runKeys({ ...few, in: place });
    expect(violations).toEqual([]);
    // Otherwise it would show nothing.
    expect(kills.SIGKILL).toBeGreaterThan(0);
    expect(repeated).toBeGreaterThan(0);
    expect(statuses).toMatchObject({ 409: expect.any(Number), cut: expect.any(Number) });
  },
);
