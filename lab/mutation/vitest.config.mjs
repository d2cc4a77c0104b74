import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

const tests = process.env.MUTATION_TESTS.split(',');

/** In the order of run.mjs: the first test that notices a mutant is the last to run. */
class AsListed extends BaseSequencer {
  async sort(files) {
    const place = ({ moduleId }) => tests.findIndex((path) => moduleId.includes(`/${path}`));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    include: tests.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`)),
    // They run what was built, which has no mutants.
    exclude: ['test/runtimes/parse_in_worker.test.ts', 'test/config/what_hangs.test.ts'],
    setupFiles: ['test/support/all_output_types.ts'],
    // Most of the time would go into loading the same modules for each file.
    isolate: false,
    sequence: { sequencer: AsListed },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    watch: false,
  },
});
