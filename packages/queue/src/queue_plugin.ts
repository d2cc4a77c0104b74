/** Failed deliveries: keeps them, tries them again, and tells their owner (docs/keep.md). */

import { weaknessOf } from '@form-relay/base/weak_secret';
import type { Plugin, PluginContext } from '@form-relay/core/index';
import { ownSecret, variable } from '@form-relay/schema/variables';
import { storeOpener } from '@form-relay/stores/places';
import type { OpenStore } from '@form-relay/stores/store';
import { alertsFeature, type TellUnpruned } from './alerts.ts';
import type { QueueContext } from './context.ts';
import { keepFeature } from './keep.ts';
import type { Monitored, QueueMonitor } from './monitor.ts';
import { takeEvent } from './platform_events.ts';
import type { Queue } from './queue.ts';

declare module '@form-relay/core/services' {
  interface Services {
    /** Opens stores in the place of those that a config names. */
    readonly openStore?: OpenStore;
  }
}

/** A relay's own: its state is that of one queue and one monitor. */
export function plugin(): Plugin {
  let current: Omit<Monitored, 'forms'> = {};
  let running: Promise<Running> | undefined;
  let monitor: QueueMonitor | undefined;

  const start = async (plugin: PluginContext): Promise<Running> => {
    const { services, settings } = plugin;
    const [{ Queue }, monitoring] = await Promise.all([import('./queue.ts'), import('./monitor.ts')]);
    const context: QueueContext = {
      ...plugin,
      keys: { keepSecret: services.env('KEEP_SECRET') ?? '', allowedOrigins: settings.allowedOrigins },
      keep: () => current.keep,
      emit: (event) => monitor?.onEvent(event),
    };
    const queue = new Queue(context, storeOpener(services, settings));
    monitor = new monitoring.QueueMonitor(context, queue.stores);
    return { queue, monitor };
  };

  // The first config has been loaded, since the submission has a form.
  const keepDeliveries: Queue['keep'] = async (...failed) =>
    (await (running as Promise<Running>)).queue.keep(...failed);

  const unpruned: TellUnpruned = async (reason) => {
    await running;
    if (current.alerts) monitor?.alerts.unpruned(reason, current.alerts);
  };

  return {
    name: 'queue',
    features: [keepFeature(keepDeliveries), alertsFeature(unpruned)],
    variables: {
      keepSecret: variable(
        'KEEP_SECRET',
        'Encrypts what forms with `keep` keep. Relays that share a store share it, and whoever loses it loses what is kept.',
        ownSecret,
      ),
    },
    onConfig: (forms, { shared, ...plugin }) => {
      const [keep, alerts] = [shared.get('keep'), shared.get('alerts')];
      current = { keep, alerts };
      const secret = keep && plugin.services.env('KEEP_SECRET');
      const weakness = secret && weaknessOf(secret);
      if (weakness) plugin.services.log('warn', 'weak_keep_secret', { reason: `KEEP_SECRET ${weakness}` });
      if (!running && !keep && !alerts) return;
      running ??= start(plugin);
      if (!plugin.livesOn) return;
      void running.then(({ queue, monitor }) => {
        queue.tries.start(current.keep);
        monitor.start({ ...current, forms });
      });
    },
    onEvent: (event, { timeLeftMs, ...plugin }) =>
      takeEvent(event, {
        keep: current.keep,
        queue: async () => {
          running ??= start(plugin);
          return (await running).queue;
        },
        isLoaded: plugin.config.state !== 'never_loaded',
        log: plugin.services.log,
        timeLeftMs,
      }),
    gauges: () => monitor?.readings() ?? {},
    readiness: () => monitor?.readiness,
    onStop: () => void running?.then(({ queue }) => queue.tries.stop()),
    onClose: async () => {
      const ended = await running;
      await ended?.monitor.close();
      await ended?.queue.close();
    },
  };
}

interface Running {
  readonly queue: Queue;
  readonly monitor: QueueMonitor;
}
