import { setTimeout as sleep } from 'node:timers/promises';
import { err, type Result } from '@form-relay/relay/base';
import { type Config, type ConfigSource, configSource, variablesUsedIn } from '@form-relay/relay/config';
import { secretReader } from '@form-relay/relay/serve';
import { createS3Client, ownAws, readTextFile } from '@form-relay/relay/transports';
import { CommandFailed } from './command_failed.ts';
import { configPath } from './config_path.ts';
import type { Setup } from './doctor/examination.ts';
import { readSetup } from './doctor/setup.ts';
import { besideFile, readConfig } from './read_config.ts';
import { showProblems } from './terminal.ts';

/**
 * A relay as it would start here: with the config of --config, or the one that `relay serve` would read. Sets the variables
 * of the config that ARNs stand in for; an ARN that cannot be read is a `CommandFailed`.
 */
export async function readOwnSetup(config: string | ConfigSource | undefined): Promise<Setup> {
  const { env } = process;
  const now = Date.now;
  const aws = ownAws((name) => env[name], now);
  const readObject = createS3Client(aws, { sleep, random: Math.random });
  const setup = await readSetup(env, (settings) => {
    if (typeof config === 'object') return config;
    const name = configPath(config);
    const named = { name, read: () => readConfig(name), readBeside: besideFile(name) };
    if (config !== undefined) return named;
    return configSource(settings, { readFile: readTextFile, readObject, now, sleep }) ?? named;
  });
  if (setup.loaded) {
    const read = await secretReader(env)?.(variablesUsedIn(setup.loaded));
    if (read && !read.ok) throw new CommandFailed(read.error);
    Object.assign(env, read?.value);
  }
  return setup;
}

/** The config of such a relay, or why there is none, with each of its errors. */
export async function readOwnConfig(option: string | undefined): Promise<Result<Config, string>> {
  const { source, parsed } = (await readOwnSetup(option)).config;
  if (!parsed.ok) return err(`${source}: ${parsed.error}`);
  if (parsed.value.ok) return parsed.value;
  const errors = parsed.value.error.filter(({ severity }) => severity === 'error');
  return err(showProblems(errors, process.stderr));
}
