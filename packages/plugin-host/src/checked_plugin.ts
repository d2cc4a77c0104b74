/** Wraps third-party plug-ins: reports their mistakes to the owner, and stops waiting for work that hangs. */

import { PluginMistake } from '@form-relay/base/client_error';
import { chain, type MaybePromise } from '@form-relay/base/maybe_promise';
import { withTimeout } from '@form-relay/base/with_timeout';
import { commonFieldKeys } from '@form-relay/core/fields/field';
import type { RelayResponse } from '@form-relay/core/http/request';
import { isOwn } from '@form-relay/core/internal';
import { commonOutputKeys, type OutputType } from '@form-relay/core/outputs/output';
import type {
  Feature,
  FieldExtension,
  Hooks,
  Life,
  OutputExtension,
  OutputHooks,
  Plugin,
  Route,
} from '@form-relay/core/plugin';
import { type Middleware, type Submission, undelivered } from '@form-relay/core/submission';
import { isMap } from '@form-relay/schema/kinds';
import { words } from '@form-relay/schema/suggestion';
import { sharedKit } from './kit.ts';
import { checkKeys, checkMembers, checkVersion, refuseCommon } from './known_members.ts';
import { type PluginOutput, pluginContext, pluginTransport, pluginWrapper } from './plugin_outputs.ts';
import {
  answeringAtOnce,
  answeringSoundly,
  messagesOfTexts,
  naming,
  objectOr,
  reportUnworded,
  soundAnswer,
  soundField,
  soundOutcome,
  wrapped,
} from './wrapped_members.ts';

/** A plug-in that takes longer has hung. */
const loadMs = 10_000;
const graceMs = 500;

const phases = ['onRequest', 'beforeValidation', 'afterValidation', 'aroundDelivery'] as const;
const lists = words(
  'fields fieldExtensions outputs outputExtensions signals features stores commands checks',
);
const functions = words('start validate observe readiness');

/** Checks a plug-in, or what the function exported by a module returns. Throws an `Error` with a message for the owner. */
export function checkedPlugin(exported: unknown): Plugin {
  const plugin = (typeof exported === 'function' ? exported(sharedKit(), {}) : exported) as Plugin;
  if (plugin instanceof Promise)
    throw new PluginMistake('the default export returns a promise; await it, and pass the plug-in');
  if (!isMap(plugin) || typeof plugin.name !== 'string' || plugin.name === '')
    throw new PluginMistake('the plug-in that the default export returns has no name');
  if (isOwn(plugin)) return plugin;
  const { name, needs, readiness, start, observe } = plugin;
  const it = `"${name}"`;
  const own = checkMembers(it, plugin, 'plugin');
  checkVersion(it, needs);
  for (const one of functions) {
    const value: unknown = Reflect.get(plugin, one);
    if (value !== undefined && typeof value !== 'function')
      throw new PluginMistake(`\`${one}\` of ${it} is not a function`);
  }
  for (const list of lists) {
    const value: unknown = Reflect.get(plugin, list);
    if (value !== undefined && !Array.isArray(value))
      throw new PluginMistake(`\`${list}\` of ${it} is not a list`);
  }
  for (const [tag, texts] of Object.entries(plugin.messages ?? {}))
    for (const [code, text] of isMap(texts) ? Object.entries(texts) : [['', undefined]])
      if (isMap(text) && !(typeof text.count === 'string' && typeof text.other === 'string'))
        throw new PluginMistake(
          `\`messages.${tag}.${code}\` of ${it} needs \`count\` and \`other\`, both text`,
        );
      else if (isMap(text) && Object.values(text).some((form) => typeof form !== 'string'))
        throw new PluginMistake(`\`messages.${tag}.${code}\` of ${it} has a form that is not text`);
      else if (typeof text !== 'string' && !isMap(text))
        throw new PluginMistake(`\`messages\` of ${it} must map languages to codes, and codes to texts`);
  for (const store of (Reflect.get(plugin, 'stores') ?? []) as readonly { readonly schemes?: unknown }[]) {
    const what = `a store of ${it}`;
    const { schemes } = checkMembers(what, store, 'store', { schemes: 'object', open: 'function' });
    if (!Array.isArray(schemes) || schemes.length === 0 || !schemes.every(isScheme))
      throw new PluginMistake(`\`schemes\` of ${what} must be a list such as ['redis']`);
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
  for (const one of plugin.signals ?? []) {
    const needs = { name: 'string', weight: 'number', score: 'function' } as const;
    const { keys } = checkMembers(`a signal of ${it}`, one, 'signal', needs);
    checkKeys(`the signal "${one.name}" of ${it}`, keys);
  }
  const { outputs, fields, features, fieldExtensions, outputExtensions } = plugin;
  const [first] = [...(outputs ?? []), ...(fields ?? [])];
  return {
    ...own,
    summary: plugin.summary ?? first?.summary,
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
    ...(fieldExtensions && {
      fieldExtensions: fieldExtensions.map((one) => checkedExtension(one, it, 'field')),
    }),
    ...(outputExtensions && {
      outputExtensions: outputExtensions.map((one) => checkedExtension(one, it, 'output')),
    }),
    ...(readiness && { readiness: () => ending(loadMs, () => readiness.call(plugin), `readiness of ${it}`) }),
    ...(observe && { observe: (event) => naming(`observe of ${it}`, () => observe.call(plugin, event)) }),
    ...(start && { start: (life) => startedBy(it, life, (own) => start.call(plugin, own)) }),
  };
}

const isScheme = (one: unknown): boolean => typeof one === 'string' && /^[a-z][a-z\d+.-]*$/.test(one);

/** Runs `start` of a plug-in: limits the promises that the relay waits for on shutdown, and names the plug-in in errors. */
function startedBy(it: string, life: Life, start: (life: Life) => void): void {
  const what = `start of ${it}`;
  const wait: Life['wait'] = (work) => {
    const working = Promise.resolve(work);
    const waiting = life.drained.then(() => ending(loadMs, () => working, `the promise of ${what}`));
    life.wait(naming(what, () => Promise.race([waiting, working])));
  };
  const { forms, services, signal, platform } = life;
  naming(what, () => {
    const started: unknown = start({ forms, services, signal, platform, wait } as Life);
    if (started instanceof Promise) wait(started);
  });
}

/** The result of `work`, or an error that names the work that failed or did not finish. */
function ending<T>(ms: number, work: () => MaybePromise<T>, what: string): MaybePromise<T> {
  const working = naming(what, work);
  if (!(working instanceof Promise)) return working;
  return withTimeout(ms, working, () => {
    const error = new PluginMistake(`${what} did not finish within ${Math.ceil(ms / 1_000)} s`);
    throw Object.assign(error, { name: 'TimeoutError' });
  });
}

/** A route whose responses are limited in time and checked before they are sent. */
const answering = (route: Route, what: string): Route =>
  wrapped(
    route,
    (method) =>
      (...given) =>
        chain(
          ending(loadMs, () => method(...given), `answer of ${what}`),
          (answer) => soundAnswer(answer as RelayResponse, `answer of ${what}`),
        ),
    ['answer'],
  );

const routeMethods: readonly string[] = ['GET', 'POST', 'GET, POST'] satisfies Route['method'][];

function checkedFeature(given: Feature, by: string): Feature {
  const needs = { name: 'string', configure: 'function' } as const;
  const feature = checkMembers(`a feature of ${by}`, given, 'feature', needs);
  const { name, routes, configureTop, keys = {} } = feature;
  const what = `the feature "${name}" of ${by}`;
  checkMembers(`\`keys\` of ${what}`, keys, 'featureKeys');
  for (const some of Object.values(keys)) checkKeys(what, some);
  const { configure } = answeringAtOnce(what, { configure: feature.configure });
  return {
    ...feature,
    ...(configureTop && {
      configureTop: (...asked) => ending(loadMs, () => configureTop(...asked), `configureTop of ${what}`),
    }),
    configure: (...asked) => {
      const hooks = configure(...asked);
      return hooks && checkedHooks(hooks, what);
    },
    ...(routes && {
      routes: routes.map((one) => {
        const needs = { name: 'string', method: 'string', answer: 'function' } as const;
        const route = checkMembers(`a route of ${what}`, one, 'route', needs);
        const whose = `the route "${route.name}" of ${by}`;
        if (!routeMethods.includes(route.method))
          throw new PluginMistake(
            `${whose} has the method ${JSON.stringify(route.method)}; expected ${routeMethods.join('; ')}`,
          );
        return answering(route, whose);
      }),
    }),
  };
}

const leftMs = ({ deadline, services }: Submission) => Math.max(0, deadline - services.now()) + graceMs;

function checkedHooks(given: Hooks, what: string): Hooks {
  const hooks = checkMembers(`the result of ${what}`, given, 'hooks');
  const late = new WeakSet<Submission>();
  const bound =
    (phase: string, hook: Middleware): Middleware =>
    (next) => {
      const member = `${phase} of ${what}`;
      // If the sender was told that a submission failed, do not deliver it: the sender will send it again.
      const handle =
        typeof hook === 'function' &&
        hook((submission) => (late.has(submission) ? undelivered : next(submission)));
      // Avoid an unhandled rejection, which would be a second error that does not name the member.
      if (handle instanceof Promise) handle.catch(() => undefined);
      if (typeof handle !== 'function')
        throw new PluginMistake(
          `${member} must be a function like (next) => async (submission) => next(submission)`,
        );
      return async (submission) => {
        try {
          const handled = ending(leftMs(submission), () => handle(submission), member);
          const outcome = soundOutcome(await handled, member);
          for (const one of outcome.errors ?? [outcome.message])
            if (one) reportUnworded(one, submission, member);
          return outcome;
        } catch (error) {
          late.add(submission);
          throw error;
        }
      };
    };
  for (const name of ['reserves', 'bodies'] as const)
    if (!Array.isArray(hooks[name] ?? [])) throw new PluginMistake(`${name} of ${what} is not a list`);
  const { view, markup, close, provides: _, ...others } = hooks;
  return {
    ...answeringAtOnce(what, others),
    // Leave `provides` unwrapped: other plug-ins read it, and it may be a function that returns a promise.
    provides: given.provides,
    ...Object.fromEntries(
      phases.flatMap((phase) => (hooks[phase] ? [[phase, bound(phase, hooks[phase])] as const] : [])),
    ),
    ...(view && {
      view: (shown) =>
        chain(
          ending(loadMs, () => view(shown), `view of ${what}`),
          objectOr(`view of ${what} returned no view and no outcome`),
        ),
    }),
    ...(markup && {
      markup: (shown) =>
        objectOr(`markup of ${what} did not return an object`)(
          answeringAtOnce(what, { markup }).markup(shown),
        ),
    }),
    ...(close && { close: () => ending(loadMs, () => close(), `close of ${what}`) }),
  };
}

function checkedExtension<E extends FieldExtension | OutputExtension>(
  given: E,
  by: string,
  kind: 'field' | 'output',
): E {
  const needs = { name: 'string', configure: 'function' } as const;
  const extension = checkMembers(`an extension of ${by}`, given, `${kind}Extension`, needs);
  const what = `the extension "${extension.name}" of ${by}`;
  checkKeys(what, extension.keys);
  if ('optionKeys' in extension) checkKeys(what, extension.optionKeys);
  const { configure, ...rest } = answeringAtOnce(what, extension);
  return {
    ...rest,
    configure: (...asked: Parameters<typeof configure>) => {
      const hooks = (configure as (...asked: readonly unknown[]) => object | undefined)(...asked);
      if (!hooks) return undefined;
      const { wrapTransport, ...others }: OutputHooks = checkMembers(
        `the result of ${what}`,
        hooks,
        `${kind}Hooks`,
      );
      return {
        ...answeringSoundly(what, others, () => ('name' in asked[0] ? asked[0].name : undefined)),
        ...(wrapTransport && { wrapTransport: pluginWrapper(wrapTransport) }),
      };
    },
  } as E;
}

function checkedOutput(given: PluginOutput, by: string): OutputType {
  const type = checkMembers(`an output of "${by}"`, given, 'output', { type: 'string', open: 'function' });
  const what = `the output type "${type.type}"`;
  checkKeys(what, type.keys);
  refuseCommon(what, type.keys, commonOutputKeys);
  const { open, sendsAll, ...rest } = answeringAtOnce(`${what} of "${by}"`, type);
  const author = { plugin: by, type: type.type };
  return {
    ...rest,
    ...(sendsAll && { sendsOfItself: () => true }),
    open: (output, context) => {
      const needs = { send: 'function' } as const;
      const given = open(output, pluginContext(context));
      const opened = checkMembers(`the result of open of ${what} of "${by}"`, given, 'opened', needs);
      const { takesFile } = opened;
      const asked = takesFile && answeringAtOnce(what, { takesFile });
      return pluginTransport({ ...opened, ...asked }, author, context, output);
    },
  };
}
