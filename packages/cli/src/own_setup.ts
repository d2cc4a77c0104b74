import { err, type Result } from '@form-relay/base/result';
import { type ConfigSource, configSource } from '@form-relay/config/source';
import type { Config } from '@form-relay/core/config';
import { readSetup, type Setup } from '@form-relay/doctor/setup';
import { ownServices } from '@form-relay/runtimes/inspect';
import type { Relay } from '@form-relay/runtimes/running_relay';
import { CommandFailed } from './command_failed.ts';
import { configPath } from './config_path.ts';
import { makeRelay } from './make_relay.ts';
import { fileOnce } from './read_config.ts';
import { showProblems } from './terminal.ts';

/** A relay as it would start here: with the config of --config, or the one that `relay serve` would read. */
export async function readOwnSetup(config: string | ConfigSource | undefined): Promise<Setup> {
  const { env } = process;
  const services = ownServices(env);
  return readSetup(env, services, (settings) => {
    if (typeof config === 'object') return config;
    const named = fileOnce(configPath(config));
    return config !== undefined ? named : (configSource(settings, services) ?? named);
  });
}

/** Runs a command on the config of such a relay, which delivers nothing by itself. Without a config, it fails with its errors. */
export async function withOwnRelay<T>(
  option: string | undefined,
  work: (config: Config, relay: Relay) => Promise<T>,
): Promise<T> {
  const relay = makeRelay({ freezes: true, services: { log: () => {} } });
  try {
    return await work(await loadOwnConfig(option), relay);
  } finally {
    await relay.close();
  }
}

/** The config of such a relay. Throws a `CommandFailed` with each of its errors. */
export async function loadOwnConfig(option: string | ConfigSource | undefined): Promise<Config> {
  const read = await readOwnConfig(option);
  if (!read.ok) throw new CommandFailed(read.error);
  return read.value;
}

/** The same, or why there is none. */
export async function readOwnConfig(
  option: string | ConfigSource | undefined,
): Promise<Result<Config, string>> {
  const { source, parsed } = (await readOwnSetup(option)).config;
  if (!parsed.ok) return err(`${source}: ${parsed.error}`);
  if (parsed.value.ok) return parsed.value;
  const errors = parsed.value.error.filter(({ severity }) => severity === 'error');
  return err(showProblems(errors, process.stderr));
}
