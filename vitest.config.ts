import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** How often `npm run fuzz` tries each property (test/support/fuzz.ts). */
const { FUZZ_RUNS } = process.env;

/** Properties, and whatever has a longer way. */
const longTests = () =>
  ['test', 'packages', 'apps', 'catalogue']
    .flatMap((home) =>
      readdirSync(home, { recursive: true, encoding: 'utf8' }).map((path) => `${home}/${path}`),
    )
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .filter((path) => readFileSync(path, 'utf8').includes('support/fuzz.ts'));

/** Where tests wait for processes and browsers, those with the longest way first. */
const slowAreas = [
  'test/chaos',
  'cli/test',
  'test/plugins',
  'stores/test',
  'test/promises',
  'stored/test',
  'test/browser',
  'test/docs',
  'runtimes/test',
];

/**
 * In a fresh clone Vitest starts the largest files first. Some of the smallest run longest, so whole areas come before:
 * otherwise the last file runs alone.
 */
class SlowAreasFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = slowAreas.findIndex((area) => moduleId.includes(`/${area}/`));
      return at === -1 ? slowAreas.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  resolve: {
    alias: { 'form-relay/testing': fileURLToPath(new URL('packages/testing/src/index.ts', import.meta.url)) },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    globals: true,
    include: FUZZ_RUNS
      ? longTests()
      : ['test/**/*.test.ts', '{packages,apps}/*/test/**/*.test.ts', 'catalogue/*.test.ts'],
    // A third of the time is waiting: for timers, processes and disks.
    maxWorkers: Math.max(4, Math.ceil(availableParallelism() * 1.5)),
    sequence: { sequencer: SlowAreasFirst },
    setupFiles: ['test/support/wait_for.ts'],
    // The files leave nothing behind, so those of a worker share the source that it has loaded.
    isolate: false,
    // Transformed files are read from node_modules the next time.
    experimental: { fsModuleCache: true },
    // For busy machines: a test waits for a condition, not a time.
    testTimeout: FUZZ_RUNS ? 3_600_000 : 120_000,
    hookTimeout: 60_000,
    // A busy machine may be late once; a fault fails twice.
    retry: process.env.CI && !FUZZ_RUNS ? 1 : 0,
    expect: { poll: { timeout: 60_000, interval: 10 } },
    // .ci/run reads the summary that this one prints.
    reporters: [FUZZ_RUNS ? 'verbose' : 'default'],
    watch: false,
  },
});
