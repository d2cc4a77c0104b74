/** The CommonJS modules of the single executable, which come from memory and not from a disk. */

/** Reads a module's source, or `undefined` for a code cache that there is none of. */
export interface Sources {
  /** ASCII alone (`charset` in tsdown.config.ts). @param name Such as `cli/main.cjs`. */
  readonly source: (name: string) => Buffer;
  readonly cache: (name: string) => Buffer | undefined;
}

const { createRequire } = process.getBuiltinModule('node:module');
const { join, posix } = process.getBuiltinModule('node:path');
const { constants, Script } = process.getBuiltinModule('node:vm');

const wrapper = ['(function (exports, require, module, __filename, __dirname) {', '\n})'] as const;

/** Gives a function that loads a module, once, and returns its exports. */
export function createLoader({ source, cache }: Sources) {
  const ofNode = createRequire(process.execPath);
  const modules = new Map<string, { exports: unknown }>();
  const scripts = new Map<string, InstanceType<typeof Script>>();

  function load(name: string): unknown {
    const found = modules.get(name);
    if (found) return found.exports;
    const module = { exports: {} };
    // Before it runs: modules may need each other.
    modules.set(name, module);
    const folder = posix.dirname(name);
    const require = (id: string) => (id.startsWith('.') ? load(posix.join(folder, id)) : ofNode(id));
    const path = join(process.execPath, name);
    compile(name).runInThisContext()(module.exports, require, module, path, join(path, '..'));
    return module.exports;
  }

  function compile(name: string) {
    const cachedData = cache(name);
    const script = new Script(wrapper[0] + source(name).toString('latin1') + wrapper[1], {
      filename: join(process.execPath, name),
      columnOffset: -wrapper[0].length,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      // V8 rejects one that does not fit.
      ...(cachedData && { cachedData }),
    });
    scripts.set(name, script);
    return script;
  }

  return { load, compile, scripts };
}
