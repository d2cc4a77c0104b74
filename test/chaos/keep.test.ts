import { isHere } from '../../lab/chaos/keep_places.ts';
import { runLedger } from '../../lab/chaos/ledger.ts';

/** A store that the relay keeps itself, and one that a server keeps; `npm run chaos -- keep` has the others, and many more. */
const places = ['folder', 'nats'] as const;

describe.concurrent.each(places)('submissions kept in %s', (place) => {
  test.skipIf(!isHere(place))(
    'is delivered when outputs, relays and the store have recovered, and nothing else is',
    async ({ expect }) => {
      const { violations, outcomes, deliveries, relays, troubles } = await runLedger({
        submissions: 300,
        seed: 3,
        relays: 2,
        connections: 40,
        restartAfter: 40,
        outageEveryMs: 300,
        outageMs: [500, 3_000],
        keep: { place, troubleEveryMs: 600, troubleMs: [100, 500], drainMs: 240_000 },
      });
      expect(violations).toEqual([]);
      expect(deliveries.missing).toBe(0);
      // Otherwise it would show nothing.
      expect(outcomes.acknowledged).toBeGreaterThan(50);
      expect(deliveries.kept).toBeGreaterThan(50);
      expect(relays.SIGTERM ?? 0).toBeGreaterThan(0);
      expect(Object.keys(troubles).length).toBeGreaterThan(0);
    },
    300_000,
  );
});
