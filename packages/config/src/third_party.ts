/** Plug-ins that the relay does not bring: what is wrong with one is told to its owner, and what it leaves waiting comes to an end. */

import { PluginMistake } from '@form-relay/base/client_error';
import type { MaybePromise } from '@form-relay/base/maybe_promise';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Check, Command } from '@form-relay/core/command';
import { commonKeys as commonFieldKeys, type FieldType } from '@form-relay/core/fields/field';
import { sharedKit } from '@form-relay/core/kit';
import { commonKeys, type OutputType } from '@form-relay/core/outputs/output';
import {
  type Opened,
  type PluginOutput,
  pluginContext,
  pluginTransport,
  pluginWrapper,
} from '@form-relay/core/outputs/plugin_outputs';
import {
  type Feature,
  type FieldExtension,
  type FormHooks,
  interfaceVersion,
  type OutputExtension,
  type OutputHooks,
  type Plugin,
  type PublicRoute,
  type Renderer,
  type Route,
} from '@form-relay/core/plugin';
import { type Middleware, type Submission, undelivered } from '@form-relay/core/submission';
import { Diagnostics } from '@form-relay/schema/diagnostics';
import { isMap, type Properties } from '@form-relay/schema/kinds';
import { didYouMean, nearest, words } from '@form-relay/schema/suggestion';
import { soundOutcome } from './sound_outcome.ts';
import {
  answeringAtOnce,
  answeringSoundly,
  messagesOfTexts,
  soundField,
  wrapped,
} from './third_party_answers.ts';

/** Longer than its work may take: then it has hung. */
const loadMs = 10_000;
const graceMs = 500;

const phases = ['onRequest', 'beforeValidation', 'afterValidation', 'aroundDelivery'] as const;
const lists = words(
  'fields fieldExtensions outputs outputExtensions features renderers publicRoutes stores commands checks',
);
type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;

/** The names of all members of T: a text that lacks one does not compile. */
const membersOf =
  <T>() =>
  <S extends string>(text: S & (keyof T extends Words<S> ? S : never)): readonly string[] =>
    words(text);

const members = {
  plugin: membersOf<Plugin>()(
    'name needs fields fieldExtensions outputs outputExtensions features renderers publicRoutes stores commands checks messages readings variables validate onConfig onEvent observe onLog readiness onStop onClose',
  ),
  output: membersOf<OutputType>()(
    'type summary aliases keys problems jsonSchema readsFields sendsOfItself isArchive open',
  ),
  opened: membersOf<Opened>()('send target probe close takesFile'),
  field: membersOf<FieldType>()(
    'type summary aliases formerly samples card keys problems jsonSchema layout missing hint offered takesSeveral takesOne normalizeValue comparedAs canonical checkValue check store words shape json inputs takeFiles isEnteredAnew script part control',
  ),
  feature: membersOf<Feature>()('name after before keys configureTop completeFields configure routes'),
  hooks: membersOf<FormHooks>()(
    'onRequest beforeValidation afterValidation aroundDelivery reservedFields bodyParsers selectLocale decorateServices skipsThrottle takesUndeclared completeOutcome browsersOnly prepareView renderMarkup check cards provides',
  ),
  extension: membersOf<FieldExtension & OutputExtension>()('name keys types configure changeKeys'),
  // The queue's own, of which the config knows no type.
  store: words('schemes problem open'),
  command: membersOf<Command>()(
    'name alias summary description arguments options examples notes commands run',
  ),
  check: membersOf<Check>()('name probe'),
  route: membersOf<Route>()('name method answer'),
  publicRoute: membersOf<PublicRoute>()('matches isFree answer'),
  renderer: membersOf<Renderer>()('name matches isForServers isOwnPage view form outcome'),
};

/** Checks a plug-in, or what the function makes that a module exports. Throws an `Error` with words for the owner. */
export function thirdParty(exported: unknown): Plugin {
  const plugin = (typeof exported === 'function' ? exported(sharedKit()) : exported) as Plugin;
  if (!isMap(plugin) || typeof plugin.name !== 'string' || plugin.name === '')
    throw new PluginMistake('what its default export returns has no name');
  const { name, needs, readiness, onClose } = plugin;
  const it = `"${name}"`;
  const own = checkMembers(it, plugin, 'plugin');
  checkVersion(it, needs);
  for (const list of lists) {
    const value: unknown = Reflect.get(plugin, list);
    if (value !== undefined && !Array.isArray(value))
      throw new PluginMistake(`\`${list}\` of ${it} is no list`);
  }
  for (const texts of Object.values(plugin.messages ?? {}))
    if (!isMap(texts) || Object.values(texts).some((text) => typeof text !== 'string' && !isMap(text)))
      throw new PluginMistake(`\`messages\` of ${it} are no texts by language and code`);
  for (const store of (Reflect.get(plugin, 'stores') ?? []) as readonly object[]) {
    checkMembers(`a store of ${it}`, store, 'store', { schemes: 'object', open: 'function' });
  }
  for (const one of plugin.commands ?? []) {
    const what = `a command of ${it}`;
    const { name } = checkMembers(what, one, 'command', {
      name: 'string',
      summary: 'string',
      run: 'function',
    });
    if (!/^[a-z][a-z\d_-]*$/.test(name))
      throw new PluginMistake(
        `${what} has the name ${JSON.stringify(name)}; write one word of a-z, 0-9, _ and -`,
      );
    checkKeys(what, { ...one.arguments, ...one.options });
  }
  for (const one of plugin.checks ?? [])
    checkMembers(`a check of ${it}`, one, 'check', { name: 'string', probe: 'function' });
  const { outputs, fields, features, fieldExtensions, outputExtensions, publicRoutes, renderers } = plugin;
  return {
    ...own,
    ...((fields ?? fieldExtensions) && {
      messages: { ...own.messages, en: { ...messagesOfTexts, ...own.messages?.en } },
    }),
    ...(outputs && { outputs: outputs.map((one) => checkedOutput(one as never, name)) }),
    ...(fields && {
      fields: fields.map((one) => {
        const needs = { type: 'string', control: 'function' } as const;
        const field = checkMembers(`a field type of ${it}`, one, 'field', needs);
        const what = `the field type "${field.type}" of ${it}`;
        checkKeys(what, field.keys);
        refuseCommon(what, field.keys, commonFieldKeys);
        return soundField(field, what);
      }),
    }),
    ...(features && { features: features.map((one) => checkedFeature(one, it)) }),
    ...(fieldExtensions && { fieldExtensions: fieldExtensions.map((one) => checkedExtension(one, it)) }),
    ...(outputExtensions && { outputExtensions: outputExtensions.map((one) => checkedExtension(one, it)) }),
    ...(publicRoutes && {
      publicRoutes: publicRoutes.map((one) => {
        const what = `a public route of ${it}`;
        const route = checkMembers(what, one, 'publicRoute', { matches: 'function', answer: 'function' });
        return { ...bounded(route, ['answer'], what), matches: neverThrowing(route.matches) };
      }),
    }),
    ...(renderers && {
      renderers: renderers.map((one) => {
        const what = `the renderer "${one.name}"`;
        const needs = { matches: 'function', form: 'function', outcome: 'function' } as const;
        return bounded(checkMembers(what, one, 'renderer', needs), ['form', 'outcome'], what);
      }),
    }),
    ...(readiness && { readiness: () => ending(loadMs, readiness.call(plugin), `the readiness of ${it}`) }),
    ...(onClose && { onClose: async () => ending(loadMs, onClose.call(plugin), `onClose of ${it}`) }),
  };
}

/** @param needs A range such as `^1.2`. */
function checkVersion(it: string, needs: unknown): void {
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
function checkMembers<T extends object>(
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
    if (!known.includes(key))
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
function checkKeys(what: string, keys: Properties = {}): void {
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

function refuseCommon(what: string, keys: Properties = {}, common: object): void {
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

/** What `work` resolves with, or a rejection that says what did not end. */
const ending = <T>(ms: number, work: MaybePromise<T>, what: string): MaybePromise<T> =>
  work instanceof Promise
    ? withTimeout(ms, work, () => {
        const error = new PluginMistake(`${what} did not end within ${Math.ceil(ms / 1_000)} s`);
        throw Object.assign(error, { name: 'TimeoutError' });
      })
    : work;

/** It is asked of every request, also of those that find out whether the relay lives. */
const neverThrowing =
  (matches: (path: string) => boolean) =>
  (path: string): boolean => {
    try {
      return matches(path);
    } catch {
      return false;
    }
  };

/** The same, with an end for what these methods return. */
const bounded = <T extends object>(one: T, methods: readonly (keyof T & string)[], what: string): T =>
  wrapped(
    one,
    (method) =>
      (...given) =>
        ending(loadMs, method(...given), what),
    methods,
  );

function checkedFeature(given: Feature, by: string): Feature {
  const needs = { name: 'string', configure: 'function' } as const;
  const feature = checkMembers(`a feature of ${by}`, given, 'feature', needs);
  const { name, routes, configureTop, keys = {} } = feature;
  const what = `the feature "${name}"`;
  for (const some of Object.values(keys)) checkKeys(what, some);
  const { configure } = answeringAtOnce(what, { configure: feature.configure });
  return {
    ...feature,
    ...(configureTop && {
      configureTop: (...asked) => ending(loadMs, configureTop(...asked), what),
    }),
    configure: (...asked) => {
      const hooks = configure(...asked);
      return hooks && checkedHooks(hooks, what);
    },
    ...(routes && {
      routes: routes.map((one) => {
        const needs = { name: 'string', answer: 'function' } as const;
        const route = checkMembers(`a route of ${what}`, one, 'route', needs);
        return bounded(route, ['answer'], `the route "${route.name}"`);
      }),
    }),
  };
}

const leftMs = ({ deadline, services }: Submission) => Math.max(0, deadline - services.now()) + graceMs;

function checkedHooks(given: FormHooks, what: string): FormHooks {
  const hooks = checkMembers(`what ${what} returns`, given, 'hooks');
  const late = new WeakSet<Submission>();
  const bound =
    (phase: string, hook: Middleware): Middleware =>
    (next) => {
      // Its sender has read that it failed, and sends it again.
      const handle =
        typeof hook === 'function' &&
        hook((submission) => (late.has(submission) ? undelivered : next(submission)));
      if (typeof handle !== 'function')
        throw new PluginMistake(
          `${phase} is a function like (next) => async (submission) => next(submission)`,
        );
      return async (submission) => {
        try {
          return soundOutcome(await ending(leftMs(submission), handle(submission), what), what);
        } catch (error) {
          late.add(submission);
          throw error;
        }
      };
    };
  const { prepareView, completeOutcome, provides: _, ...others } = hooks;
  return {
    ...answeringAtOnce(what, others),
    // Other plug-ins read it, and it may be a function that returns a promise.
    provides: given.provides,
    ...Object.fromEntries(
      phases.flatMap((phase) => (hooks[phase] ? [[phase, bound(phase, hooks[phase])] as const] : [])),
    ),
    ...(prepareView && { prepareView: (view) => ending(loadMs, prepareView(view), what) }),
    ...(completeOutcome && {
      completeOutcome: (outcome) => soundOutcome(completeOutcome(outcome), `completeOutcome of ${what}`),
    }),
  };
}

function checkedExtension<E extends FieldExtension | OutputExtension>(given: E, by: string): E {
  const needs = { name: 'string', configure: 'function' } as const;
  const extension = checkMembers(`an extension of ${by}`, given, 'extension', needs);
  const what = `the extension "${extension.name}" of ${by}`;
  checkKeys(what, extension.keys);
  const { configure, ...rest } = answeringAtOnce(what, extension);
  return {
    ...rest,
    configure: (...asked: Parameters<typeof configure>) => {
      const hooks = (configure as (...asked: readonly unknown[]) => object | undefined)(...asked);
      if (!hooks) return undefined;
      const { wrapTransport, ...others }: OutputHooks = hooks;
      return {
        ...answeringSoundly(what, others, () => Reflect.get(asked[0], 'name')),
        ...(wrapTransport && { wrapTransport: pluginWrapper(wrapTransport) }),
      };
    },
  } as E;
}

function checkedOutput(given: PluginOutput, by: string): OutputType {
  const type = checkMembers(`an output of "${by}"`, given, 'output', { type: 'string', open: 'function' });
  const what = `the output type "${type.type}"`;
  checkKeys(what, type.keys);
  refuseCommon(what, type.keys, commonKeys);
  const { open, ...rest } = answeringAtOnce(what, type);
  const author = { plugin: by, type: type.type };
  return {
    ...rest,
    open: (output, context) => {
      const needs = { send: 'function' } as const;
      const given = open(output, pluginContext(context));
      const opened = checkMembers(`what open of ${what} returns`, given, 'opened', needs);
      const { takesFile } = opened;
      const asked = takesFile && answeringAtOnce(what, { takesFile });
      return pluginTransport({ ...opened, ...asked }, author, context);
    },
  };
}
