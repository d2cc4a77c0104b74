import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { err, ok, type Result } from '@form-relay/base/result';
import type { Plugin } from '@form-relay/core/plugin';
import { type MakePlugin, sharedKit } from '@form-relay/core/shared_kit';
import { type Diagnostic, Diagnostics } from '@form-relay/schema/diagnostics';
import { array, isMap, textSchema } from '@form-relay/schema/kinds';
import { didYouMean, nearest, words } from '@form-relay/schema/suggestion';

/** Packages of npm, and modules of the owner's by a path from the folder in which the relay is started. */
const named = array(
  textSchema((name, at) =>
    /^(\.{1,2}\/|\/|@[\w.-]+\/)?[\w.-]+[\w./-]*$/.test(name)
      ? name
      : at.error('expected a package or a ./path'),
  ),
);

const loaded = new Map<string, Promise<Plugin>>();

/**
 * The plug-ins that a config names under `plugins`, in their order; or why one cannot be loaded. Each is loaded once.
 *
 * @param isAllowed Whether a config may load this package or module.
 */
export async function pluginsNamedIn(
  list: unknown,
  isAllowed: (name: string) => boolean,
): Promise<Result<readonly Plugin[], readonly Diagnostic[]>> {
  const at = new Diagnostics(['plugins']);
  const names = named(list, at) ?? [];
  const found: Plugin[] = [];
  for (const [index, name] of names.entries()) {
    if (!isAllowed(name)) {
      at.in(index).error(
        `a config that comes from elsewhere loads no code of its own choice; name it in the environment: RELAY_PLUGINS=${name}`,
      );
      continue;
    }
    const loading = loaded.get(name) ?? load(name);
    loaded.set(name, loading);
    try {
      found.push(await loading);
    } catch (error) {
      loaded.delete(name);
      at.in(index).error(`it cannot be loaded: ${(error as Error).message.split('\n', 1)[0]}`);
    }
  }
  return at.mistakes.length > 0 ? err(at.mistakes) : ok(found);
}

async function load(name: string): Promise<Plugin> {
  const from = createRequire(resolve('relay.config.js'));
  const path = from.resolve(name);
  const module = (await import(pathToFileURL(path).href)) as { readonly default?: MakePlugin };
  if (typeof module.default !== 'function')
    throw new Error('its default export is no function that makes a plugin');
  return soundPlugin(module.default(sharedKit()));
}

/** What a JavaScript author gets wrong first, in words. */
function soundPlugin(made: unknown): Plugin {
  const plugin = made as Plugin;
  const { name, fields, outputs, features = [], fieldExtensions = [], outputExtensions = [] } = plugin ?? {};
  if (!isMap(made) || typeof name !== 'string' || name === '')
    throw new Error('what its default export returns has no name');
  for (const key of Object.keys(plugin))
    if (!members.includes(key))
      throw new Error(
        `"${name}" has a member "${key}" that no plugin has${didYouMean(nearest(key, members))}`,
      );
  const lacks = (all: readonly object[] = [], text: string, method: string) =>
    all.some(
      (one) => typeof Reflect.get(one, text) !== 'string' || typeof Reflect.get(one, method) !== 'function',
    );
  if (lacks(outputs, 'type', 'open')) throw new Error(`an output of "${name}" lacks type or open`);
  if (lacks(fields, 'type', 'control')) throw new Error(`a field type of "${name}" lacks type or control`);
  if (lacks([...features, ...fieldExtensions, ...outputExtensions], 'name', 'configure'))
    throw new Error(`a feature of "${name}" lacks name or configure`);
  return plugin;
}

const members = words(
  'name fields fieldExtensions outputs features outputExtensions messages renderers publicRoutes readings variables validate onConfig onEvent observe onLog flush readiness onStop onClose',
);
