import { runArchive } from '../../lab/chaos/archive.ts';

test('an acknowledged submission is in the archive, whole, and no half one is, while the relay is killed', {
  timeout: 300_000,
}, async () => {
  const { violations, outcomes, kills } = await runArchive({
    submissions: 300,
    seed: 3,
    connections: 20,
    killAfter: 40,
  });
  expect(violations).toEqual([]);
  // Otherwise it would show nothing.
  expect(outcomes.acknowledged).toBeGreaterThan(100);
  expect(outcomes.unanswered).toBeGreaterThan(0);
  expect(kills).toBeGreaterThan(2);
});
