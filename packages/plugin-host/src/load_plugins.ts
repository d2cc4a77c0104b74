import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PluginMistake } from '@form-relay/base/client_error';
import { err, ok, type Result } from '@form-relay/base/result';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Plugin } from '@form-relay/core/plugin';
import { type Diagnostic, Diagnostics, type EnvUse } from '@form-relay/schema/diagnostics';
import { isMap } from '@form-relay/schema/kinds';
import { readConfigText } from '@form-relay/yaml/config_text';
import { checkedPlugin } from './checked_plugin.ts';
import { refuseTaken } from './claims.ts';
import { type MakePlugin, sharedKit } from './kit.ts';
import { reasonOf } from './or_mistake.ts';
import { type Env, filledIn, loadsNone, type PluginEntry, pluginList, readOptions } from './plugin_list.ts';

/** The plug-ins that a relay loads in addition to the bundled ones. */
export interface PluginNames {
  /**
   * The plug-ins of RELAY_PLUGINS, which are loaded for every config. Paths are relative to the directory in
   * which the relay was started.
   */
  readonly named: readonly string[];
  /** The folder of the config, which may list more plug-ins. `undefined`: the config comes from elsewhere, and may not list any. */
  readonly folder: string | undefined;
  /**
   * Whether, with RELAY_PLUGINS=none, keys that the plug-ins may add are ignored, for programs that only
   * inspect a config. Default: they are a mistake.
   */
  readonly mayLack?: boolean;
}

const modules = new Map<string, Promise<MakePlugin>>();
/** Loaded plug-ins by path and options. */
const loaded = new Map<string, Promise<Plugin>>();

export interface Loaded {
  readonly plugins: readonly Plugin[];
  /** The environment variables that the options read. */
  readonly env: readonly EnvUse[];
}

/** How many times each path failed. Node caches a failed import, so the next attempt needs another URL. */
const failures = new Map<string, number>();

/** Loads the plug-ins of RELAY_PLUGINS and then those that a config lists, each once; or says why one cannot be loaded. */
export async function loadPlugins(
  list: unknown,
  { named: always, folder, mayLack }: PluginNames,
  taken: Parameters<typeof refuseTaken>[1],
  env: Env,
): Promise<Result<Loaded, readonly Diagnostic[]>> {
  const at = new Diagnostics();
  const found = new Map<Plugin, PluginEntry>();
  const add = async (entry: PluginEntry, from: string, within: Bounds, here: Diagnostics, who: string) => {
    try {
      for (const one of modulesOf(entry.use, from)) {
        const before = here.mistakes.length;
        const plugin = await load({ ...entry, use: one }, from, within, env, here.in('with'));
        if (!plugin || here.mistakes.length > before) continue;
        refuseTaken(plugin, taken);
        const twin = [...found].find(([other]) => other !== plugin && other.name === plugin.name);
        if (twin && twin[1].use === entry.use)
          here.error(
            `"${plugin.name}" is already listed, with other options; list it once, unless an option gives it another name and types`,
          );
        else found.set(plugin, entry);
      }
    } catch (error) {
      here.error(`${who}cannot be loaded: ${reasonOf(error)}`);
    }
  };
  const listed = list === undefined ? [] : (pluginList(list, at.in('plugins')) ?? []);
  // If malformed entries are missing from the list, the indexes of the others would be wrong.
  if (at.mistakes.length > 0) return err(at.mistakes);
  if (loadsNone(always)) {
    if (!mayLack && listed.length > 0) at.in('plugins').error('RELAY_PLUGINS=none prevents loading them');
    return at.mistakes.length > 0 ? err(at.mistakes) : ok({ plugins: [], env: [] });
  }
  for (const use of always) await add({ use }, '.', anywhere, at, `RELAY_PLUGINS: ${use} `);
  for (const [index, entry] of listed.entries()) {
    const here = at.in('plugins', index);
    if (folder !== undefined)
      await add(entry, folder, [folder, ...always.filter(isPath)].map(realPath), here, 'the plug-in ');
    else if (!always.includes(entry.use))
      here.error(
        'this config is not a file, so it cannot load code; set plug-ins in RELAY_PLUGINS, or pass them to createRelay',
      );
  }
  return at.mistakes.length > 0 ? err(at.mistakes) : ok({ plugins: [...found.keys()], env: at.report.env });
}

/** The folders and files in which a module must be. `undefined`: anywhere. */
type Bounds = readonly string[] | undefined;
const anywhere: Bounds = undefined;

/** Resolves symbolic links. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Throws if a path, or a symbolic link in it, leads outside. Packages may be symbolic links, as in workspaces. */
function checkPlace(name: string, path: string, within: Bounds): void {
  if (within === undefined) return;
  const real = realPath(path);
  const isInside = within.some((place) => real === place || real.startsWith(join(place, sep)));
  const isPackage = !isPath(name) && !name.split('/').includes('..');
  if (!isInside && !isPackage)
    throw new PluginMistake(
      "the path is outside the config's folder; move the plug-in into the folder, or list it in RELAY_PLUGINS as well",
    );
}

/** The name itself or, for a folder, its modules without tests. */
function modulesOf(name: string, from: string): readonly string[] {
  const folder = resolve(from, name);
  if (!isPath(name) || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [name];
  const modules = readdirSync(folder).filter((file) => /(?<!\.test)\.m?js$/.test(file));
  if (modules.length === 0) throw new PluginMistake(`there is no module in the folder ${folder}`);
  return modules.toSorted().map((file) => join(folder, file));
}

/** Loads a plug-in. A package may be installed next to the config or where the relay was started. */
async function load(
  { use: name, with: written = {} }: PluginEntry,
  folder: string,
  within: Bounds,
  env: Env,
  at: Diagnostics,
): Promise<Plugin | undefined> {
  const path = pathOf(name, folder) ?? (isPath(name) ? undefined : pathOf(name, '.'));
  if (path === undefined) {
    if (isPath(name)) throw new PluginMistake(`there is no file ${resolve(folder, name)}`);
    const isFile = existsSync(resolve(folder, name));
    throw new PluginMistake(
      isFile ? `for a file, write ./${name}` : `no package of this name is installed; npm install ${name}`,
    );
  }
  checkPlace(name, path, within);
  const loading = modules.get(path) ?? withTimeout(loadMs, moduleAt(path), stuck);
  modules.set(path, loading);
  loading.catch(() => {
    modules.delete(path);
    failures.set(path, (failures.get(path) ?? 0) + 1);
  });
  const makePlugin = await loading;
  // First call it with the options as plain texts, to learn from the plug-in how to read them.
  const { name: own, options } = await make(path, makePlugin, filledIn(written, env, new Diagnostics()));
  if (!options && isMap(written) && Object.keys(written).length > 0)
    return at.error(`"${own}" has no options`, { aboutKey: true });
  const read = options ? readOptions(options, written, env, at) : {};
  return read && make(path, makePlugin, read);
}

const paths = new WeakMap<Plugin, string>();

/**
 * The origin of a plug-in: its module, the size of the module in bytes, and the version of its package.
 * `undefined` if it was not loaded from a file.
 */
export function originOf(plugin: Plugin) {
  const path = paths.get(plugin);
  if (path === undefined) return undefined;
  return { path, size: statSync(path).size, version: versionOf(dirname(path)) };
}

/** The version of the package that a folder belongs to. */
function versionOf(folder: string): string | undefined {
  if (!folder.includes('node_modules')) return undefined;
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return versionOf(dirname(folder));
  const { version } = JSON.parse(readFileSync(file, 'utf8'));
  return typeof version === 'string' ? version : undefined;
}

/** A limit, because a module may hang in a top-level await. */
const loadMs = 10_000;
const stuck = () => {
  throw new PluginMistake(`loading took longer than ${loadMs / 1_000} s`);
};

const isPath = (name: string) => /^[./]/.test(name);

function pathOf(name: string, folder: string): string | undefined {
  const require = createRequire(resolve(folder, 'config'));
  try {
    return require.resolve(name);
  } catch (error) {
    // The package has an export for `import` only.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined;
    const homes = (require.resolve.paths(name) ?? []).map((path) => join(path, name));
    const home = homes.find((path) => existsSync(join(path, 'package.json')));
    const { exports } = home ? JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) : {};
    const main = exports?.['.'] ?? exports;
    const entry = main?.import?.default ?? main?.import;
    return home && typeof entry === 'string' ? join(home, entry) : undefined;
  }
}

async function moduleAt(path: string): Promise<MakePlugin> {
  const again = failures.has(path) ? `?${failures.get(path)}` : '';
  const module = (await import(pathToFileURL(path).href + again).catch((error) => {
    if (error?.code === 'ERR_UNKNOWN_FILE_EXTENSION')
      throw new PluginMistake(`${path} is not JavaScript; build it to .mjs`);
    throw error;
  })) as { readonly default?: MakePlugin };
  if (typeof module.default !== 'function')
    throw new PluginMistake(`${path} must export a function that returns a plug-in`);
  return module.default;
}

/** Calls a module's export, once for the same options. */
function make(path: string, makePlugin: MakePlugin, options: unknown): Promise<Plugin> {
  const key = `${path}\0${JSON.stringify(options)}`;
  const making =
    loaded.get(key) ??
    withTimeout(loadMs, (async () => checkedPlugin(await makePlugin(sharedKit(), options)))(), stuck);
  loaded.set(key, making);
  making.then(
    (plugin) => paths.set(plugin, path),
    () => undefined,
  );
  making.catch(() => {
    loaded.delete(key);
    modules.delete(path);
    failures.set(path, (failures.get(path) ?? 0) + 1);
  });
  return making;
}

// Loads plug-ins for a config that may have mistakes, to build its schema.

/** Loads the plug-ins of RELAY_PLUGINS and of the config, and passes each failure to `tell`. */
export async function loadEach(
  text: string,
  { named, folder }: PluginNames,
  taken: Parameters<typeof loadPlugins>[2],
  tell: (error: string) => void,
  env: Parameters<typeof loadPlugins>[3],
): Promise<readonly Plugin[]> {
  if (loadsNone(named)) return [];
  const read = await readConfigText(text);
  if (!read.ok) tell('the text is not valid YAML, so its plug-ins are unknown');
  const config = read.ok ? read.value.value : undefined;
  const listed = isMap(config) && Array.isArray(config.plugins) ? config.plugins : [];
  const found = await Promise.all([
    ...named.map((name) => loadPlugins(undefined, { named: [name], folder }, taken, env)),
    ...listed.map((name) => loadPlugins([name], { named: [], folder }, taken, env)),
  ]);
  return found.flatMap((one) => {
    if (one.ok) return one.value.plugins;
    for (const { message } of one.error) tell(message);
    return [];
  });
}
