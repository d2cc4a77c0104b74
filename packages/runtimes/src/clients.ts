/** The folder with a config for each client, where a relay has one (CONFIG_DIR). */
import { ClientConfigs } from '@form-relay/client-configs/client_configs';
import { isFolder } from '@form-relay/client-configs/folder';
import { parserOf } from '@form-relay/client-configs/rules';
import { SettingError } from '@form-relay/core/settings';
import type { RelayOptions } from './relay.ts';
import type { OpenClients } from './running_relay.ts';

/** Opens the folder that the options or the environment name. `undefined`: they name one config, or none. */
export function openClientsOf(options: RelayOptions): OpenClients | undefined {
  const folder = clientsFolder(options);
  if (folder === undefined) return undefined;
  return ({ plugins, context, sources, ...more }) =>
    new ClientConfigs(folder, context.services, { parse: parserOf(plugins, context, sources), ...more });
}

/** Throws a `SettingError` if the environment names another config, too. */
function clientsFolder({
  source,
  config,
  configFile,
  openConfig,
  fallbackConfigFile: last,
  env = process.env,
}: RelayOptions): string | undefined {
  if (source) return source.clients;
  if (openConfig || config !== undefined) return undefined;
  if (configFile !== undefined) return isFolder(configFile) ? configFile : undefined;
  const others = ['CONFIG_INLINE', 'CONFIG_FILE', 'CONFIG_BUCKET'].filter((name) => env[name]);
  if (!env.CONFIG_DIR) return others.length === 0 && last !== undefined && isFolder(last) ? last : undefined;
  if (others.length === 0) return env.CONFIG_DIR;
  const expected = `a relay has one config, or a folder of them; unset it, or ${others.join(' and ')}`;
  throw new SettingError([{ name: 'CONFIG_DIR', expected }]);
}
