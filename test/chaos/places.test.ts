import { runPlaces } from '../../lab/chaos/places.ts';

test('while relays are killed, no more places are acknowledged than exist, and each place hidden by a crash is reported', {
  timeout: 400_000,
}, async () => {
  const { violations, hidden, kills } = await runPlaces({
    in: 'folder',
    visitors: 400,
    places: 60,
    relays: 2,
    connections: 6,
    killAfter: 60,
    seed: 2,
  });
  expect(violations).toEqual([]);
  // Otherwise the test would prove nothing.
  expect(kills).toMatchObject({ SIGKILL: expect.any(Number) });
  expect(hidden).toBeGreaterThan(0);
});
