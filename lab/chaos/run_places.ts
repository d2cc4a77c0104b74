/** `npm run chaos:places`: see README.md. */
import { parseArgs } from 'node:util';
import { type CountIn, countIn, runPlaces } from './places.ts';

const { values } = parseArgs({
  options: {
    visitors: { type: 'string', default: '10000' },
    places: { type: 'string', default: '100' },
    in: { type: 'string', default: countIn.join() },
    relays: { type: 'string', default: '2' },
    connections: { type: 'string', default: '8' },
    'kill-after': { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
  },
});
let violated = 0;
for (const place of values.in.split(',')) {
  const startedAt = performance.now();
  const { violations, ...counts } = await runPlaces({
    in: place as CountIn,
    visitors: Number(values.visitors),
    places: Number(values.places),
    relays: Number(values.relays),
    connections: Number(values.connections),
    killAfter: Number(values['kill-after']),
    seed: Number(values.seed),
  });
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`\n${place}, seed ${values.seed}, ${seconds} s`, counts);
  console.log(`Violations: ${violations.length}`);
  for (const violation of violations.slice(0, 50)) console.log(`  ${violation}`);
  violated += violations.length;
}
process.exit(violated > 0 ? 1 : 0);
