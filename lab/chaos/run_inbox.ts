/** `npm run chaos:inbox`: see README.md. */
import { parseArgs } from 'node:util';
import { runInbox } from './inbox.ts';

const { values } = parseArgs({
  options: {
    submissions: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    relays: { type: 'string', default: '2' },
    connections: { type: 'string', default: '60' },
    'kill-every': { type: 'string', default: '4000' },
  },
});
const enough = new AbortController();
process.once('SIGUSR2', () => enough.abort());
const { violations, counts, hidden, ...ledger } = await runInbox({
  submissions: Number(values.submissions),
  seed: Number(values.seed),
  relays: Number(values.relays),
  connections: Number(values.connections),
  killEvery: Number(values['kill-every']),
  outageEveryMs: 20_000,
  drainMs: 1_800_000,
  signal: enough.signal,
  onProgress: (words) => process.stderr.write(`${words}\n`),
});
console.log(`\nSeed ${values.seed}`, ledger);
console.table(counts);
console.log('Hidden by kills', hidden);
console.log(`Violations: ${violations.length}`);
for (const violation of violations.slice(0, 50)) console.log(`  ${violation}`);
process.exit(violations.length > 0 ? 1 : 0);
