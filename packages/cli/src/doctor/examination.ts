import type { Form, Result } from '@form-relay/relay/base';
import type { Config, ParseResult } from '@form-relay/relay/config';
import type { Diagnosis } from '@form-relay/relay/diagnosis';
import type { SettingProblem, Settings } from '@form-relay/relay/schema';
import type { World } from './world.ts';

/** A relay as it would start here. */
export interface Setup {
  readonly settings: Settings;
  /** Malformed variables; `settings` has their defaults. */
  readonly settingProblems: readonly SettingProblem[];
  readonly config: ReadConfig;
  /** `undefined` when it does not load. */
  readonly loaded: Config | undefined;
  /** The config's forms, and the form of its alerts (`isAlerts`); none if the config does not load. */
  readonly forms: readonly Form[];
}

export interface ReadConfig {
  /** For example `webform.yaml` or `s3://bucket/webform.yaml`. */
  readonly source: string;
  /** The parsed text, or the reason why it could not be read. */
  readonly parsed: Result<ParseResult, string>;
}

/** Looks at one side of the setup. Everything that can be expected is a diagnosis. */
export type Examine = (setup: Setup, world: World) => Promise<readonly Diagnosis[]>;

/** For one conversation with another server, within an examination's own limit. */
export const timeoutMs = 8_000;
