/**
 * The first code that the single executable runs, in its main thread and in others. Loads the command's
 * CommonJS modules, which are assets of the executable, not files on disk.
 */

/** The module to run in a worker thread. */
declare const entry: string | undefined;

// Not imported, because this runs without `require`, also in a worker thread, which starts as an ES module.
const { getRawAsset } = process.getBuiltinModule('node:sea');
const { createRequire } = process.getBuiltinModule('node:module');
const { join, posix } = process.getBuiltinModule('node:path');
const { constants, Script } = process.getBuiltinModule('node:vm');

const wrapper = ['(function (exports, require, module, __filename, __dirname) {', '\n})'] as const;

const ofNode = createRequire(process.execPath);
const modules = new Map<string, { exports: unknown }>();

/** Loads a module once and returns its exports. @param name For example `cli/main.cjs`. */
function load(name: string): unknown {
  const found = modules.get(name);
  if (found) return found.exports;
  const module = { exports: {} };
  // Registered before it runs, because modules may require each other.
  modules.set(name, module);
  const folder = posix.dirname(name);
  const require = (id: string) => (id.startsWith('.') ? load(posix.join(folder, id)) : ofNode(id));
  const path = join(process.execPath, name);
  // Texts of languages are not ASCII.
  const source = Buffer.from(getRawAsset(name) as ArrayBuffer).toString('utf8');
  const script = new Script(wrapper[0] + source + wrapper[1], {
    filename: path,
    columnOffset: -wrapper[0].length,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  script.runInThisContext()(module.exports, require, module, path, join(path, '..'));
  return module.exports;
}

function commandWord(): string {
  const [, , ...words] = process.argv;
  return words.length === 1 && words[0] === 'serve' ? 'cli/serve_plainly.cjs' : 'cli/main.cjs';
}

load(entry ?? commandWord());
