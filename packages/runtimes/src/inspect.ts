/** Reads configs for programs that do not serve them: commands, the studio, editors. */

import { once } from '@form-relay/base/maybe_promise';
import { inspectClients } from '@form-relay/client-configs/client_configs';
import { parserOf } from '@form-relay/client-configs/rules';
import { type ParseResult, type PluginSources, parseConfig, registryFor } from '@form-relay/config/parse';
import { configJsonSchema } from '@form-relay/config/registry';
import type { ConfigSource } from '@form-relay/config/source';
import type { Config, Registry } from '@form-relay/core/config';
import { corePlugin } from '@form-relay/core/core_plugin';
import type { Plugin } from '@form-relay/core/plugin';
import type { Services } from '@form-relay/core/services';
import { type Environment, readSettings, SettingError, type Settings } from '@form-relay/core/settings';
import { loadedOnce } from '@form-relay/plugin-host/bundled_plugin';
import { takenBy } from '@form-relay/plugin-host/claims';
import { strictJson } from '@form-relay/schema/strict_json';
import { type SettingProblem, textsIn } from '@form-relay/schema/variables';
import { always, bundled } from './bundled.ts';
import { openNode } from './services.ts';

export interface InspectOptions {
  readonly checkPlatform?: PluginSources['checkPlatform'];
  /** The services that outputs send with. Default: this process's own, without a log. */
  readonly services?: Services;
  readonly mailFromAddress?: string | undefined;
  /** In addition to those of the relay and of the config. */
  readonly plugins?: readonly Plugin[];
}

const known = loadedOnce(bundled);

/** Parses the text of a config with all bundled plug-ins. Never throws. */
export function inspectConfig(
  text: string,
  { name, pluginFolder: folder, readSibling, clients }: Omit<ConfigSource, 'read'>,
  { checkPlatform, services = ownServices(), mailFromAddress, plugins = [] }: InspectOptions = {},
): Promise<ParseResult> {
  const named = textsIn(services.env('RELAY_PLUGINS') ?? '');
  const context = { services, mailFromAddress };
  const sources = { bundled: known, plugins: { named, folder, mayLack: true }, checkPlatform };
  const all = [corePlugin, ...always, ...plugins];
  return clients === undefined
    ? parseConfig(text, name, all, context, sources, readSibling)
    : inspectClients(clients, services, parserOf(all, context, sources));
}

/** The additions of all bundled plug-ins, and of these. */
export const bundledRegistry = async (others: readonly Plugin[] = []): Promise<Registry> =>
  registryFor([corePlugin, ...always, ...(await Promise.all(known.map(({ load }) => load()))), ...others]);

/** The plug-ins that a config and RELAY_PLUGINS name, as far as they can be loaded; `tell` gets each failure. */
export async function pluginsIn(text: string, folder: string, tell: (error: string) => void) {
  const { loadEach } = await import('@form-relay/plugin-host/load_plugins');
  const { env } = ownServices();
  const named = textsIn(env('RELAY_PLUGINS') ?? '');
  return loadEach(text, { named, folder }, takenBy([corePlugin, ...always], known), tell, env);
}

/** The text of docs/webform.schema.json: the config's schema, with all bundled plug-ins, and these. */
export const configSchemaText = async (others?: readonly Plugin[]): Promise<string> =>
  `${JSON.stringify(strictJson(configJsonSchema(await bundledRegistry(others))), null, 2)}\n`;

/** Plug-ins of the relay's own programs, which add nothing to configs. */
const inPrograms = ['studio', 'dry_run', 'metrics'];

/** The plug-ins that the relay does not bring, in a config as it was parsed. */
export async function othersIn({ registry }: Pick<Config, 'registry'>): Promise<readonly Plugin[]> {
  const own = new Set([...(await bundledRegistry()).plugins.map(({ name }) => name), ...inPrograms]);
  return registry.plugins.filter(({ name }) => !own.has(name));
}

/** The services of this process, without a log. */
export function ownServices(env: NodeJS.ProcessEnv = process.env): Services {
  const ehloName = settle(env).settings.smtpEhloName;
  const { services } = openNode({
    now: Date.now,
    env: (name) => env[name] || undefined,
    smtpEhloName: ehloName,
  });
  return {
    ...services,
    log: () => undefined,
    probes: once(async () =>
      (await import('@form-relay/clients/probes/index')).openProbes(services, ehloName),
    ),
  };
}

/** The settings that can be used, and what is wrong with the others. */
export function settle(
  env: Environment,
  secrets?: readonly string[],
): {
  readonly settings: Settings;
  readonly settingProblems: readonly SettingProblem[];
} {
  try {
    return { settings: readSettings(env, secrets), settingProblems: [] };
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    const { problems: settingProblems } = error;
    const rest = Object.entries(env).filter(([name]) => settingProblems.every((one) => one.name !== name));
    return { settings: readSettings(Object.fromEntries(rest)), settingProblems };
  }
}
