/**
 * `npm run everything`: the long runs, one after the other, in some nine hours on two cores; or those named:
 * `npm run everything -- flood soak`. Each result is written to results/, from which `npm run generate` makes docs/proof.md.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Report } from './report.ts';
import { type Result, resultOf, type StepName, stepNames, steps } from './steps.ts';

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !stepNames.includes(name as StepName));
if (unknown !== undefined) {
  console.error(`No run is called "${unknown}"; there are ${stepNames.join(', ')}.`);
  process.exit(2);
}
const git = (...words: readonly string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim();
const folder = mkdtempSync(join(tmpdir(), 'relay-proof-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const name of asked.length > 0 ? (asked as StepName[]) : stepNames) await prove(name);

async function prove(name: StepName): Promise<void> {
  const file = join(folder, name);
  // Code that was not committed is no proof of any commit.
  const commit = git('describe', '--always', '--abbrev=8', '--dirty');
  const words = steps[name].command(resultOf(name));
  console.log(`\n== ${name}: ${words.join(' ')}`);
  const startedAt = performance.now();
  const child = spawn('npx', words, { stdio: 'inherit', env: { ...process.env, REPORT_FILE: file } });
  const [code] = await once(child, 'exit');
  const nothing: Report = { passed: false, conditions: 'ended without figures', tables: {} };
  const report: Report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : nothing;
  const result: Result = {
    ...report,
    passed: report.passed && code === 0,
    date: new Date().toISOString().slice(0, 10),
    commit,
    machine: `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}, Node ${process.version}`,
    minutes: Math.round((performance.now() - startedAt) / 6_000) / 10,
    command: words.join(' '),
  };
  mkdirSync(new URL('results', import.meta.url), { recursive: true });
  writeFileSync(
    new URL(`results/${name}.json`, import.meta.url),
    `${JSON.stringify(result, undefined, 2)}\n`,
  );
  if (!result.passed) process.exitCode = 1;
}
