/** Reads configs for programs that do not serve them: commands, the studio, editors. */

import { once } from '@form-relay/base/maybe_promise';
import { ok, type Result } from '@form-relay/base/result';
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
import type { JsonSchema } from '@form-relay/schema/schema';
import { type SettingProblem, textsIn } from '@form-relay/schema/variables';
import { always, bundled, secrets } from './bundled.ts';
import { openNode } from './services.ts';

export interface InspectOptions {
  readonly checkPlatform?: PluginSources['checkPlatform'];
  /** The services that outputs send with. Default: this process's own, without a log. */
  readonly services?: Services;
  readonly mailFromAddress?: string | undefined;
  /** Additional plug-ins, besides those of the relay and of the config. */
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

/** The keys and types of all bundled plug-ins, and of the given ones. */
export const bundledRegistry = async (others: readonly Plugin[] = []): Promise<Registry> =>
  registryFor([corePlugin, ...always, ...(await Promise.all(known.map(({ load }) => load()))), ...others]);

/** The plug-ins that a config and RELAY_PLUGINS name, as far as they load. `tell` gets each failure. */
export async function pluginsIn(text: string, folder: string, tell: (error: string) => void) {
  const { loadEach } = await import('@form-relay/plugin-host/load_plugins');
  const { env } = ownServices();
  const named = textsIn(env('RELAY_PLUGINS') ?? '');
  return loadEach(text, { named, folder }, takenBy([corePlugin, ...always], known), tell, env);
}

/** The text of docs/webform.schema.json: the config's schema, with all bundled plug-ins and the given ones. */
export const configSchemaText = async (others?: readonly Plugin[]): Promise<string> =>
  `${JSON.stringify(strictJson(configJsonSchema(await bundledRegistry(others))), null, 2)}\n`;

/** Plug-ins of the relay's own programs, which add no config keys. */
const inPrograms = ['studio', 'dry_run', 'metrics'];

/** The plug-ins of a parsed config that are not bundled. */
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

/** The valid settings, and the problems of the others. */
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

/** A relay as it would start in this environment. */
export interface Setup {
  readonly env: Environment;
  readonly settings: Settings;
  /** Malformed variables, which have their default in `settings`. */
  readonly settingProblems: readonly SettingProblem[];
  readonly config: {
    /** For example `webform.yaml` or `s3://bucket/webform.yaml`. */
    readonly source: string;
    readonly text: Result<string, string>;
    /** The parsed text, or the reason why it could not be read. */
    readonly parsed: Result<ParseResult, string>;
  };
  /** `undefined` if the config does not load. */
  readonly loaded: Config | undefined;
  readonly services: Services;
}

/** The setup of a relay with this environment and this config source. */
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

/** The types that each keyword applies to. */
const typesOf: Readonly<Record<string, RegExp>> = {
  pattern: /string/,
  minLength: /string/,
  minimum: /number|integer/,
  maximum: /number|integer/,
  exclusiveMinimum: /number|integer/,
  items: /array/,
  minItems: /array/,
  properties: /object/,
  required: /object/,
  additionalProperties: /object/,
  minProperties: /object/,
  propertyNames: /object/,
  not: /object/,
};

/** JSON Schema that every validator accepts, even Ajv in strict mode: one type per schema. Repeated schemas become definitions. */
function strictJson(json: JsonSchema): JsonSchema {
  const strict = mapped(json, withOneType);
  const counts = new Map<string, number>();
  mapped(strict, (one) => {
    const { text } = kindIn(one);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return one;
  });
  const shared = new Map<string, string>();
  const definitions: Record<string, JsonSchema> = {};
  const replaced = mapped(strict, (one) => {
    const { text, kind, about } = kindIn(one);
    if (kind.title === undefined || counts.get(text) === 1) return one;
    const name = shared.get(text) ?? nameOf(kind.title, { ...json.definitions, ...definitions });
    shared.set(text, name);
    definitions[name] ??= kind;
    const reference = { $ref: `#/definitions/${name}` };
    // Draft 7 ignores the siblings of a reference.
    return Object.keys(about).length === 0 ? reference : { ...about, allOf: [reference] };
  });
  return { ...replaced, definitions: { ...replaced.definitions, ...definitions } };
}

/** The part of a schema that decides which values it accepts, separated from its description and default. */
function kindIn({ description, default: initial, ...kind }: JsonSchema) {
  const about = {
    ...(description !== undefined && { description }),
    ...(initial !== undefined && { default: initial }),
  };
  return { kind, about, text: JSON.stringify(kind) };
}

function nameOf(title: string, taken: object): string {
  const name = title.replaceAll(/\W+/g, '_').replace(/_$/, '');
  const names = [name, ...Array.from({ length: 99 }, (_, index) => `${name}_${index + 2}`)];
  return names.find((one) => !Object.hasOwn(taken, one)) ?? name;
}

/** Replaces a list of types by `anyOf`. */
function withOneType({ type, ...json }: JsonSchema): JsonSchema {
  if (typeof type === 'string' || type === undefined) return type === undefined ? json : { type, ...json };
  const only = (isOf: (key: string) => boolean | undefined) =>
    Object.fromEntries(Object.entries(json).filter(([key]) => isOf(key)));
  const anyOf = type.map((name) => ({ type: name, ...only((key) => typesOf[key]?.test(name)) }));
  return { ...only((key) => !(key in typesOf)), anyOf };
}

/** Changes each schema nested in this one, from the outside in. */
function mapped(json: JsonSchema, change: (one: JsonSchema) => JsonSchema): JsonSchema {
  const below = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(below);
    return isObject(value) ? mapped(value, change) : value;
  };
  const inner = (key: string, value: unknown): unknown =>
    (key === 'properties' || key === 'definitions') && isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, below(one)]))
      : below(value);
  return Object.fromEntries(Object.entries(change(json)).map(([key, value]) => [key, inner(key, value)]));
}

const isObject = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;
