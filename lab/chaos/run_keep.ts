/** `npm run chaos:keep`: see README.md. */
import { parseArgs } from 'node:util';
import { runKeep } from './keep.ts';
import { isHere, type PlaceName, placeNames } from './keep_places.ts';

const { values } = parseArgs({
  options: {
    submissions: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    relays: { type: 'string', default: '2' },
    connections: { type: 'string', default: '400' },
    in: { type: 'string', default: placeNames.join() },
    everything: { type: 'boolean', default: false },
  },
});
const places = values.in.split(',') as PlaceName[];
let failures = 0;
const rows: Record<string, string | number>[] = [];
const enough = new AbortController();
process.once('SIGUSR2', () => enough.abort());
for (const place of places) {
  if (!isHere(place)) {
    console.log(`${place}: not on this machine, or not for this user`);
    continue;
  }
  const { violations, ...ledger } = await runKeep({
    place,
    withEverything: values.everything,
    submissions: Math.ceil(Number(values.submissions) / places.length),
    seed: Number(values.seed),
    relays: Number(values.relays),
    connections: Number(values.connections),
    restartEveryMs: 8_000,
    outageEveryMs: 5_000,
    outageMs: [5_000, 120_000],
    troubleEveryMs: 10_000,
    troubleMs: [200, 4_000],
    drainMs: 7_200_000,
    signal: enough.signal,
    onProgress: (sent) => process.stderr.write(`${place}: ${sent} sent\n`),
  });
  console.log(
    `\n${place}: seed ${values.seed}, ${values.relays} relays, ${Math.round(ledger.seconds)} s, ` +
      `of which ${Math.round(ledger.drainSeconds)} s until all had arrived\n`,
  );
  console.log('How submissions ended');
  console.table(ledger.outcomes);
  console.log('Deliveries');
  console.table(ledger.deliveries);
  console.log('Relays');
  console.table(ledger.relays);
  console.log('What went wrong with the store');
  console.table(ledger.troubles);
  console.log('Sinks');
  console.table(ledger.sinks);
  console.log(`Violations: ${violations.length}`);
  for (const violation of violations.slice(0, 50)) console.log(`  ${violation}`);
  failures += violations.length;
  rows.push({
    store: place,
    submissions: Object.values(ledger.outcomes).reduce((sum, count) => sum + count, 0),
    acknowledged: ledger.outcomes.acknowledged ?? 0,
    'deliveries of these': ledger.deliveries.acknowledged,
    missing: ledger.deliveries.missing,
    'taken again, same key': ledger.deliveries.duplicates,
    'relays killed': ledger.relays.SIGKILL ?? 0,
    'store in trouble': Object.values(ledger.troubles).reduce((sum, count) => sum + count, 0),
    violations: violations.length,
  });
}
console.table(rows);
process.exit(failures > 0 ? 1 : 0);
