/** Queues failed deliveries, retries them, and alerts their owner (docs/keep.md). */

import { check } from '@form-relay/core/command';
import type { Life, LifeEnd, Log, Plugin, PluginContext } from '@form-relay/core/index';
import { variableWithSecret, weaknessOf } from '@form-relay/schema/variables';
import { bundled } from '@form-relay/stores/index';
import type { DeliverHanded, StoreType } from '@form-relay/stores/store';
import { alertsFeature, type TellUnpruned } from './alerts.ts';
import { heldFeature } from './held.ts';
import { keepFeature } from './keep.ts';
import type { Monitored, QueueMonitor } from './monitor.ts';
import { type OpenStore, type QueueConfig, storeOpener } from './open_stores.ts';
import type { Queue, QueueContext } from './queue.ts';

declare module '@form-relay/core/services' {
  interface Services {
    /** Opens stores instead of those that a config names. */
    readonly openStore?: OpenStore;
  }
}

/** Each relay needs its own plug-in, whose state is one queue and one monitor. */
export function plugin(): Plugin {
  /** The life of the latest config that uses the plug-in. */
  let life: Life | undefined;
  let current: Omit<Monitored, 'forms'> = {};
  let running: Promise<Running> | undefined;
  let monitor: QueueMonitor | undefined;

  const open = async (plugin: PluginContext): Promise<Running> => {
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

  /**
   * If the next config uses the plug-in, it takes over the running queue. Otherwise, nothing new starts, and
   * everything is closed after the last submission.
   */
  const end = async (ended: Life, { why }: LifeEnd): Promise<void> => {
    if (life !== ended) return;
    const last = running;
    if (why === 'removed') {
      current = {};
      void last?.then(({ queue }) => queue.tries.start(undefined));
    } else void last?.then(({ queue }) => queue.tries.stop());
    await ended.drained;
    if (life !== ended) return;
    life = undefined;
    running = undefined;
    const opened = await last;
    if (why === 'removed') await opened?.queue.tries.finish();
    await opened?.monitor.close();
    await opened?.queue.close();
  };

  // The first config must have been loaded, because the submission has a form.
  const opened = async () => (await (running as Promise<Running>)).queue;
  const keepDeliveries: Queue['keep'] = async (...failed) => (await opened()).keep(...failed);

  const unpruned: TellUnpruned = async (reason) => {
    await running;
    if (current.alerts) monitor?.alerts.unpruned(reason, current.alerts);
  };

  return {
    name: 'queue',
    features: [keepFeature(keepDeliveries), heldFeature(opened), alertsFeature(unpruned)],
    checks: [
      check('Environment', async () => ({ probe: (await import('./check.ts')).probeSecret })),
      check('Kept deliveries', () => import('./check.ts')),
    ],
    variables: {
      keepSecret: variableWithSecret(
        'KEEP_SECRET',
        'Encrypts queued deliveries, which cannot be read without this secret. Relays that share a store need the same value.',
      ),
    },
    start: (begun) => {
      const { forms, shared, services, livesOn, signal } = begun;
      const [keep, alerts] = [shared.get('keep'), shared.get('alerts')];
      life = begun;
      current = { keep, alerts };
      const secret = keep && services.env('KEEP_SECRET');
      const weakness = secret && weaknessOf(secret);
      if (weakness) services.log('warn', 'weak_keep_secret', { reason: `KEEP_SECRET ${weakness}` });
      signal.addEventListener('abort', () => begun.wait(end(begun, signal.reason)));
      if (!running && !keep && !alerts) return;
      running ??= open(begun);
      if (!livesOn) return;
      void running.then(({ queue, monitor }) => {
        if (life !== begun || signal.aborted) return;
        queue.tries.start(current.keep);
        monitor.start({ ...current, forms });
      });
    },
    onEvent: (event, { timeLeftMs, ...plugin }) =>
      takeEvent(event, {
        types: new Set([...bundled, ...(current.keep ? [current.keep.in.type] : [])]),
        keep: current.keep,
        queue: async () => {
          running ??= open(plugin);
          return (await running).queue;
        },
        isLoaded: plugin.config.state !== 'never_loaded',
        log: plugin.services.log,
        timeLeftMs,
      }),
    gauges: () => monitor?.readings() ?? {},
    readiness: () => monitor?.readiness,
  };
}

interface Running {
  readonly queue: Queue;
  readonly monitor: QueueMonitor;
}

interface EventContext {
  readonly types: Iterable<StoreType>;
  readonly keep: QueueConfig | undefined;
  readonly queue: () => Promise<Queue>;
  /** Whether there are forms to deliver for. */
  readonly isLoaded: boolean;
  readonly log: Log;
  /** The time left when the event arrived, in milliseconds. */
  readonly timeLeftMs: number;
}

/** The minimum time left to start an attempt: an attempt may take 24 s, and settling it a little more. */
const tryMs = 27_000;

/** Returns `undefined` if the event is for another plug-in. */
export function takeEvent(event: unknown, context: EventContext): Promise<unknown> | undefined {
  const until = performance.now() + context.timeLeftMs - tryMs;
  const mayBegin = () => context.isLoaded && performance.now() < until;
  const { types, keep, queue, log } = context;
  for (const type of types) {
    const current = keep?.in.type === type ? keep : undefined;
    const deliver: DeliverHanded = async (messages, address) => {
      const asked = address === undefined ? undefined : queueAt(address, type, keep);
      if (!asked) {
        const reason = 'the config does not load, or its keep names another kind of store';
        log('error', 'keep_unavailable', { deliveries: messages.length, reason });
        return messages.map(({ id }) => id);
      }
      const { stores, tries } = await queue();
      const leases = await stores.leases(asked);
      const left = await leases.handed?.(
        messages,
        (lease) => tries.attempts.run(lease, { mayBegin }),
        mayBegin,
      );
      return left ?? messages.map(({ id }) => id);
    };
    const answer = type.takeEvent?.(event, current?.in.name, deliver);
    if (answer) return answer;
  }
  return undefined;
}

/** The store that holds the messages, which may differ from the one in the config. */
const queueAt = (name: string, type: StoreType, keep: QueueConfig | undefined): QueueConfig =>
  keep?.in.name === name ? keep : { forMs: Infinity, filesIn: undefined, ...keep, in: { name, type } };
