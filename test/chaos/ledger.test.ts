import { expect, test } from 'vitest';
import { runLedger } from '../../lab/chaos/ledger.ts';

test('what was acknowledged is delivered, and nothing else is, while sinks and relays fail', {
  timeout: 300_000,
}, async () => {
  const { violations, outcomes, relays, sinks, ways } = await runLedger({
    submissions: 1_000,
    seed: 2,
    relays: 2,
    connections: 120,
    restartAfter: 80,
    outageEveryMs: 500,
  });
  expect(violations).toEqual([]);
  // Otherwise it would show nothing.
  expect(outcomes.acknowledged).toBeGreaterThan(200);
  expect(outcomes['answered with an error']).toBeGreaterThan(8);
  expect(relays.SIGTERM).toBeGreaterThan(0);
  expect(relays.retries).toBeGreaterThan(8);
  expect(sinks.pair.taken).toBeGreaterThan(8);
  expect(Object.keys(ways).length).toBeGreaterThan(30);
});
