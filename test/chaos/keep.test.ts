import { isHere } from '../../lab/chaos/keep_places.ts';
import { runLedger } from '../../lab/chaos/ledger.ts';

/** A store of the relay's own, and one on a server; `npm run chaos -- keep` covers the others, with many more submissions. */
const places = ['folder', 'nats'] as const;

describe.concurrent.each(places)('submissions queued in %s', (place) => {
  test.skipIf(!isHere(place))(
    'are delivered after outputs, relays and the store have recovered, and nothing else is',
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
      // Otherwise the test would prove nothing.
      expect(outcomes.acknowledged).toBeGreaterThan(50);
      expect(deliveries.kept).toBeGreaterThan(50);
      expect(relays.SIGTERM ?? 0).toBeGreaterThan(0);
      expect(Object.keys(troubles).length).toBeGreaterThan(0);
    },
    300_000,
  );
});
