import type { MaybePromise } from '@form-relay/base/maybe_promise';
import type { BundledPlugin } from '@form-relay/config/bundled_plugin';
import type { Config } from '@form-relay/core/config';
import type { Plugin, PluginContext } from '@form-relay/core/plugin';

type EventContext = Parameters<NonNullable<Plugin['onEvent']>>[1];

/** Runs a relay's plug-ins until it closes. A failing plug-in stops neither the others nor an answer. */
export function createPluginHost(
  always: readonly Plugin[],
  bundled: readonly BundledPlugin[],
  fail: (error: unknown) => void,
) {
  let current = always;
  /** Also those that the latest config no longer uses: they end their work, and are closed. */
  const started = new Set<Plugin>(always);
  const start = (plugins: readonly Plugin[]) => {
    for (const plugin of plugins) started.add(plugin);
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
    current: () => current,
    /** Goes on with another config. Without a context, no plug-in works outside of requests. */
    follow: ({ registry, forms, shared }: Config, context: PluginContext | undefined) => {
      current = registry.plugins;
      if (!context) return;
      start(current);
      for (const plugin of started) void guarded(() => plugin.onConfig?.(forms, { ...context, shared }));
    },
    /** Passes an event to the first plug-in that takes it; also to bundled ones that the config no longer names: messages may wait. */
    event: async (
      event: unknown,
      context: EventContext,
    ): Promise<{ readonly result: unknown } | undefined> => {
      const takers = await Promise.all(bundled.flatMap((one) => (one.takesEvents ? one.load() : [])));
      const plugins = new Set([...current, ...takers]);
      start([...plugins]);
      for (const { onEvent } of plugins) {
        const taken = onEvent?.(event, context);
        if (taken) return { result: await taken };
      }
      return undefined;
    },
    stop: () => {
      for (const plugin of started) void guarded(() => plugin.onStop?.());
    },
    close: async () => {
      for (const plugin of started) await guarded(() => plugin.onClose?.());
    },
  };
}
