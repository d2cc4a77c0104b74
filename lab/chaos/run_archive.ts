/** `npm run chaos:archive`: see README.md. */
import { parseArgs } from 'node:util';
import { runArchive } from './archive.ts';

const { values } = parseArgs({
  options: {
    submissions: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    connections: { type: 'string', default: '40' },
    'kill-within': { type: 'string', default: '300' },
  },
});
const { violations, ...counts } = await runArchive({
  submissions: Number(values.submissions),
  seed: Number(values.seed),
  connections: Number(values.connections),
  killWithin: Number(values['kill-within']),
  onProgress: (sent) => process.stderr.write(`${sent} sent\n`),
});
console.log(`\nSeed ${values.seed}`, counts);
console.log(`Violations: ${violations.length}`);
for (const violation of violations.slice(0, 50)) console.log(`  ${violation}`);
process.exit(violations.length > 0 ? 1 : 0);
