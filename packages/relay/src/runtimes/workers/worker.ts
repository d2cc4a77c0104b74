import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import type { Log } from '../../base/effects.ts';
import type { Observer } from '../../base/event.ts';
import { maxBodyBytes } from '../../base/http.ts';
import { heardIn, type KeptMonitor } from '../../keeping/monitor.ts';
import type { Relay, SharedRelay } from '../../relay.ts';
import { type Environment, readSettings } from '../../schema/settings/settings.ts';
import { createThrottle } from '../../street/throttle.ts';
import type { Metrics } from '../../telling/metrics/metrics.ts';
import { type Beginning, createChannel, type ToPrimary, type ToWorker } from './channel.ts';
import { isLoggedOnce } from './shared_counts.ts';
import { createSharedMemory } from './shared_memory.ts';
import { createLeasedThrottle, leaseOf } from './throttle_leases.ts';

/** How often other workers learn what waits. */
const waitingEveryMs = 1_000;

/** A worker's side of the channel to its primary. */
export interface WorkerEnd {
  readonly metrics: Metrics | undefined;
  readonly beginning: Beginning;
  /** The environment for `createRelay`. */
  readonly env: Environment;
  readonly shared: SharedRelay;
  readonly observe: Observer;
  /** Resolves when the worker must end, with how long idle connections are still read, in milliseconds. */
  readonly stopped: Promise<number | undefined>;
  /** Reports that the worker listens. */
  listens(relay: Relay, line: string): void;
  /** Whether other workers serve with a loaded config. */
  isServed(): Promise<boolean>;
  /** Reports that the worker can't start. */
  fails(words: string): void;
  /** Sends the last metrics. */
  measured(): void;
}

/** A worker that is replaced is in no hurry: idle connections may have one more request. */
const restingMs = 5_000;

/** How long to wait for an answer about other workers. */
const servedMs = 2_000;

/**
 * Waits for the primary's `begin`. Call it at once: earlier messages are lost. Longer than 80 lines: the primary may call at
 * any time, so all calls are defined before the parts that answer them.
 */
export async function joinPrimary(metricsAsked: () => Promise<Metrics | undefined>): Promise<WorkerEnd> {
  let metrics: Metrics | undefined;
  let lead = () => {};
  let hears: ToWorker['hears'] = () => {};
  let press: ToWorker['pressed'] = () => {};
  let recall: ToWorker['recall'] = () => 0;
  let hasConfig = () => false;
  let waiting: string | undefined;
  let begin: (beginning: Beginning) => void = () => {};
  const begun = new Promise<Beginning>((resolve) => {
    begin = resolve;
  });
  let stop: (restMs?: number) => void = () => {};
  const stopped = new Promise<number | undefined>((resolve) => {
    stop = resolve;
  });
  const calls: ToWorker = {
    begin,
    leave: () => stop(restingMs),
    lead: () => lead(),
    hears: (...heard) => hears(...heard),
    pressed: (counts) => press(counts),
    hasConfig: () => hasConfig(),
    recall: () => recall(),
    measure: () => metrics?.snapshot(),
    waiting: (words) => {
      waiting = words;
    },
  };
  const channel = createChannel<ToPrimary>((message) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  }, calls);
  process.on('message', channel.hear);
  process.on('SIGTERM', () => stop());
  // The terminal sends these to the primary too, which handles them.
  process.on('SIGINT', () => {}).on('SIGHUP', () => {});
  process.on('disconnect', () => stop());
  // Otherwise the process would end with the primary, and lose requests under way.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;

  metrics = await metricsAsked();
  const beginning = await begun;
  const { worker, processes } = beginning;
  const settings = readSettings(process.env);
  const secret = settings.formTokenSecret || beginning.secret;
  const { memory, press: take } = createSharedMemory(channel, { now: Date.now, uuid: randomUUID, secret });
  press = take;
  const { throttleRate, throttleBurst } = settings;
  const throttle = createLeasedThrottle({
    lease: leaseOf(throttleBurst, processes),
    request: (unused, asking) => channel.ask('requests', [unused, asking]),
    own: createThrottle(throttleRate / processes, Math.max(1, throttleBurst / processes), Date.now),
    now: () => performance.now(),
  });
  recall = throttle.recall;
  let isLeader = false;
  const shared: SharedRelay = {
    processes,
    throttle,
    memory,
    about: { worker },
    log:
      (log: Log): Log =>
      (level, event, fields) => {
        if (isLoggedOnce(event) && process.connected) channel.tell('tells', level, event, fields);
        else log(level, event, fields);
      },
    waiting: () => waiting,
  };
  const observe: Observer =
    ({ formId = '' }) =>
    (event) => {
      if (!isLeader) for (const heard of heardIn(event)) channel.tell('heard', formId, heard);
    };
  return {
    observe,
    metrics,
    beginning,
    env: { ...process.env, ...sharesOf(settings, processes) },
    shared,
    stopped,
    listens: (relay, said) => {
      lead = () => {
        isLeader = true;
        waiting = undefined;
        relay.startTrying();
        tellWaiting(relay.watch);
      };
      hasConfig = () => relay.config.current !== undefined;
      hears = (form, heard) => relay.watch()?.hear(form, heard);
      channel.tell('listens', said);
    },
    isServed: () => channel.ask('isServed', [], servedMs).catch(() => false),
    fails: (words) => channel.tell('fails', words),
    measured: () => {
      if (metrics) channel.tell('measured', metrics.snapshot());
    },
  };

  function tellWaiting(watch: () => KeptMonitor | undefined): void {
    let told: string | undefined;
    setInterval(() => {
      const words = watch()?.words;
      if (words === told) return;
      told = words;
      channel.tell('waits', words);
    }, waitingEveryMs).unref();
  }
}

/** A worker's share of the limits. The throttle is shared, and the relay divides UPLOAD_BUDGET. */
function sharesOf(
  limits: Pick<
    ReturnType<typeof readSettings>,
    'connectionLimit' | 'clientConnectionLimit' | 'bodyBytesLimit' | 'submissionLimit'
  >,
  processes: number,
): Environment {
  const share = (limit: number) => Math.ceil(limit / processes);
  return {
    CONNECTION_LIMIT: `${share(limits.connectionLimit)}`,
    CLIENT_CONNECTION_LIMIT: `${share(limits.clientConnectionLimit)}`,
    BODY_BYTES_LIMIT: `${Math.max(maxBodyBytes, share(limits.bodyBytesLimit))}`,
    SUBMISSION_LIMIT: `${share(limits.submissionLimit)}`,
  };
}
