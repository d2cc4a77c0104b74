import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { err, ok, type Result } from '@form-relay/base/result';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Plugin } from '@form-relay/core/plugin';
import { type MakePlugin, sharedKit } from '@form-relay/core/shared_kit';
import { type Diagnostic, Diagnostics } from '@form-relay/schema/diagnostics';
import { array, textSchema } from '@form-relay/schema/kinds';
import { guest } from './guest.ts';

/** Packages of npm, and modules of the owner's by a path, or all in a folder. */
const pluginList = array(
  textSchema((name, at) =>
    /^(\.{1,2}\/|\/|@[\w.-]+\/)?[\w.-]+[\w./-]*$/.test(name)
      ? name
      : at.error('expected a package or a ./path'),
  ),
);

/** Which plug-ins a relay loads beside those that come with it. */
export interface PluginNames {
  /** Those of RELAY_PLUGINS, which every config gets. Paths are relative to the folder in which the relay was started. */
  readonly named: readonly string[];
  /** The folder of a config that may name others. `undefined`: it comes from elsewhere, and may name none. */
  readonly folder: string | undefined;
}

const loaded = new Map<string, Promise<Plugin>>();

/** The plug-ins of RELAY_PLUGINS and those that a config lists, in this order, each loaded once; or why one cannot be loaded. */
export async function loadPlugins(
  list: unknown,
  { named: always, folder }: PluginNames,
): Promise<Result<readonly Plugin[], readonly Diagnostic[]>> {
  const at = new Diagnostics();
  const found = new Set<Plugin>();
  const add = async (name: string, from: string, here: Diagnostics, who: string) => {
    try {
      for (const one of modulesOf(name, from)) found.add(await load(one, from));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      here.error(`${who}cannot be loaded: ${reason.split('\n', 1)[0]}`);
    }
  };
  for (const name of always) await add(name, '.', at, `RELAY_PLUGINS: ${name} `);
  const listed = list === undefined ? [] : (pluginList(list, at.in('plugins')) ?? []);
  for (const [index, name] of listed.entries()) {
    const here = at.in('plugins', index);
    if (folder !== undefined) await add(name, folder, here, 'it ');
    else if (!always.includes(name))
      here.error(
        `a config that comes from elsewhere loads no code of its own choice; name it in the environment: RELAY_PLUGINS=${name}`,
      );
  }
  return at.mistakes.length > 0 ? err(at.mistakes) : ok([...found]);
}

/** The name itself, or the modules in a folder, without their tests. */
function modulesOf(name: string, from: string): readonly string[] {
  const folder = resolve(from, name);
  if (!isPath(name) || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [name];
  const modules = readdirSync(folder).filter((file) => /(?<!\.test)\.m?js$/.test(file));
  if (modules.length === 0) throw new Error(`there is no module in the folder ${folder}`);
  return modules.toSorted().map((file) => join(folder, file));
}

/** Packages may be installed beside the config or where the relay was started. */
async function load(name: string, folder: string): Promise<Plugin> {
  const path = pathOf(name, folder) ?? (isPath(name) ? undefined : pathOf(name, '.'));
  if (path === undefined)
    throw new Error(
      isPath(name)
        ? `there is no file ${resolve(folder, name)}`
        : `no package of this name is installed; npm install ${name}`,
    );
  const loading = loaded.get(path) ?? withTimeout(loadMs, make(path), stuck);
  loaded.set(path, loading);
  loading.catch(() => loaded.delete(path));
  return loading;
}

/** A module may wait for something at its top, and never get it. */
const loadMs = 10_000;
const stuck = () => {
  throw new Error(`it did not end loading within ${loadMs / 1_000} s`);
};

const isPath = (name: string) => /^[./]/.test(name);

function pathOf(name: string, folder: string): string | undefined {
  try {
    return createRequire(resolve(folder, 'config')).resolve(name);
  } catch {
    return undefined;
  }
}

async function make(path: string): Promise<Plugin> {
  const module = (await import(pathToFileURL(path).href)) as { readonly default?: MakePlugin };
  if (typeof module.default !== 'function')
    throw new Error('its default export is no function that makes a plugin');
  return guest(await module.default(sharedKit()));
}
