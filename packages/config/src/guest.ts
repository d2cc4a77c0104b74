/** Plug-ins that the relay does not bring: what is wrong with one is told to its owner, and what it leaves waiting comes to an end. */

import type { MaybePromise } from '@form-relay/base/maybe_promise';
import { withTimeout } from '@form-relay/base/with_timeout';
import { ClientError } from '@form-relay/core/kit';
import type { OutputType, Transport } from '@form-relay/core/outputs/output';
import { apiVersion, type Feature, type FormHooks, type Plugin } from '@form-relay/core/plugin';
import { sharedKit } from '@form-relay/core/shared_kit';
import type { Middleware, Submission } from '@form-relay/core/submission';
import { isMap } from '@form-relay/schema/kinds';
import { didYouMean, nearest, words } from '@form-relay/schema/suggestion';

const members = words(
  'name apiVersion fields fieldExtensions outputs features outputExtensions messages renderers publicRoutes readings variables validate onConfig onEvent observe onLog readiness onStop onClose stores',
);

/** Longer than its work may take: then it has hung. */
const loadMs = 10_000;
const graceMs = 500;
const phases = ['onRequest', 'beforeValidation', 'afterValidation', 'aroundDelivery'] as const;

/** What an author made, or the function that makes it, as a guest. Throws an `Error` with words for the owner at the first mistakes of authors in JavaScript. */
export function guest(made: unknown): Plugin {
  const plugin = soundPlugin(typeof made === 'function' ? made(sharedKit()) : made);
  const { name, outputs, features, readiness, onClose } = plugin;
  return {
    // A class has its methods elsewhere.
    ...Object.fromEntries(members.flatMap((member) => ownMember(plugin, member as keyof Plugin))),
    name,
    ...(outputs && { outputs: outputs.map((one) => boundOutput(one)) }),
    ...(features && { features: features.map((one) => boundFeature(one)) }),
    ...(readiness && {
      readiness: () => ending(loadMs, readiness.call(plugin), `the readiness of "${name}"`),
    }),
    ...(onClose && { onClose: async () => ending(loadMs, onClose.call(plugin), `onClose of "${name}"`) }),
  };
}

const ownMember = (plugin: Plugin, member: keyof Plugin) => {
  const value: unknown = plugin[member];
  if (value === undefined) return [];
  return [[member, typeof value === 'function' ? value.bind(plugin) : value] as const];
};

/** What `work` resolves with, or a rejection that says what did not end. */
const ending = <T>(ms: number, work: MaybePromise<T>, what: string): MaybePromise<T> =>
  work instanceof Promise
    ? withTimeout(ms, work, () => {
        const error = new Error(`${what} did not end within ${Math.ceil(ms / 1_000)} s`);
        throw Object.assign(error, { name: 'TimeoutError' });
      })
    : work;

function boundFeature(feature: Feature): Feature {
  const { name, routes, configureTop } = feature;
  const what = `the feature "${name}"`;
  return {
    ...feature,
    ...(configureTop && {
      configureTop: (...asked) => ending(loadMs, configureTop.call(feature, ...asked), what),
    }),
    configure: (...asked) => {
      const hooks = feature.configure(...asked);
      return hooks && boundHooks(hooks, what);
    },
    ...(routes && {
      routes: routes.map((route) => ({
        ...route,
        answer: (call) => ending(loadMs, route.answer(call), `the route "${route.name}"`),
      })),
    }),
  };
}

const leftMs = ({ deadline, services }: Submission) => Math.max(0, deadline - services.now()) + graceMs;

function boundHooks(hooks: FormHooks, what: string): FormHooks {
  const bound =
    (hook: Middleware): Middleware =>
    (next) => {
      const handle = hook(next);
      return (submission) => ending(leftMs(submission), handle(submission), what);
    };
  const { prepareView } = hooks;
  return {
    ...hooks,
    ...Object.fromEntries(
      phases.flatMap((phase) => (hooks[phase] ? [[phase, bound(hooks[phase])] as const] : [])),
    ),
    ...(prepareView && { prepareView: (view) => ending(loadMs, prepareView(view), what) }),
  };
}

const boundOutput = (type: OutputType): OutputType => ({
  ...type,
  open: (...asked) => {
    const transport = type.open(...asked);
    const { send }: Transport = transport;
    return {
      ...transport,
      send: (delivery, timeoutMs) =>
        withTimeout(timeoutMs + graceMs, send.call(transport, delivery, timeoutMs), () => {
          throw new ClientError(`no end within ${timeoutMs} ms`, { code: 'timed_out', retryAfterMs: 0 });
        }),
    };
  },
});

function soundPlugin(made: unknown): Plugin {
  const plugin = made as Plugin;
  const { name, apiVersion: wanted = apiVersion, fields, outputs } = plugin ?? {};
  const { features = [], fieldExtensions = [], outputExtensions = [] } = plugin ?? {};
  if (!isMap(made) || typeof name !== 'string' || name === '')
    throw new Error('what its default export returns has no name');
  for (const key of Object.keys(plugin))
    if (!members.includes(key))
      throw new Error(
        `"${name}" has a member "${key}" that no plugin has${didYouMean(nearest(key, members))}`,
      );
  if (wanted !== apiVersion)
    throw new Error(
      `"${name}" is written for version ${wanted} of the plug-in interface, and this relay has version ${apiVersion}; update ${Number(wanted) > apiVersion ? 'the relay' : 'the plug-in'}`,
    );
  const lacks = (all: readonly object[] = [], text: string, method: string) =>
    all.some(
      (one) => typeof Reflect.get(one, text) !== 'string' || typeof Reflect.get(one, method) !== 'function',
    );
  if (lacks(outputs, 'type', 'open')) throw new Error(`an output of "${name}" lacks type or open`);
  if (lacks(fields, 'type', 'control')) throw new Error(`a field type of "${name}" lacks type or control`);
  if (lacks([...features, ...fieldExtensions, ...outputExtensions], 'name', 'configure'))
    throw new Error(`a feature of "${name}" lacks name or configure`);
  return plugin;
}
