import { dirname, relative, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

const root = resolve(import.meta.dirname, '../..');
const tests = process.env.MUTATION_TESTS.split(',');

/** In the order of run.mjs: the first test that notices a mutant is the last to run. */
class AsListed extends BaseSequencer {
  async sort(files) {
    const place = ({ moduleId }) => tests.findIndex((path) => moduleId.includes(`/${path}`));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

/** Modules whose tests run what was built, in other processes, by what stands in for them in this one. */
const standIns = new Map([['test/support/workerd.ts', 'workerd.mjs']]);
const folder = resolve(import.meta.dirname, 'in_process');

const inProcess = {
  name: 'in-process',
  enforce: 'pre',
  resolveId(source, importer = '') {
    if (source === 'cloudflare:workers') return resolve(folder, 'cloudflare_workers.mjs');
    if (!source.startsWith('.') || importer.startsWith(folder)) return undefined;
    const path = relative(root, resolve(dirname(importer), source));
    const name = standIns.get(path);
    return name && resolve(folder, name);
  },
};

export default defineConfig({
  plugins: [inProcess],
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
