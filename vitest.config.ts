import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** `npm run fuzz` sets it: how often each property is tried (test/support/fuzz.ts). */
const isFuzzing = Boolean(process.env.FUZZ_RUNS);

/** Properties, and whatever has a longer way. */
const longTests = () =>
  readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/${path}`)
    .filter((path) => readFileSync(path, 'utf8').includes('support/fuzz.ts'));

export default defineConfig({
  test: {
    include: isFuzzing ? longTests() : ['test/**/*.test.ts'],
    setupFiles: ['test/support/all_output_types.ts'],
    maxWorkers: 4,
    // The files leave nothing behind, so those of a worker share the source that it has loaded.
    isolate: false,
    // For busy machines: what a test waits for is a condition, not a time.
    testTimeout: isFuzzing ? 3_600_000 : 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000, interval: 10 } },
    // .ci/run reads the summary that this one prints.
    reporters: [isFuzzing ? 'verbose' : 'default'],
    watch: false,
  },
});
