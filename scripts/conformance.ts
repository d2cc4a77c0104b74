// Tries every promise on the built relay, and writes what it kept: npm run conformance
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asText, type Report } from '../packages/conformance/src/report.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = join(root, 'packages/conformance/results');

const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [join(root, 'dist/relay.cjs'), 'conformance', '--format', 'json'],
  { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
);
if (stdout === '') {
  process.stderr.write(stderr);
  process.exit(1);
}
const report: Report = JSON.parse(stdout);
const text = asText(report, (_, word) => word);
process.stdout.write(text);
// What is broken stays out of the table, which is that of a sound relay.
if (status === 0) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'form-relay.json'), stdout);
  writeFileSync(join(folder, 'form-relay.txt'), text);
}
process.exit(status ?? 1);
