/** The members of each part of a plug-in, and what is wrong with those of one. */
import { PluginMistake } from '@form-relay/base/client_error';
import type { Check, Command } from '@form-relay/core/command';
import type { FieldType } from '@form-relay/core/fields/field';
import { type Seam, seams } from '@form-relay/core/internal';
import type { OutputType } from '@form-relay/core/outputs/output';
import {
  type Feature,
  type FeatureKeys,
  type FieldExtension,
  type FieldHooks,
  type Hooks,
  interfaceVersion,
  type OutputExtension,
  type OutputHooks,
  type Plugin,
  type PublicRoute,
  type Route,
} from '@form-relay/core/plugin';
import { Diagnostics } from '@form-relay/schema/diagnostics';
import { isMap, type Properties } from '@form-relay/schema/kinds';
import { didYouMean, nearest, words } from '@form-relay/schema/suggestion';
import type { Opened } from './plugin_outputs.ts';

type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;

/** The names of all members of T but seams: a text that lacks one does not compile. */
const membersOf =
  <T>() =>
  <S extends string>(text: S & (Exclude<keyof T, Seam> extends Words<S> ? S : never)): readonly string[] =>
    words(text);

const members = {
  plugin: membersOf<Plugin>()(
    'name needs options fields fieldExtensions outputs outputExtensions features publicRoutes stores commands checks messages variables validate start observe readiness',
  ),
  output: membersOf<OutputType>()(
    'type summary aliases keys problems jsonSchema readsFields sendsOfItself isArchive open',
  ),
  opened: membersOf<Opened>()('send target probe close takesFile'),
  field: membersOf<FieldType>()(
    'type summary aliases formerly samples card keys problems jsonSchema layout missing hint offered takesSeveral takesOne normalizeValue comparedAs canonical checkValue check store words shape json inputs takeFiles isReentered script part control',
  ),
  feature: membersOf<Feature>()('name after before keys configureTop completeFields configure routes'),
  featureKeys: membersOf<FeatureKeys>()('form spam top sharedSpam'),
  hooks: membersOf<Hooks>()(
    'onRequest beforeValidation afterValidation aroundDelivery reserves bodies browsersOnly view markup check cards close provides',
  ),
  extension: membersOf<FieldExtension & OutputExtension>()('name keys types configure'),
  // Those of docs/plugins/stores.md; the config knows no type of them.
  store: words('schemes example holds problem open'),
  command: membersOf<Command>()(
    'name alias summary description arguments options examples notes commands run',
  ),
  check: membersOf<Check>()('name probe'),
  fieldHooks: membersOf<FieldHooks>()(
    'check comparedAs canonical normalize store words samples control attributes',
  ),
  outputHooks: membersOf<OutputHooks>()('accepts wrapTransport'),
  route: membersOf<Route>()('name method answer'),
  publicRoute: membersOf<PublicRoute>()('matches isFree answer'),
};

/** @param needs A range such as `^1.2`. */
export function checkVersion(it: string, needs: unknown): void {
  if (needs === undefined) return;
  const [, major, minor = '0'] = /^\^(\d+)(?:\.(\d+))?(?:\.\d+)?$/.exec(String(needs)) ?? [];
  if (major === undefined)
    throw new PluginMistake(`\`needs\` of ${it} is a range such as ^${interfaceVersion}, not ${needs}`);
  const [ownMajor, ownMinor] = interfaceVersion.split('.').map(Number) as [number, number];
  if (Number(major) === ownMajor && Number(minor) <= ownMinor) return;
  const isLater = Number(major) >= ownMajor;
  throw new PluginMistake(
    `${it} needs version ${needs} of the plug-in interface, and this relay has ${interfaceVersion}; update ${isLater ? 'the relay' : 'the plug-in'}`,
  );
}

/** Checks an object, and returns its members as own ones: a spread would leave the methods of a class behind. */
export function checkMembers<T extends object>(
  what: string,
  value: T,
  kind: keyof typeof members,
  needs: Readonly<Record<string, 'string' | 'function' | 'object'>> = {},
): T {
  if (!isMap(value)) throw new PluginMistake(`${what} is no object`);
  const known = members[kind];
  // An object of a class has state of its own.
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  for (const key of isPlain ? Object.keys(value) : [])
    if (!known.includes(key) && seams.includes(key))
      throw new PluginMistake(`${what} has a member "${key}", which only the relay's own plug-ins can use`);
    else if (!known.includes(key))
      throw new PluginMistake(
        `${what} has a member "${key}" that nothing reads${didYouMean(nearest(key, known))}`,
      );
  for (const [key, type] of Object.entries(needs))
    if (typeof Reflect.get(value, key) !== type) throw new PluginMistake(`${what} lacks ${key}`);
  const own = known.map((key) => [key, Reflect.get(value, key)] as const);
  return Object.fromEntries(
    own
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, typeof member === 'function' ? member.bind(value) : member]),
  ) as T;
}

/** Mistakes that would show only once a config uses the key, or never. */
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
        `${key} is made like kit.key.optional('What it is for.', kit.key.text()), or with required or withDefault`,
      );
    if (property.fallback === undefined) continue;
    const at = new Diagnostics();
    property.schema(property.fallback, at);
    const [mistake] = at.mistakes;
    if (mistake) throw new PluginMistake(`the default of ${key}: ${mistake.message}`);
  }
}

export function refuseCommon(what: string, keys: Properties = {}, common: object): void {
  const clash = Object.keys(keys).find((key) => key === 'type' || Object.hasOwn(common, key));
  if (clash !== undefined)
    throw new PluginMistake(`${what} has the key "${clash}", which all have; choose another name`);
}

const read = (schema: Properties[string]['schema'], value: string): unknown => {
  try {
    return schema(value, new Diagnostics());
  } catch {
    return undefined;
  }
};
