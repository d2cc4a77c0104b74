import type { Diagnosis } from '@form-relay/relay/base/diagnosis';
import type { Result } from '@form-relay/relay/base/result';
import type { Config, ParseResult } from '@form-relay/relay/config/parse';
import type { Form } from '@form-relay/relay/form';
import type { SettingProblem, Settings } from '@form-relay/relay/schema/settings/settings';
import type { World } from './world.ts';

/** A relay as it would start here. */
export interface Setup {
  readonly settings: Settings;
  /** Malformed variables; `settings` has their defaults. */
  readonly settingProblems: readonly SettingProblem[];
  readonly config: ReadConfig;
  /** `undefined` when it does not load. */
  readonly loaded: Config | undefined;
  /** Those of the config, and what its alerts say (`isAlerts`); none when it does not load. */
  readonly forms: readonly Form[];
}

export interface ReadConfig {
  /** Such as `webform.yaml` or `s3://bucket/webform.yaml`. */
  readonly source: string;
  /** What became of its text, or why there is none. */
  readonly parsed: Result<ParseResult, string>;
}

/** Looks at one side of the setup. Everything that can be expected is a diagnosis. */
export type Examine = (setup: Setup, world: World) => Promise<readonly Diagnosis[]>;

/** For one conversation with another server, within an examination's own limit. */
export const timeoutMs = 8_000;
