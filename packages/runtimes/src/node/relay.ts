import { ClientConfigs } from '@form-relay/client-configs/client_configs';
import { isFolder } from '@form-relay/client-configs/folder';
import { parserOf } from '@form-relay/client-configs/rules';
import { SettingError } from '@form-relay/core/settings';
import { always, bundled } from '../bundled.ts';
import { createRelay as create, type RelayOptions } from '../relay.ts';
import type { OpenClients, Relay } from '../running_relay.ts';
import { openNode } from '../services.ts';

/** Makes a relay on Node.js. Throws a `SettingError` that names every malformed environment variable. */
export function createRelay({ plugins = [], ...options }: RelayOptions = {}): Relay {
  return create(
    {
      bundled,
      openClients: openClientsOf(options),
      ...(options.services?.binding === undefined && { checkPlatform: refuseOtherPlatforms }),
      ...options,
      plugins: [...always, ...plugins],
    },
    openNode,
  );
}

/** Commands only warn about a store that this platform lacks, because the relay may run on another platform. */
const refuseOtherPlatforms: RelayOptions['checkPlatform'] = (_, { report }) =>
  void report.errors.push(...report.warnings.filter(({ code }) => code === 'store_of_platform'));

/** Opens the folder of client configs that the options or CONFIG_DIR name; `undefined` if they name a single config, or none. */
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
