/** The members of each part of a plug-in, and the checks of their names and types. */
import { PluginMistake } from '@form-relay/base/client_error';
import type { Check, Command } from '@form-relay/core/command';
import type { PlainRequest } from '@form-relay/core/http/bound_http';
import { type Seam, seams } from '@form-relay/core/internal';
import {
  type BodyParser,
  type Feature,
  type FeatureKeys,
  type FieldExtension,
  type FieldHooks,
  type Hooks,
  interfaceVersion,
  type OutputExtension,
  type OutputHooks,
  type Plugin,
  type Route,
} from '@form-relay/core/plugin';
import type { SignalType } from '@form-relay/core/signal';
import { Diagnostics } from '@form-relay/schema/diagnostics';
import { isMap, jsonSchemaOf, type Properties } from '@form-relay/schema/kinds';
import { didYouMean, nearest, words } from '@form-relay/schema/suggestion';
import type { Opened, PluginOutput } from './plugin_outputs.ts';
import type { PluginField } from './wrapped_members.ts';

type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;

/**
 * The members of T that every plug-in may use, and those only for the relay's own. If both lists lack a
 * member, this does not compile.
 */
const membersOf =
  <T>() =>
  <S extends string, I extends string = never>(
    text: S & (Exclude<keyof T, Seam> extends Words<S> | Words<I> ? S : never),
    internal?: I,
  ): Members => ({ known: words(text), internal: internal ? words(internal) : [] });

interface Members {
  readonly known: readonly string[];
  readonly internal: readonly string[];
}

/** The members of the interface (docs/plugins/interface.d.ts), by part. */
export const interfaceMembers = {
  plugin: membersOf<Plugin>()(
    'name summary needs options fields fieldExtensions outputs outputExtensions signals features stores commands checks messages scripts variables validate start observe readiness',
    'publicRoutes gauges',
  ),
  output: membersOf<PluginOutput>()(
    'type title summary sample aliases keys sendsAll problems open',
    'jsonSchema readsFields sendsOfItself isArchive',
  ),
  request: membersOf<PlainRequest>()('method url path query headers json form body accepts judge timeoutMs'),
  opened: membersOf<Opened>()('send target probe close takesFile'),
  field: membersOf<PluginField>()(
    'type summary aliases samples card keys problems layout offered takesSeveral normalizeValue comparedAs canonical checkValue check derive store words shape json script part control missing hint takeFiles further isReentered',
    'takesOne inputs',
  ),
  feature: membersOf<Feature>()(
    'name after before reads keys configureTop configure routes',
    'completeFields keysFrom',
  ),
  signal: membersOf<SignalType>()('name summary weight keys example needs score'),
  featureKeys: membersOf<FeatureKeys>()('form spam top sharedSpam'),
  hooks: membersOf<Hooks>()(
    'onRequest beforeValidation check afterValidation aroundDelivery reserves bodies view markup cards close provides',
    'browsersOnly',
  ),
  fieldExtension: membersOf<FieldExtension>()('name keys optionKeys types changeKeys configure'),
  outputExtension: membersOf<OutputExtension>()('name keys types configure'),
  // Members of a store as in docs/plugins/interface.d.ts; this package has no type for them.
  store: { known: words('schemes example holds problem open'), internal: [] },
  command: membersOf<Command>()(
    'name alias summary description arguments options examples run',
    'notes commands',
  ),
  check: membersOf<Check>()('name probe'),
  fieldHooks: membersOf<FieldHooks>()('check canonical store words samples control', 'normalize attributes'),
  outputHooks: membersOf<OutputHooks>()('accepts wrapTransport encoding', 'sendsOfItself'),
  route: membersOf<Route>()('name method answer', 'takesId'),
  body: membersOf<BodyParser>()('mediaType maxBytes parse', 'isForServers'),
} satisfies Readonly<Record<string, Members>>;

/** @param needs A version range such as `^1.2`. */
export function checkVersion(it: string, needs: unknown): void {
  if (needs === undefined) return;
  const [, major, minor = '0'] = /^\^(\d+)(?:\.(\d+))?(?:\.\d+)?$/.exec(String(needs)) ?? [];
  if (major === undefined)
    throw new PluginMistake(`\`needs\` of ${it} must be a range such as ^${interfaceVersion}, not ${needs}`);
  const [ownMajor, ownMinor] = interfaceVersion.split('.').map(Number) as [number, number];
  if (Number(major) === ownMajor && Number(minor) <= ownMinor) return;
  const isLater = Number(major) >= ownMajor;
  throw new PluginMistake(
    `${it} needs version ${needs} of the plug-in interface, and this relay has ${interfaceVersion}; update ${isLater ? 'the relay' : 'the plug-in'}`,
  );
}

/** Checks an object, and returns its members as own properties, because a spread would lose the methods of a class. */
export function checkMembers<T extends object>(
  what: string,
  value: T,
  kind: keyof typeof interfaceMembers,
  needs: Readonly<Record<string, 'string' | 'number' | 'function' | 'object'>> = {},
): T {
  if (!isMap(value)) throw new PluginMistake(`${what} is not an object`);
  const { known, internal }: Members = interfaceMembers[kind];
  // An instance of a class may have state of its own, so ignore its other members.
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  for (const key of isPlain ? Object.keys(value) : [])
    if (internal.includes(key) || (!known.includes(key) && seams.includes(key)))
      throw new PluginMistake(`${what} has a member "${key}", which only the relay's own plug-ins can use`);
    else if (!known.includes(key))
      throw new PluginMistake(`${what} has an unknown member "${key}"${didYouMean(nearest(key, known))}`);
  for (const [key, type] of Object.entries(needs))
    if (typeof Reflect.get(value, key) !== type) throw new PluginMistake(`${what} needs ${key} (${type})`);
  const own = known.map((key) => [key, Reflect.get(value, key)] as const);
  return Object.fromEntries(
    own
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, typeof member === 'function' ? member.bind(value) : member]),
  ) as T;
}

/** Checks keys early: these mistakes would show only when a config uses the key, or never. */
export function checkKeys(what: string, keys: Properties = {}): void {
  for (const [name, property] of Object.entries(keys)) {
    const key = `the key "${name}" of ${what}`;
    const isProperty = isMap(property) && typeof property.doc === 'string';
    if (
      !isProperty ||
      typeof property.schema !== 'function' ||
      typeof read(property.schema, '') === 'function'
    )
      throw new PluginMistake(
        `${key} is not a key; create it with kit.key.optional('Purpose.', kit.key.text()), or with required or withDefault`,
      );
    if (property.fallback === undefined) continue;
    if (['array', 'object'].includes(String(jsonSchemaOf(property.schema).type)))
      throw new PluginMistake(
        `${key} has a default, which a list or a map cannot have; use kit.key.optional, and \`??\` where you read it`,
      );
    const at = new Diagnostics();
    property.schema(property.fallback, at);
    const [mistake] = at.mistakes;
    if (mistake) throw new PluginMistake(`the default of ${key}: ${mistake.message}`);
  }
}

export function refuseCommon(what: string, keys: Properties = {}, common: object): void {
  const clash = Object.keys(keys).find((key) => key === 'type' || Object.hasOwn(common, key));
  if (clash !== undefined)
    throw new PluginMistake(
      `${what} has the key "${clash}", which every one already has; choose another name`,
    );
}

const read = (schema: Properties[string]['schema'], value: string): unknown => {
  try {
    return schema(value, new Diagnostics());
  } catch {
    return undefined;
  }
};
