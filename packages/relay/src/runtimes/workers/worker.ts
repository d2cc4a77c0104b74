/** A worker's side of the primary. */
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

/** How often the others learn what waits of what is kept. */
const waitingEveryMs = 1_000;

export interface WorkerEnd {
  readonly metrics: Metrics | undefined;
  readonly beginning: Beginning;
  /** What `createRelay` gets. */
  readonly env: Environment;
  readonly shared: SharedRelay;
  readonly observe: Observer;
  /** Resolves when the worker is to end, with how long connections that rest are still read, in milliseconds. */
  readonly stopped: Promise<number | undefined>;
  /** It listens. */
  listens(relay: Relay, line: string): void;
  /** Whether others serve with a config that loaded. */
  isServed(): Promise<boolean>;
  /** It cannot start. */
  fails(words: string): void;
  /** Sends the last that it measured. */
  measured(): void;
}

/** Where a worker is replaced there is no hurry: clients whose connection rests may send one more request. */
const restingMs = 5_000;

/** How long it waits to hear of the others. Then it serves, whatever it serves with. */
const servedMs = 2_000;

/**
 * Waits for the primary's first word, then gives what it shares. Call it at once: what the primary says before is lost.
 * Longer than 80 lines: the primary may call anything at any time, so all calls stand before what answers them.
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
  // The terminal sends these to the primary, too, which knows what to do.
  process.on('SIGINT', () => {}).on('SIGHUP', () => {});
  process.on('disconnect', () => stop());
  // Or the cluster would end the process with the primary, and with it what is under way.
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

/** What each may take of the limits of the process (D62): the throttle is held together, and UPLOAD_BUDGET by the relay. */
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
