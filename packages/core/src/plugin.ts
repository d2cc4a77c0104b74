/**
 * The plug-in interface. The core's own fields and outputs use only this interface (core_plugin.ts). A config
 * names plug-ins under `plugins`; `createRelay` accepts them as values.
 */

import type { MaybePromise } from '@form-relay/base/maybe_promise';
import type { TraceContext } from '@form-relay/base/trace_context';
import type { Values } from '@form-relay/base/values';
import type { Diagnostics, Path, Report } from '@form-relay/schema/diagnostics';
import type { Parsed, Properties } from '@form-relay/schema/kinds';
import type { Variables } from '@form-relay/schema/variables';
import type { ReadSibling } from '@form-relay/yaml/config_text';
import type { Check, Command } from './command.ts';
import type { ConfigState } from './config.ts';
import type { FieldExtension, OutputExtension } from './extensions.ts';
import type { Field, FieldType } from './fields/field.ts';
import type { Form } from './form.ts';
import type { RelayResponse } from './http/request.ts';
import type { Message, Messages } from './messages/message.ts';
import type { OutputType } from './outputs/output.ts';
import type { BodyParser, FormMarkup, FormView, PublicRoute, Route } from './rendering.ts';
import type { Services } from './services.ts';
import type { Settings } from './settings.ts';
import type { SignalType } from './signal.ts';
import type { Middleware, Outcome, Submission } from './submission.ts';

export * from './extensions.ts';
export type * from './rendering.ts';
export { guard, onOutcome } from './submission.ts';

/** The version of this interface. A minor version only adds to it. */
export const interfaceVersion = '1.0';

export interface Plugin {
  /** Unique in a relay. Messages about conflicts name it. */
  readonly name: string;
  /** A sentence for lists that says what it is for. Default: that of its first output or field. */
  readonly summary?: string;
  /** The versions of the interface that it supports, such as `^1.2`: 1.2 and later, below 2. Default: any. */
  readonly needs?: string;
  /** The keys of `with` in a config. Templates are rendered when the config loads. */
  readonly options?: Properties;
  readonly fields?: readonly FieldType[];
  readonly outputs?: readonly OutputType[];
  /** Earlier features wrap later ones that use the same hook. */
  readonly features?: readonly Feature[];
  /** Signals of the spam score, each a key of `spam.signals`. */
  readonly signals?: readonly SignalType[];
  /** Keys that all fields have. */
  readonly fieldExtensions?: readonly FieldExtension[];
  /** Keys that all outputs have. */
  readonly outputExtensions?: readonly OutputExtension[];
  /** Texts of message codes by language, for its own codes and others: `{en: {…}, de: {…}}`. */
  readonly messages?: Readonly<Record<string, Messages>>;
  /**
   * Scripts of pages, by name (a-z, `_`): texts of modules that export `attach` (docs/plugins/pages.md).
   * Forms with this `part` load them from `/api/v1/<name>.js`.
   */
  readonly scripts?: Readonly<Record<string, () => MaybePromise<string>>>;
  /** @internal */ readonly publicRoutes?: readonly PublicRoute[];
  /** Commands of the program: `relay NAME`. */
  readonly commands?: readonly Command[];
  /** Checks of `relay doctor` in addition to its own. */
  readonly checks?: readonly Check[];
  /** The environment variables that it reads, with their documentation. */
  readonly variables?: Variables;
  /** Checks all forms together, without those that have mistakes. */
  readonly validate?: (forms: ReadonlyMap<string, Form>, at: Diagnostics) => void;
  /** Called once for each config that names it, before the previous life ends. */
  readonly start?: (life: Life) => void;
  /** Adds to the response of `/readyz`. */
  readonly readiness?: () => MaybePromise<Readiness | undefined>;
  /** Called with each submission and its outcome, just before the answer. */
  readonly observe?: Observer;
  /** @internal Values of its metrics by name, computed on each read. Must not call anything outside the process. */
  readonly gauges?: () => Readonly<Record<string, number | readonly Reading[]>>;
}

type Reading = readonly [labels: readonly string[], value: number];

/** The period during which a config lists a plug-in. */
export interface Life extends PluginContext {
  readonly forms: ReadonlyMap<string, Form>;
  /** @internal */ readonly shared: Registered<Shared>;
  readonly platform: Platform;
  /** Aborts with a `LifeEnd`: start nothing afterwards. */
  readonly signal: AbortSignal;
  /** Registers work that must end before the process does. */
  wait(work: Promise<unknown>): void;
  /** @internal Resolves once the life and the last submission and delivery of its config have ended. */
  readonly drained: Promise<void>;
}

export type Platform = 'node' | 'lambda' | 'workers';

/** Why a life ends: another config names the plug-in, or no config does any longer, or the process is about to end. */
export class LifeEnd extends Error {
  constructor(readonly why: 'replaced' | 'removed' | 'stopping') {
    super(`the config was ${why === 'stopping' ? 'closed' : 'replaced'}`);
  }
}

/** Contains no names of forms and no values: `/readyz` is public. */
export interface Readiness {
  readonly says: string;
  /** The response is 503 until all plug-ins were ready once; after that, 200 with `says`. */
  readonly isUnready?: boolean;
}

/** The config that the relay currently uses. */
export interface CurrentConfig {
  /** Reloads the config first if its time-to-live is over. `undefined` until one was loaded. Never rejects. */
  forms(): MaybePromise<ReadonlyMap<string, Form> | undefined>;
  readonly state: ConfigState;
}

export interface PluginContext {
  readonly services: Services;
  /** @internal */ readonly settings: Settings;
  /** @internal */ readonly config: CurrentConfig;
  /** @internal Whether the process continues between requests, so that plug-ins can work outside of them. */
  readonly livesOn: boolean;
  /** @internal Runs work with forms outside of requests; their config closes nothing before the work ends. */
  hold<T>(work: () => Promise<T>): Promise<T>;
}

/** Provided by a feature that counts submissions. */
export interface Withdrawing {
  /** Uncounts a submission that was accepted and withheld, but will not be delivered. */
  withdraw(submission: Submission): MaybePromise<void>;
}

/**
 * Objects that features provide in a form, by name. A plug-in declares the type of its own object for other
 * plug-ins: `declare module '@form-relay/core/plugin' { interface Provided { places: Places } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: plug-ins add to it
export interface Provided {}

/** Results of features for their top-level keys in the config (`configureTop`), declared as in `Provided`. */
// biome-ignore lint/suspicious/noEmptyInterface: plug-ins add to it
export interface Shared {}

/** Values by the names of the features that made them. */
export interface Registered<All> {
  get<N extends keyof All & string>(name: N): All[N] | undefined;
  /** In the order of the features, for objects that several features may provide. */
  values(): Iterable<unknown>;
}
/** The declared type of the value, or else `unknown`. */
type Of<All, N extends string> = N extends keyof All ? All[N] : unknown;

/** A feature's own keys: in a form, in the form's `spam`, at the top of the config, and in `spam` at both levels. */
export interface FeatureKeys {
  readonly form?: Properties;
  readonly spam?: Properties;
  readonly top?: Properties;
  readonly sharedSpam?: Properties;
}
type ParsedAt<K, P extends keyof FeatureKeys> = Parsed<
  K extends Record<P, infer Own extends Properties> ? Own : Properties
>;

/** Optional behaviour of a form. `K`: its keys; `N`: its name. Methods, so that a list can hold features with any keys. */
export interface Feature<K extends FeatureKeys = FeatureKeys, N extends string = string> {
  readonly name: N;
  /** Features that come before this one, if loaded. This feature can read what they provide, and runs inside them. */
  readonly after?: readonly string[];
  /** Features that come after this one, if they are loaded. */
  readonly before?: readonly string[];
  /** Features whose `provides` it reads: the relay loads them with it, and they come before it. */
  readonly reads?: readonly string[];
  readonly keys?: K;
  /** @internal Keys that other plug-ins extend, in place of its own. */
  keysFrom?(plugins: readonly Plugin[]): FeatureKeys;
  /** Checks its top-level keys, once for each config and before any form. All forms get the result as `shared`. */
  configureTop?(
    top: Partial<ParsedAt<K, 'top'>>,
    at: Diagnostics,
    context: TopContext,
  ): MaybePromise<Of<Shared, N> | undefined>;
  /** @internal Adds form-wide settings to fields, before any feature is configured and reads the fields. */
  completeFields?(context: FormConfig<K, N>, at: Diagnostics): void;
  /**
   * Compiles the feature for a form, once. `undefined` if the form does not use it. In forms with mistakes,
   * invalid values are `undefined`.
   */
  configure(context: FormConfig<K, N>, at: Diagnostics): Hooks<N> | undefined;
  /** Addresses of the API: `/api/v1/<name>/{form}`. */
  readonly routes?: readonly Route[];
}

/** The context of features for their top-level keys. */
export interface TopContext {
  /** @internal */ readonly outputTypes: ReadonlyMap<string, OutputType>;
  /** @internal All loaded plug-ins, for what they offer to each other. */
  readonly plugins: readonly Plugin[];
  /** @internal Compiles a form that visitors cannot submit, such as that of alerts, from strings, lists and maps as in YAML. */
  compile(id: string, written: unknown, at: Diagnostics): Form | undefined;
  /** @internal `spam` at the top of the config, as schemas read it. */
  readonly topSpam: Readonly<Record<string, unknown>>;
  /** The forms, without parts that could not be read, with their keys as schemas read them. */
  readonly forms: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** @internal Reads a text file by its path relative to the config. A change of the file reloads the config. */
  readonly readSibling: ReadSibling;
  /** For warnings about the environment. */
  readonly services: Pick<Services, 'env'>;
  messagesIn(language: string): Messages;
}

export interface FormConfig<K extends FeatureKeys = FeatureKeys, N extends string = string> {
  readonly formId: string;
  readonly form: Partial<ParsedAt<K, 'form'>>;
  readonly spam: Partial<ParsedAt<K, 'spam'> & ParsedAt<K, 'sharedSpam'>>;
  /** @internal `spam` at the top of the config. */
  readonly topSpam: Partial<ParsedAt<K, 'sharedSpam'>>;
  readonly top: Partial<ParsedAt<K, 'top'>>;
  /** The result of `configureTop`. */
  readonly shared: Of<Shared, N> | undefined;
  /** @internal The results of all features. */
  readonly sharedBy: Registered<Shared>;
  readonly fields: readonly Field[];
  /** The types of the form's outputs. */
  readonly outputTypes: readonly string[];
  /** When the config is loaded, in milliseconds since the epoch: for warnings about times in the past. */
  readonly now: number;
  readonly notes: Form['notes'];
  /** Where the config has a field, as a path in the form. */
  pathOf(field: Pick<Field, 'name'>): Path;
  /** The objects that the features before it provide. */
  readonly provided: Registered<Provided>;
  /** @internal The form's texts that are written as a map by language, with their paths in the form. */
  readonly localized: Report['localized'];
  /** The messages that plug-ins add in a language (BCP 47), without other languages; English includes the core's messages. */
  messagesIn(language: string): Messages;
}

export interface Hooks<N extends string = string> {
  /**
   * Inputs that only this feature reads. Reserved inputs are removed before validation and mapping, and no
   * field or other feature may use their names.
   */
  readonly reserves?: readonly {
    readonly name: string;
    /** The form's key that chooses the name, or could. Empty for a fixed name, which a field must then avoid. */
    readonly key: readonly (string | number)[];
    /** For example `the honeypot`, for reports about the name. Default: the feature's name. */
    readonly what?: string;
    /** A browser's value, for `relay explain`. Default: the value in the form's markup. */
    readonly sample?: string;
  }[];
  /** Media types that the form accepts in addition to urlencoded bodies. */
  readonly bodies?: readonly BodyParser[];
  /** Before the body is parsed: origins, rate limits, keys. */
  readonly onRequest?: Middleware;
  /** After the body is read and before validation. An outcome that it returns without calling `next` ends the submission. */
  readonly beforeValidation?: Middleware;
  /** The mistake in a field, even an empty one, given all values and the shown fields. Called if it has no other mistake. */
  readonly check?: (field: Field, sent: Values, shown: Form['fields'], by: Submission) => Message | undefined;
  /** After validation: acquires before `next` and commits or releases after it; mails visitors. `next` delivers. */
  readonly afterValidation?: Middleware;
  /** Around the delivery, inside every `afterValidation`: queues failed deliveries, prepares what outputs send. */
  readonly aroundDelivery?: Middleware;
  /** @internal Skips `onRequest` and `beforeValidation` for trusted servers. */
  readonly browsersOnly?: true;
  /** Changes the form before it is rendered, such as prefilled values or full options; or returns why it cannot be shown. */
  readonly view?: (view: FormView) => MaybePromise<FormView | Outcome>;
  /** Markup inside the form. */
  readonly markup?: (view: FormView) => FormMarkup;
  /** The studio's cards about it in this form. */
  readonly cards?: readonly Card[];
  /** Closes what it opened for the form, after the last submission of its config. */
  readonly close?: () => MaybePromise<void>;
  /** For features and outputs that look it up by this feature's name. */
  readonly provides?: Of<Provided, N>;
}

export interface Card {
  /** For example `min-fill`. */
  readonly name: string;
  /** The effect on submissions: `drops who fills in “website”`. */
  readonly says: string;
  /** Text after the command that sends a submission without a browser, if the result differs then. */
  readonly withoutBrowser?: string;
}

export const feature = <K extends FeatureKeys, const N extends string>(definition: Feature<K, N>): Feature =>
  definition;

/** Called for each submission just before the response: for logs and metrics. */
export type Observer = (event: {
  readonly requestId: string;
  /** @internal */ readonly tracing: TraceContext;
  /** `undefined` if the config has no such form. */
  readonly formId: string | undefined;
  readonly outcome: Outcome;
  readonly answer: RelayResponse;
  readonly ms: number;
  /** `undefined` if the config has no such form, or there is no config. */
  readonly submission: Submission | undefined;
}) => void;
