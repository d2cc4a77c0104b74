/** The state that a relay would start with, for programs that look at it. */
import { ok, type Result } from '@form-relay/base/result';
import type { ParseResult } from '@form-relay/config/parse';
import type { ConfigSource } from '@form-relay/config/source';
import type { Config } from '@form-relay/core/config';
import type { Services } from '@form-relay/core/services';
import type { Environment, Settings } from '@form-relay/core/settings';
import { secrets } from '@form-relay/runtimes/bundled';
import { inspectConfig, settle } from '@form-relay/runtimes/inspect';
import type { SettingProblem } from '@form-relay/schema/variables';

/** A relay as it would start here. */
export interface Setup {
  readonly env: Environment;
  readonly settings: Settings;
  /** Malformed variables; `settings` has their defaults. */
  readonly settingProblems: readonly SettingProblem[];
  readonly config: {
    /** For example `webform.yaml` or `s3://bucket/webform.yaml`. */
    readonly source: string;
    readonly text: Result<string, string>;
    /** The parsed text, or the reason why it could not be read. */
    readonly parsed: Result<ParseResult, string>;
  };
  /** `undefined` when it does not load. */
  readonly loaded: Config | undefined;
  readonly services: Services;
}

/** The setup of a relay with this environment and this source of its config. */
export async function readSetup(
  env: Environment,
  services: Services,
  chooseSource: (settings: Settings) => ConfigSource,
): Promise<Setup> {
  const { settings, settingProblems } = settle(env, secrets);
  const source = chooseSource(settings);
  const text = await source.read();
  const { mailFromAddress } = settings;
  const parsed = text.ok ? ok(await inspectConfig(text.value, source, { services, mailFromAddress })) : text;
  const loaded = parsed.ok && parsed.value.ok ? parsed.value.value : undefined;
  return { env, settings, settingProblems, config: { source: source.name, text, parsed }, loaded, services };
}
