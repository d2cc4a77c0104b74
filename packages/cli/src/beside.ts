/**
 * Finds the files next to the built program: pages, and the scripts of worker threads. In the single
 * executable, `executable/beside.ts` replaces this module.
 */
import { existsSync, promises } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

/** @param path A compressed file below `dist`, such as `inbox/inbox.js`. Rejects if there is no such file. */
export const readBeside = async (path: string): Promise<Uint8Array> =>
  brotliDecompressSync(await promises.readFile(fileURLToPath(built(`${path}.br`))));

/** The built script of a worker thread. */
export const threadProgram = (name: 'index_worker' | 'learn_worker' | 'export_worker'): URL =>
  built(`cli/${name}.cjs`);

/** A file of the build. A command that runs from its sources uses the file in `dist`. */
function built(path: string): URL {
  const own = new URL(`../${path}`, import.meta.url);
  return existsSync(fileURLToPath(own)) ? own : new URL(`../../../dist/${path}`, import.meta.url);
}
