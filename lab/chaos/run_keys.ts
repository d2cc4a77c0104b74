/** `npm run chaos:keys`: see README.md. */
import { parseArgs } from 'node:util';
import { runKeys } from './keys.ts';
import { type CountIn, countIn } from './places.ts';

const { values } = parseArgs({
  options: {
    submissions: { type: 'string', default: '2000' },
    in: { type: 'string', default: countIn.join() },
    relays: { type: 'string', default: '2' },
    connections: { type: 'string', default: '40' },
    'kill-after': { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
  },
});
let violated = 0;
for (const place of values.in.split(',')) {
  const startedAt = performance.now();
  const { violations, ...counts } = await runKeys({
    in: place as CountIn,
    submissions: Number(values.submissions),
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
