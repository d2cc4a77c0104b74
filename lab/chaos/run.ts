/** `npm run chaos`: see README.md. */
import { parseArgs } from 'node:util';
import { runLedger } from './ledger.ts';

const { values } = parseArgs({
  options: {
    submissions: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    relays: { type: 'string', default: '2' },
    connections: { type: 'string', default: '400' },
    'every-ms': { type: 'string', default: '3000' },
  },
});
const { violations, ...ledger } = await runLedger({
  submissions: Number(values.submissions),
  seed: Number(values.seed),
  relays: Number(values.relays),
  connections: Number(values.connections),
  restartEveryMs: Number(values['every-ms']),
  outageEveryMs: 1_500,
  onProgress: (sent) => process.stderr.write(`${sent} sent\n`),
});

console.log(`\nSeed ${values.seed}, ${values.relays} relays, ${Math.round(ledger.seconds)} s\n`);
console.log('How submissions ended');
console.table(ledger.outcomes);
console.log('Relays');
console.table(ledger.relays);
console.log('Sinks');
console.table(ledger.sinks);
console.log('What sinks did, by plan');
console.table(ledger.ways);
console.log(`Violations: ${violations.length}`);
for (const violation of violations.slice(0, 50)) console.log(`  ${violation}`);
process.exit(violations.length > 0 ? 1 : 0);
