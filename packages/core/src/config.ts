/** A loaded config, and what its plug-ins add to it. The package `config` makes both. */

import type { EnvUse, Path } from '@form-relay/schema/diagnostics';
import type { Schema } from '@form-relay/schema/kinds';
import type { LocalizedText } from '@form-relay/schema/scalars';
import type { Problem } from '@form-relay/yaml/problem';
import type { Field } from './fields/field.ts';
import type { Entry } from './fields/form_fields.ts';
import type { Form } from './form.ts';
import type { Locale, Messages } from './messages/message.ts';
import type { Declared, FormOutput, OutputType } from './outputs/output.ts';
import type { Feature, Plugin, PublicRoute, Registered, Renderer, Route, Shared } from './plugin.ts';
import type { Outcome } from './submission.ts';

/** The config as plug-ins read it. The core sees more members (core_plugin.ts). */
export interface Config {
  /** @internal */ readonly cacheTtlMs: number;
  readonly forms: ReadonlyMap<string, Form>;
  /** @internal Results of features for their top-level keys, by feature name. */
  readonly shared: Registered<Shared>;
  /** @internal The environment variables that the config reads, in the order found. */
  readonly env: readonly EnvUse[];
}

export interface ConfigInternals {
  /** Forms that visitors cannot submit, such as the form of alerts, with their paths in the config. */
  readonly further: readonly PlacedForm[];
  /** Parts of the config that work but are probably mistakes. Found on demand, because finding positions takes time. */
  warnings(): Promise<readonly Problem[]>;
  /** All plug-ins: the relay's own, and those that the config names. */
  readonly registry: Registry;
  /** The names of the plug-ins that the config or RELAY_PLUGINS names. */
  readonly namedPlugins: readonly string[];
  /** With several configs: the client that owns the form of this name, and the reason why a form is missing. */
  readonly clients?: { of(formId: string): string; missing(formId: string): Outcome | undefined };
}

export interface PlacedForm {
  readonly form: Form;
  readonly path: Path;
}

/** The config in memory, which is fetched again when its time-to-live is over (SPEC: Configuration sources). */
export interface ConfigCache {
  /** The source's name in problems and logs. */
  readonly sourceName: string;
  /** The config; `undefined` until one was loaded. Returns a fresh config synchronously. */
  get(): Config | undefined | Promise<Config | undefined>;
  /** The last valid config, however old. */
  readonly current: Config | undefined;
  readonly state: ConfigState;
  /** The number of loads by result. */
  readonly loads: Readonly<Record<LoadResult, number>>;
  /** When the config was last loaded or found unchanged, in milliseconds since the epoch. */
  readonly checkedAt: number | undefined;
  /** Reloads the config even if it is fresh: now, or with the first request after the load in progress. */
  reload(): void;
}

export type ConfigState = 'never_loaded' | 'fresh' | 'refresh_failed';

export type LoadResult = 'changed' | 'unchanged' | 'invalid' | 'unavailable';

/** The combined additions of all plug-ins of a relay, and the schema of configs with the plug-ins' keys. */
export interface Registry {
  readonly plugins: readonly Plugin[];
  readonly config: Schema<WrittenConfig>;
  readonly features: readonly Feature[];
  readonly outputTypes: ReadonlyMap<string, OutputType>;
  readonly field: Schema<Field>;
  readonly output: Schema<Declared>;
  readonly form: Schema<WrittenForm>;
  readonly routes: ReadonlyMap<string, Route>;
  readonly publicRoutes: readonly PublicRoute[];
  readonly renderers: readonly Renderer[];
  /** The messages that plug-ins add in a language, without messages of other languages. */
  readonly messagesIn: (language: string) => Messages;
  readonly english: Locale;
  /** Matches addresses of forms if form names have two segments. */
  readonly paths?: RegExp;
}

export type Written = Readonly<Record<string, unknown>>;
export interface WrittenForm extends Written {
  readonly fields?: readonly Entry[];
  readonly outputs?: readonly Declared[];
  readonly spam?: Written;
  readonly title?: LocalizedText;
  readonly confirmation?: LocalizedText;
  readonly submit_label?: LocalizedText;
}
export interface WrittenConfig extends Written {
  readonly cache_ttl?: number;
  readonly forms?: ReadonlyMap<string, WrittenForm>;
}

export interface PlacedOutput extends PlacedForm {
  readonly output: FormOutput;
}

/** All outputs of a config, including those of its further forms. */
export const outputsOf = ({ forms, further }: Config): readonly PlacedOutput[] =>
  [...[...forms.values()].map((form) => ({ form, path: ['forms', form.id] })), ...further].flatMap(
    ({ form, path }) =>
      form.outputs.map((output, index) => ({ form, output, path: [...path, 'outputs', index] })),
  );
