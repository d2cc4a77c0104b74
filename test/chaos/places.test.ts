import { runPlaces } from '../../lab/chaos/places.ts';

test('no more places are acknowledged than there are, and each that a crash hid is reported, while relays are killed', {
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
  // Otherwise it would show nothing.
  expect(kills).toMatchObject({ SIGKILL: expect.any(Number) });
  expect(hidden).toBeGreaterThan(0);
});
