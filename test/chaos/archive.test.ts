import { runArchive } from '../../lab/chaos/archive.ts';

test('while the relay is killed, each acknowledged submission is complete in the archive, and no incomplete one is', {
  timeout: 300_000,
}, async () => {
  const { violations, outcomes, kills } = await runArchive({
    submissions: 300,
    seed: 3,
    connections: 20,
    killAfter: 40,
  });
  expect(violations).toEqual([]);
  // Otherwise the test would prove nothing.
  expect(outcomes.acknowledged).toBeGreaterThan(100);
  expect(outcomes.unanswered).toBeGreaterThan(0);
  expect(kills).toBeGreaterThan(2);
});
