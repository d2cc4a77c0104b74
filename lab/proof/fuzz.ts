/**
 * Tries each property 100,000 times, file by file, without the tests that have none. What passed is noted in reports/fuzz, so that a
 * run that was ended goes on there, and one after a mend tries only what failed. Remove the folder to begin anew.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { report } from './report.ts';

/** The part of vitest's report that is read. */
interface Results {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly assertionResults: readonly Assertion[] }[];
}

interface Assertion {
  readonly status: string;
  readonly fullName: string;
}

/** A file whose properties all held. */
interface Note {
  readonly commit: string;
  readonly passed: number;
  readonly runs: string;
}

const runs = process.env.FUZZ_RUNS ?? '100000';
const folder = 'reports/fuzz';
const git = (...words: readonly string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim();
const commit = git('describe', '--always', '--abbrev=8', '--dirty');
const files = git('grep', '--files-with-matches', 'support/fuzz', '--', 'test/**/*.test.ts').split('\n');
const failed: { readonly failed: string }[] = [];

mkdirSync(folder, { recursive: true });
const left = files.filter((file) => noteOf(file)?.runs !== runs);
console.log(`${files.length - left.length} of ${files.length} files have passed before.`);
await Promise.all(Array.from({ length: availableParallelism() }, tryNext));
const notes = files.flatMap((file) => noteOf(file) ?? []);
report({
  passed: failed.length === 0,
  conditions: `${runs} runs of each property; fewer where each goes over the wire. After a failure, only what failed is tried again; the minutes are those of the last run`,
  tables: {
    '': [...new Set(notes.map((note) => note.commit))].map((one) => {
      const there = notes.filter((note) => note.commit === one);
      return {
        commit: one,
        files: there.length,
        'tests passed': there.reduce((sum, { passed }) => sum + passed, 0),
      };
    }),
    ...(failed.length > 0 && { Failed: failed }),
  },
});
process.exitCode = failed.length > 0 ? 1 : 0;

async function tryNext(): Promise<void> {
  for (let file = left.shift(); file !== undefined; file = left.shift()) await tryAll(file);
}

async function tryAll(file: string): Promise<void> {
  const startedAt = performance.now();
  const output = pathOf(file, 'vitest.json');
  rmSync(output, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`];
  const vitest = spawn('npx', ['vitest', 'run', file, ...reporters], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, FUZZ_RUNS: runs },
  });
  let said = '';
  for (const stream of [vitest.stdout, vitest.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  await once(vitest, 'close');
  const found = existsSync(output) ? (JSON.parse(readFileSync(output, 'utf8')) as Results) : undefined;
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  console.log(`${found?.success ? 'passed' : 'FAILED'} ${file}, ${minutes} minutes`);
  if (found?.success) {
    const note: Note = { commit, passed: found.numPassedTests, runs };
    writeFileSync(pathOf(file, 'json'), JSON.stringify(note));
    return;
  }
  console.log(said);
  const tests = found?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
  const names = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  failed.push(...(names.length > 0 ? names : [file]).map((name) => ({ failed: name })));
}

function noteOf(file: string): Note | undefined {
  const path = pathOf(file, 'json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

function pathOf(file: string, ending: string): string {
  return join(folder, `${file.replaceAll('/', '_')}.${ending}`);
}
