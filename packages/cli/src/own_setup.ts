import { err, ok, type Result } from '@form-relay/core/base/result';
import type { Config, ParseResult } from '@form-relay/core/config/parse';
import { type ConfigSource, configSource } from '@form-relay/core/config/source';
import { usedEnvIn } from '@form-relay/core/http/health';
import type { SettingProblem } from '@form-relay/core/schema/variables';
import type { Services } from '@form-relay/core/services';
import { type Environment, readSettings, SettingError, type Settings } from '@form-relay/core/settings';
import { inspectConfig, ownServices } from '@form-relay/runtimes/inspect';
import { secretReader } from '@form-relay/runtimes/secret_arns';
import { CommandFailed } from './command_failed.ts';
import { configPath } from './config_path.ts';
import { fileOnce } from './read_config.ts';
import { showProblems } from './terminal.ts';

/** A relay as it would start here. */
export interface Setup {
  readonly settings: Settings;
  /** Malformed variables; `settings` has their defaults. */
  readonly settingProblems: readonly SettingProblem[];
  readonly config: {
    /** For example `webform.yaml` or `s3://bucket/webform.yaml`. */
    readonly source: string;
    /** The parsed text, or the reason why it could not be read. */
    readonly parsed: Result<ParseResult, string>;
  };
  /** `undefined` when it does not load. */
  readonly loaded: Config | undefined;
  readonly services: Services;
}

/**
 * A relay as it would start here: with the config of --config, or the one that `relay serve` would read. Sets the variables
 * of the config that ARNs stand in for; an ARN that cannot be read is a `CommandFailed`.
 */
export async function readOwnSetup(config: string | ConfigSource | undefined): Promise<Setup> {
  const { env } = process;
  const services = ownServices(env);
  const setup = await readSetup(env, services, (settings) => {
    if (typeof config === 'object') return config;
    const named = fileOnce(configPath(config));
    return config !== undefined ? named : (configSource(settings, services) ?? named);
  });
  if (setup.loaded) {
    const read = await secretReader(env)?.(new Set(usedEnvIn(setup.loaded)));
    if (read && !read.ok) throw new CommandFailed(read.error);
    Object.assign(env, read?.value);
  }
  return setup;
}

/** The setup of a relay with this environment and this source of its config. */
export async function readSetup(
  env: Environment,
  services: Services,
  chooseSource: (settings: Settings) => ConfigSource,
): Promise<Setup> {
  const { settings, settingProblems } = settle(env);
  const source = chooseSource(settings);
  const text = await source.read();
  const { mailFromAddress } = settings;
  const parsed = text.ok ? ok(await inspectConfig(text.value, source, { services, mailFromAddress })) : text;
  const loaded = parsed.ok && parsed.value.ok ? parsed.value.value : undefined;
  return { settings, settingProblems, config: { source: source.name, parsed }, loaded, services };
}

/** The settings that can be used, and what is wrong with the others. */
function settle(env: Environment): Pick<Setup, 'settings' | 'settingProblems'> {
  try {
    return { settings: readSettings(env), settingProblems: [] };
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    const { problems: settingProblems } = error;
    const rest = Object.entries(env).filter(([name]) => settingProblems.every((one) => one.name !== name));
    return { settings: readSettings(Object.fromEntries(rest)), settingProblems };
  }
}

/** The config of such a relay, or why there is none, with each of its errors. */
export async function readOwnConfig(option: string | undefined): Promise<Result<Config, string>> {
  const { source, parsed } = (await readOwnSetup(option)).config;
  if (!parsed.ok) return err(`${source}: ${parsed.error}`);
  if (parsed.value.ok) return parsed.value;
  const errors = parsed.value.error.filter(({ severity }) => severity === 'error');
  return err(showProblems(errors, process.stderr));
}
