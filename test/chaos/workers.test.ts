import { expect, test } from 'vitest';
import { runLedger } from '../../lab/chaos/ledger.ts';

test('what was acknowledged is delivered while workers are killed and replaced', {
  timeout: 300_000,
}, async () => {
  const { violations, outcomes, relays } = await runLedger({
    submissions: 1_500,
    seed: 3,
    relays: 1,
    workers: 3,
    connections: 60,
    restartEveryMs: 400,
    outageEveryMs: 1_000,
  });
  expect(violations).toEqual([]);
  // Otherwise it would show nothing.
  expect(outcomes.acknowledged).toBeGreaterThan(200);
  expect(relays.workers_killed).toBeGreaterThan(2);
});
