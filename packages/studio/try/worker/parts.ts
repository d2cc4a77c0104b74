/** Loads parts of the program when they are first needed. The page brings them: a worker reads no file here. */
import type { Part } from '../protocol.ts';

type Exports = Record<string, unknown>;
type Load = (name: string) => Promise<Exports>;
/** The code of a part. `load` is what `import()` became (bundle.ts). */
type Run = (exports: Exports, require: (name: string) => Exports, load: Load) => void;

declare const importScripts: (address: string) => void;

/** `bring` resolves to `undefined` where a part cannot be had. */
export function createParts(bring: (name: string) => Promise<Part | undefined>): Load {
  const run = new Map<string, Exports>();
  const known = new Map<string, Run>();
  const coming = new Map<string, Promise<void>>();
  const needs = new Map<string, readonly string[]>();

  const require = (name: string): Exports => {
    const ready = run.get(name);
    if (ready) return ready;
    const code = known.get(name);
    if (!code) throw new Error(`${name} is not here`);
    const exports: Exports = {};
    run.set(name, exports);
    code(exports, require, load);
    return exports;
  };

  const come = (name: string): Promise<void> => {
    const comes = coming.get(name) ?? fetchPart(name);
    coming.set(name, comes);
    return comes;
  };

  async function fetchPart(name: string): Promise<void> {
    const part = await bring(name);
    if (!part) {
      coming.delete(name);
      throw new Error(`${name} could not be loaded`);
    }
    // Made here: on pages of a file, a worker may not read what the page made.
    const address = URL.createObjectURL(new Blob([`tryItPart=${part.code}`], { type: 'text/javascript' }));
    importScripts(address);
    URL.revokeObjectURL(address);
    known.set(name, (globalThis as unknown as { tryItPart: Run }).tryItPart);
    needs.set(name, part.needs);
  }

  async function load(name: string): Promise<Exports> {
    // Two may need each other.
    const all = new Set([name]);
    for (let size = 0; size < all.size; ) {
      size = all.size;
      await Promise.all([...all].map(come));
      for (const one of [...all]) for (const need of needs.get(one) ?? []) all.add(need);
    }
    return require(name);
  }
  return load;
}
