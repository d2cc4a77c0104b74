import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PluginMistake } from '@form-relay/base/client_error';
import { err, ok, type Result } from '@form-relay/base/result';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Plugin } from '@form-relay/core/plugin';
import { type Diagnostic, Diagnostics } from '@form-relay/schema/diagnostics';
import { array, textSchema } from '@form-relay/schema/kinds';
import { checkedPlugin } from './checked_plugin.ts';
import { refuseTaken } from './claims.ts';
import { type MakePlugin, sharedKit } from './kit.ts';
import { reasonOf } from './or_mistake.ts';
import { loadsNone } from './unloaded.ts';

/** Packages of npm, and modules of the owner's by a path, or all in a folder. */
const pluginList = array(
  textSchema((name, at) =>
    /^(\.{1,2}\/|\/|@[\w.-]+\/)?[\w.-]+[\w./-]*$/.test(name)
      ? name
      : at.error('expected a package or a ./path'),
  ),
);

/** The plug-ins that a relay loads in addition to those that come with it. */
export interface PluginNames {
  /** The plug-ins of RELAY_PLUGINS, which every config gets. Paths are relative to the folder in which the relay was started. */
  readonly named: readonly string[];
  /** The folder of a config that may name others. `undefined`: it comes from elsewhere, and may name none. */
  readonly folder: string | undefined;
  /** Whether RELAY_PLUGINS=none leaves out what the plug-ins of a config may add, for programs that only look at it. Default: it is a mistake. */
  readonly mayLack?: boolean;
}

const loaded = new Map<string, Promise<Plugin>>();

/** How often each path failed: Node keeps a module that failed, so that it is loaded again under another address. */
const failures = new Map<string, number>();

/** The plug-ins of RELAY_PLUGINS and those that a config lists, in this order, each loaded once; or why one cannot be loaded. */
export async function loadPlugins(
  list: unknown,
  { named: always, folder, mayLack }: PluginNames,
  taken: Parameters<typeof refuseTaken>[1],
): Promise<Result<readonly Plugin[], readonly Diagnostic[]>> {
  const at = new Diagnostics();
  const found = new Set<Plugin>();
  const add = async (name: string, from: string, within: Bounds, here: Diagnostics, who: string) => {
    try {
      for (const one of modulesOf(name, from)) {
        const plugin = await load(one, from, within);
        refuseTaken(plugin, taken);
        found.add(plugin);
      }
    } catch (error) {
      here.error(`${who}cannot be loaded: ${reasonOf(error)}`);
    }
  };
  const listed = list === undefined ? [] : (pluginList(list, at.in('plugins')) ?? []);
  // The list lacks malformed entries, so the indexes of the others would be wrong.
  if (at.mistakes.length > 0) return err(at.mistakes);
  if (loadsNone(always)) {
    if (!mayLack && listed.length > 0)
      at.in('plugins').error('RELAY_PLUGINS=none keeps them from being loaded');
    return at.mistakes.length > 0 ? err(at.mistakes) : ok([]);
  }
  for (const name of always) await add(name, '.', anywhere, at, `RELAY_PLUGINS: ${name} `);
  for (const [index, name] of listed.entries()) {
    const here = at.in('plugins', index);
    if (folder !== undefined)
      await add(name, folder, [folder, ...always.filter(isPath)].map(realPath), here, 'it ');
    else if (!always.includes(name))
      here.error(
        'a config that is no file loads no code; the environment names plug-ins for it (RELAY_PLUGINS), or createRelay gets them',
      );
  }
  return at.mistakes.length > 0 ? err(at.mistakes) : ok([...found]);
}

/** The folders and files in which a module must be. */
type Bounds = readonly string[] | undefined;
const anywhere: Bounds = undefined;

/** Where a path leads in the end. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Throws if a path, or a link in it, leads elsewhere. Packages may be linked, as workspaces do. */
function checkPlace(name: string, path: string, within: Bounds): void {
  if (within === undefined) return;
  const real = realPath(path);
  const isInside = within.some((place) => real === place || real.startsWith(join(place, sep)));
  const isPackage = !isPath(name) && !name.split('/').includes('..');
  if (!isInside && !isPackage)
    throw new PluginMistake(
      'its path leads out of the folder of the config; move it there, or name it in RELAY_PLUGINS, too',
    );
}

/** The name itself, or the modules in a folder, without their tests. */
function modulesOf(name: string, from: string): readonly string[] {
  const folder = resolve(from, name);
  if (!isPath(name) || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [name];
  const modules = readdirSync(folder).filter((file) => /(?<!\.test)\.m?js$/.test(file));
  if (modules.length === 0) throw new PluginMistake(`there is no module in the folder ${folder}`);
  return modules.toSorted().map((file) => join(folder, file));
}

/** Packages may be installed next to the config or where the relay was started. */
async function load(name: string, folder: string, within: Bounds): Promise<Plugin> {
  const path = pathOf(name, folder) ?? (isPath(name) ? undefined : pathOf(name, '.'));
  if (path === undefined) {
    if (isPath(name)) throw new PluginMistake(`there is no file ${resolve(folder, name)}`);
    const isFile = existsSync(resolve(folder, name));
    throw new PluginMistake(
      isFile ? `a file is written ./${name}` : `no package of this name is installed; npm install ${name}`,
    );
  }
  checkPlace(name, path, within);
  const loading = loaded.get(path) ?? withTimeout(loadMs, make(path), stuck);
  loaded.set(path, loading);
  loading.then((plugin) => paths.set(plugin, path)).catch(() => undefined);
  loading.catch(() => {
    loaded.delete(path);
    failures.set(path, (failures.get(path) ?? 0) + 1);
  });
  return loading;
}

const paths = new WeakMap<Plugin, string>();

/** Where a plug-in was loaded from: its module, with its size in bytes, and the version of its package. `undefined`: from no file. */
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

/** A module may wait for something at its top, and never get it. */
const loadMs = 10_000;
const stuck = () => {
  throw new PluginMistake(`it did not end loading within ${loadMs / 1_000} s`);
};

const isPath = (name: string) => /^[./]/.test(name);

function pathOf(name: string, folder: string): string | undefined {
  const require = createRequire(resolve(folder, 'config'));
  try {
    return require.resolve(name);
  } catch (error) {
    // A package only for `import`.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined;
    const homes = (require.resolve.paths(name) ?? []).map((path) => join(path, name));
    const home = homes.find((path) => existsSync(join(path, 'package.json')));
    const { exports } = home ? JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) : {};
    const main = exports?.['.'] ?? exports;
    const entry = main?.import?.default ?? main?.import;
    return home && typeof entry === 'string' ? join(home, entry) : undefined;
  }
}

async function make(path: string): Promise<Plugin> {
  const again = failures.has(path) ? `?${failures.get(path)}` : '';
  const module = (await import(pathToFileURL(path).href + again).catch((error) => {
    if (error?.code === 'ERR_UNKNOWN_FILE_EXTENSION')
      throw new PluginMistake(`${path} is not JavaScript; build it to .mjs`);
    throw error;
  })) as { readonly default?: MakePlugin };
  if (typeof module.default !== 'function')
    throw new PluginMistake(`the default export of ${path} is no function that makes a plugin`);
  return checkedPlugin(await module.default(sharedKit()));
}
