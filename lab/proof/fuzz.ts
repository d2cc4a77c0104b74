/** Tries each property 100,000 times (`npm run fuzz`), without the tests that have none. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { report } from './report.ts';

interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly assertionResults: readonly Assertion[] }[];
}

interface Assertion {
  readonly status: string;
  readonly fullName: string;
}

const runs = process.env.FUZZ_RUNS ?? '100000';
const grep = ['grep', '--files-with-matches', 'support/fuzz', '--', 'test/**/*.test.ts'];
const files = execFileSync('git', grep, { encoding: 'utf8' }).trim().split('\n');
const folder = mkdtempSync(join(tmpdir(), 'relay-fuzz-'));
const output = join(folder, 'results.json');
const vitest = spawn(
  'npx',
  ['vitest', 'run', ...files, '--reporter=default', '--reporter=json', `--outputFile.json=${output}`],
  { stdio: 'inherit', env: { ...process.env, FUZZ_RUNS: runs } },
);
const [code] = await once(vitest, 'exit');
const { numPassedTests, numFailedTests, testResults }: Results = JSON.parse(readFileSync(output, 'utf8'));
rmSync(folder, { recursive: true });
const failed = testResults
  .flatMap(({ assertionResults }) => assertionResults)
  .filter(({ status }) => status === 'failed')
  .map(({ fullName }) => ({ failed: fullName }));
report({
  passed: code === 0,
  conditions: `${runs} runs of each property; fewer where each goes over the wire`,
  tables: {
    '': [{ files: files.length, 'tests passed': numPassedTests, 'tests failed': numFailedTests }],
    ...(failed.length > 0 && { Failed: failed }),
  },
});
process.exitCode = code;
