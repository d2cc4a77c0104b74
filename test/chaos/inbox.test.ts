import { expect, test } from 'vitest';
import { runInbox } from '../../lab/chaos/inbox.ts';

test('the inbox knows the end of each submission, while outputs fail and a relay is killed', {
  timeout: 300_000,
}, async () => {
  const { violations, counts, kills } = await runInbox({
    submissions: 1_000,
    seed: 1,
    relays: 2,
    connections: 30,
    killAfter: 250,
    outageEveryMs: 2_000,
    drainMs: 200_000,
  });
  expect(violations).toEqual([]);
  // Otherwise it would show nothing.
  for (const state of ['delivered', 'kept', 'aside', 'dropped', 'failed'] as const)
    expect(counts.index[state]).toBeGreaterThan(10);
  expect(kills).toBeGreaterThan(0);
});
