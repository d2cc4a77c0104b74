/**
 * The same mutants in minutes. Stryker loads all modules again for each mutant; here, all mutants of an area are in one
 * build of its files, switched off, and each test tries those that it passes, one after the other (quick_runner.mjs).
 * Those that only run while modules are loaded are switched on meanwhile, each by itself, as in Stryker, which takes most
 * of the time: with `ignoreStatic` (Stryker's word for it) they are counted, but not tried.
 *
 * It goes on where it was ended, unless the code or the list of tests changed: after working on tests, remove
 * reports/mutation/<area>.quick.tsv. What one run of a test did stays for the next: a mutant in what a module keeps may
 * survive here that Stryker would kill.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { createVitest } from 'vitest/node';

const root = resolve(import.meta.dirname, '../..');

export async function quick(area, { lines, tests }, { ignoreStatic }) {
  const { files, mutants } = await withMutants(lines);
  if (mutants.length === 0) return { mutants: 0, killed: 0, untried: 0 };
  const noted = `reports/mutation/${area}.quick.tsv`;
  begin(noted, JSON.stringify([[...files], tests]));
  process.env.MUTATION_TESTS = tests.join();
  process.env.MUTATION_NOTES = resolve(noted);

  const vitest = await createVitest(
    'test',
    { config: 'lab/mutation/vitest.config.mjs', root, watch: false, reporters: [{}], bail: 0, maxWorkers: 2 },
    { plugins: [{ name: 'mutants', enforce: 'pre', transform: (_, id) => files.get(id.split('?')[0]) }] },
  );
  const { config } = vitest.projects[0];
  const specifications = await vitest.globTestSpecifications();

  // What tests pass while they run.
  config.runner = resolve(root, 'lab/mutation/quick_runner.mjs');
  // It tries hundreds of mutants within one test.
  config.testTimeout = 3_600_000;
  for (const module of (await vitest.runTestSpecifications(specifications, true)).testModules) {
    if (!module.ok()) appendFileSync(noted, `\tspoilt\t${module.relativeModuleId}\n`);
  }

  if (!ignoreStatic) await tryWhileLoading();
  await vitest.close();
  const seen = read(noted);
  tell(area, mutants, seen);
  return { mutants: mutants.length, killed: seen.killed.size, untried: seen.untried.length };

  /** What runs as modules are loaded. What runs nowhere survives, without a try. */
  async function tryWhileLoading() {
    config.runner = undefined;
    config.testTimeout = 60_000;
    config.bail = 1;
    const passes = async (id) => {
      config.env = { ...config.env, __STRYKER_ACTIVE_MUTANT__: id };
      vitest.state.filesMap.clear();
      const { testModules } = await vitest.runTestSpecifications(specifications, false);
      return testModules.length > 0 && testModules.every((module) => module.ok());
    };
    if (!(await passes(''))) throw new Error(`the tests of ${area} fail without a mutant`);
    for (const id of read(noted).untried) {
      appendFileSync(noted, `${id}\t${(await passes(id)) ? 'tried' : 'killed'}\twhile loading\n`);
    }
  }
}

async function withMutants(lines) {
  const sources = [...lines].map(([file, some]) => ({
    name: resolve(root, file),
    // The instrumenter counts from 0.
    mutate:
      some === true ||
      some.map(([first, last]) => ({
        start: { line: first - 1, column: 0 },
        end: { line: last, column: 0 },
      })),
    content: readFileSync(file, 'utf8'),
  }));
  const log = { debug() {}, info() {}, isDebugEnabled: () => false };
  const { files, mutants } = await new Instrumenter(log).instrument(sources, {
    ignorers: [],
    plugins: null,
    excludedMutations: [],
  });
  return { files: new Map(files.map(({ name, content }) => [name, content])), mutants };
}

/** Notes of other code say nothing. */
function begin(noted, of) {
  const first = `# ${createHash('sha256').update(of).digest('hex')}\n`;
  mkdirSync('reports/mutation', { recursive: true });
  if (!existsSync(noted) || !readFileSync(noted, 'utf8').startsWith(first)) writeFileSync(noted, first);
}

function read(noted) {
  const lines = readFileSync(noted, 'utf8')
    .split('\n')
    .map((line) => line.split('\t'));
  const ids = (...kinds) => new Set(lines.filter(([, kind]) => kinds.includes(kind)).map(([id]) => id));
  const spoilt = lines.filter(([, kind]) => kind === 'spoilt').map(([, , why]) => why);
  const [killed, passed, tried] = [ids('killed', 'late'), ids('passed'), ids('tried')];
  const untried = [...ids('loading')].filter((id) => ![killed, passed, tried].some((some) => some.has(id)));
  return { killed, passed, untried, spoilt };
}

function tell(area, mutants, { killed, passed, untried, spoilt }) {
  const share = (some, all) => `${some} of ${all}, ${((100 * some) / all).toFixed(1)} %`;
  const lines = [];
  for (const file of new Set(mutants.map(({ fileName }) => fileName))) {
    const all = mutants.filter(({ fileName }) => fileName === file);
    const left = all.filter(({ id }) => !killed.has(id));
    lines.push('', `${relative(root, file)}: ${share(all.length - left.length, all.length)}`);
    const source = readFileSync(file, 'utf8').split('\n');
    for (const { id, location, mutatorName, replacement } of left) {
      const { start, end } = location;
      const line = source[start.line];
      const was =
        start.line === end.line ? line.slice(start.column, end.column) : `${line.slice(start.column)} …`;
      lines.push(
        `  ${start.line + 1}:${start.column + 1} ${untried.includes(id) ? '(not tried) ' : passed.has(id) ? '' : '(no test passes it) '}${mutatorName}: ` +
          `${was}  =>  ${replacement.replace(/\s+/g, ' ').slice(0, 100)}   | ${line.trim().slice(0, 120)}`,
      );
    }
  }
  const said = [
    `${area}: ${share(killed.size, mutants.length - untried.length)}; ${untried.length} more were not tried`,
    ...spoilt.map((why) => `cannot be tried again: ${why}`),
    ...lines,
    '',
  ].join('\n');
  writeFileSync(`reports/mutation/${area}.quick.txt`, said);
  process.stdout.write(said);
}
