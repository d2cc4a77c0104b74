/** The relay that would start here: its settings, its config and the relay itself. */
import { err, type Result } from '@form-relay/base/result';
import { type ConfigSource, configSource } from '@form-relay/config/source';
import { CommandFailed, configPath } from '@form-relay/core/command';
import type { Config } from '@form-relay/core/config';
import { type Environment, readSettings, SettingError, type Settings } from '@form-relay/core/settings';
import { secrets } from '@form-relay/runtimes/bundled';
import { fileOnce, withoutBroken } from '@form-relay/runtimes/config_file';
import { ownServices, readSetup, type Setup } from '@form-relay/runtimes/inspect';
import { createRelay } from '@form-relay/runtimes/node/relay';
import type { RelayOptions } from '@form-relay/runtimes/relay';
import type { Relay } from '@form-relay/runtimes/running_relay';
import { showProblems } from '@form-relay/yaml/problem';

/** `createRelay` for commands: reports a malformed environment variable as a `CommandFailed`. */
export const makeRelay = (options: RelayOptions): Relay => failing(() => createRelay(options));

/** The same for `readSettings`. */
export const settingsOf = (env: Environment): Settings => failing(() => readSettings(env, secrets));

function failing<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof SettingError) throw new CommandFailed(error.message);
    throw error;
  }
}

/** A relay as it would start here, with the config of --config, or the one that `relay serve` would read. */
export async function readOwnSetup(config: string | ConfigSource | undefined): Promise<Setup> {
  const { env } = process;
  const services = ownServices(env);
  return readSetup(env, services, (settings) => {
    if (typeof config === 'object') return config;
    const named = fileOnce(configPath(config, env));
    return config !== undefined ? named : (configSource(settings, services) ?? named);
  });
}

/** The config of such a relay. Throws a `CommandFailed` that lists its errors. */
export async function loadOwnConfig(option: string | ConfigSource | undefined): Promise<Config> {
  const read = await readOwnConfig(option);
  if (!read.ok) throw new CommandFailed(read.error);
  return withoutBroken(read.value);
}

/** The config, or why it cannot be loaded. */
export async function readOwnConfig(
  option: string | ConfigSource | undefined,
): Promise<Result<Config, string>> {
  const { source, parsed } = (await readOwnSetup(option)).config;
  if (!parsed.ok) return err(`${source}: ${parsed.error}`);
  if (parsed.value.ok) return parsed.value;
  const errors = parsed.value.error.filter(({ severity }) => severity === 'error');
  return err(showProblems(errors, process.stderr));
}
