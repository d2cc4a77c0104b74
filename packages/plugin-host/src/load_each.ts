/** The plug-ins of a config that may have mistakes, for its schema. */
import type { Plugin } from '@form-relay/core/plugin';
import { isMap } from '@form-relay/schema/kinds';
import { readConfigText } from '@form-relay/yaml/config_text';
import { loadPlugins, type PluginNames } from './load_plugins.ts';
import { loadsNone } from './unloaded.ts';

/** Loads the plug-ins of RELAY_PLUGINS and of the config, and reports each failure to `tell`. */
export async function loadEach(
  text: string,
  { named, folder }: PluginNames,
  taken: Parameters<typeof loadPlugins>[2],
  tell: (error: string) => void,
  env: Parameters<typeof loadPlugins>[3],
): Promise<readonly Plugin[]> {
  if (loadsNone(named)) return [];
  const read = await readConfigText(text);
  if (!read.ok) tell('the text is not YAML now, so its plug-ins are unknown');
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
