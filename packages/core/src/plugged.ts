import type { MaybePromise } from './base/maybe_promise.ts';
import type { Config } from './config/parse.ts';
import type { Plugin, PluginContext } from './plugin.ts';

/**
 * The plug-ins of a relay, from their first config to their end. One that fails keeps neither the others from their work nor a
 * submission from its answer.
 */
export function createPlugged(always: readonly Plugin[], fail: (error: unknown) => void) {
  let current = always;
  /** Also those that the latest config no longer uses: they end their work, and are closed. */
  const started = new Set<Plugin>(always);
  const start = (more: Iterable<Plugin>): ReadonlySet<Plugin> => {
    const plugins = new Set([...current, ...more]);
    for (const plugin of plugins) started.add(plugin);
    return plugins;
  };
  const guarded = (call: () => MaybePromise<void>): MaybePromise<void> => {
    try {
      const ended = call();
      return ended instanceof Promise ? ended.catch(fail) : ended;
    } catch (error) {
      return fail(error);
    }
  };
  return {
    /** Those of the latest config. */
    current: () => current,
    /** Starts these, too, and returns them with the current ones. */
    start,
    /** Goes on with another config. Without a context, no plug-in works beside requests. */
    follow: ({ registry, forms, shared }: Config, context: PluginContext | undefined) => {
      current = registry.plugins;
      if (!context) return;
      start([]);
      for (const plugin of started) void guarded(() => plugin.onConfig?.(forms, { ...context, shared }));
    },
    flush: async () => {
      await Promise.all(current.map((plugin) => guarded(() => plugin.flush?.())));
    },
    stop: () => {
      for (const plugin of started) void guarded(() => plugin.onStop?.());
    },
    close: async () => {
      for (const plugin of started) await guarded(() => plugin.onClose?.());
    },
  };
}
