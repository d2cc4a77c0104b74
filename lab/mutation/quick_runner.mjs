/** Runs each test once to see which mutants it passes, and then once with each of them that is still alive. */
import { setMaxListeners } from 'node:events';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { TestRunner } from 'vitest';

const path = process.env.MUTATION_NOTES;
const note = (id, kind, of) => appendFileSync(path, `${id}\t${kind}\t${of}\n`);

/** What the code with the mutants reads and writes. */
globalThis.__stryker__ ??= {};
const mutation = globalThis.__stryker__;
mutation.mutantCoverage ??= { static: {}, perTest: {} };
const { perTest } = mutation.mutantCoverage;

// Each run listens to the signal of the one test.
setMaxListeners(0);
// What a mutant leaves behind fails no other test.
process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});

/** What is not over by then, on a busy machine, never is. */
const endMs = 120_000;

export default class extends TestRunner {
  async runTask(test) {
    const name = `${test.file.name} > ${test.name}`.replace(/\s+/g, ' ');
    if (done.has(name)) return;
    noteLoading(mutation.mutantCoverage.static, perTest.between);
    // What is loaded in the midst of a test runs once: that is not tried here.
    mutation.currentTestId = 'loading';
    perTest.loading = undefined;
    let tookMs;
    try {
      await this.#run(test, undefined, endMs);
      noteLoading(perTest.loading);
      mutation.currentTestId = name;
      const startMs = performance.now();
      await this.#run(test, undefined, endMs);
      tookMs = performance.now() - startMs;
    } catch (error) {
      note('', 'spoilt', `${name}: ${String(error).split('\n')[0]}`);
      return;
    } finally {
      mutation.currentTestId = 'between';
    }
    const passed = Object.entries(perTest[name] ?? {});
    perTest[name] = undefined;
    for (const [id, hits] of passed) {
      noteOnce(id, 'passed');
      if (killed().has(id)) continue;
      const limits = [{ id, hits: hits * 100 + 1_000 }, tookMs * 5 + 3_000];
      const kind = await this.#fails(test, ...limits);
      if (kind === undefined) continue;
      // Whether it was the mutant.
      if ((await this.#fails(test, undefined, endMs)) && (await this.#fails(test, undefined, endMs))) {
        note(id, 'spoilt', name);
        return;
      }
      if (kind === 'late' && !(await this.#fails(test, ...limits))) continue;
      note(id, kind, name);
    }
    note('', 'done', name);
  }

  #fails = (test, mutant, mostMs) =>
    this.#run(test, mutant, mostMs).then(
      () => undefined,
      (error) => (error === late ? 'late' : 'killed'),
    );

  /** As vitest does it, with what has to be done after each. */
  async #run(test, mutant, mostMs) {
    const { result } = test;
    mutation.activeMutant = mutant?.id;
    mutation.hitCount = mutant && 0;
    mutation.hitLimit = mutant?.hits;
    try {
      await super.onBeforeTryTask(test);
      await within(TestRunner.getTestFn(test), mostMs);
      await super.onAfterTryTask(test);
      if (result.state === 'fail') throw new Error('a soft expectation');
    } finally {
      mutation.activeMutant = undefined;
      mutation.hitCount = undefined;
      const suites = [];
      for (let suite = test.suite ?? test.file; suite; suite = suite.suite) suites.push(suite);
      const hooks = [
        ...suites.flatMap((suite) => TestRunner.getSuiteHooks(suite).afterEach),
        ...(test.onFinished ?? []).reverse(),
      ];
      test.onFinished = undefined;
      for (const hook of hooks) await within(() => hook(test.context, test.suite), 10_000).catch(() => {});
      result.state = 'run';
      result.errors = undefined;
    }
  }
}

const late = new Error('late');

async function within(run, mostMs) {
  let timer;
  const end = new Promise((_, reject) => {
    timer = setTimeout(reject, mostMs, late);
  });
  await Promise.race([(async () => run())(), end]).finally(() => clearTimeout(timer));
}

const noted = { passed: new Set(), loading: new Set() };

function noteOnce(id, kind) {
  if (noted[kind].has(id)) return;
  noted[kind].add(id);
  note(id, kind, '');
}

function noteLoading(...hits) {
  for (const some of hits) for (const id of Object.keys(some ?? {})) noteOnce(id, 'loading');
}

const lines = () =>
  readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.split('\t'));

/** Tests that tried all that they pass, before the run was ended. */
const done = new Set(
  lines()
    .filter(([, kind]) => kind === 'done')
    .map(([, , name]) => name),
);

let size = 0;
let known = new Set();

/** Those that any worker found. */
function killed() {
  const now = statSync(path).size;
  if (now === size) return known;
  size = now;
  known = new Set(
    lines()
      .filter(([, kind]) => kind === 'killed' || kind === 'late')
      .map(([id]) => id),
  );
  return known;
}
