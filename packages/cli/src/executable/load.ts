/**
 * The first code that the single executable runs, in its main thread and in others: loads the command's modules, which are
 * assets of the executable, with V8's code cache where the build could write one.
 */
import { workerWord } from './bootstrap.ts';
import { createLoader } from './modules.ts';

/** The module to run, in a thread. */
declare const entry: string | undefined;

// Not imported: this runs without `require`, also in a thread, which begins as an ES module.
const { getRawAsset } = process.getBuiltinModule('node:sea');

const asset = (name: string) => Buffer.from(getRawAsset(name) as ArrayBuffer);

function cache(name: string): Buffer | undefined {
  try {
    return asset(`code_cache/${name}`);
  } catch {
    return undefined;
  }
}

function asked(): string {
  const [, , ...words] = process.argv;
  if (process.connected && words.at(-1) === workerWord) return 'cli/worker.cjs';
  return words.length === 1 && words[0] === 'serve' ? 'cli/serve_plainly.cjs' : 'cli/main.cjs';
}

createLoader({ source: asset, cache }).load(entry ?? asked());
