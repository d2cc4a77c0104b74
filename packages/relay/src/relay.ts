import type { TellOwner } from './base/bounces.ts';
import { ClientError, stackOf } from './base/client_error.ts';
import type { Effects, Log } from './base/effects.ts';
import type { Listener, Observer, StreetEvent } from './base/event.ts';
import { type Late, late, lateFunction } from './base/late.ts';
import type { Result } from './base/result.ts';
import type { Soon } from './base/soon.ts';
import { throttledReport } from './base/throttled.ts';
import { createUuids } from './base/uuids.ts';
import { createConfigCache, type ReloadableConfig } from './config/cache.ts';
import { createVariables, variablesUsedIn } from './config/needed_variables.ts';
import type { Config, Lacking } from './config/parse.ts';
import { storesOfCloudflare } from './config/platforms/cloudflare.ts';
import { type ConfigSource, configSource, fileSource, noSource, textSource } from './config/source.ts';
import { archive } from './features/archive.ts';
import { keepDropped } from './features/keep_dropped/keep_dropped.ts';
import { storedFor } from './features/keys/keys.ts';
import type { Form } from './form.ts';
import type { KeptDeliveries } from './keeping/kept_deliveries.ts';
import type { Memory } from './memory/memory.ts';
import { type Environment, readSettings, type Settings } from './schema/settings/settings.ts';
import { createApp, type Handle } from './street/app.ts';
import { createLog } from './telling/log.ts';
import type { Metrics } from './telling/metrics/metrics.ts';
import { stderrFormat, writeStderr } from './telling/stderr.ts';
import { submissionLog } from './telling/submission_log.ts';
import type { NodeHttp } from './transports/http/node_client.ts';
import { createTransports } from './transports/index.ts';
import { readTextFile } from './transports/text_file.ts';

/** The parts of a relay; all have a default. */
export interface RelayOptions {
  /** The environment variables, for settings and `{{ env "NAME" }}`. Default: `process.env`. */
  readonly env?: Environment;
  /** The config as YAML text. Overrides every other source. */
  readonly config?: string;
  /** Where else the config comes from. Overrides the other sources. */
  readonly source?: ConfigSource | undefined;
  /** The path of the config. Overrides the environment. */
  readonly configFile?: string;
  /** The path of the config if the environment names none. */
  readonly fallbackConfigFile?: string;
  /** Parts of the outside world, replaced: a log, a clock, an HTTP client, … */
  readonly effects?: Partial<Effects>;
  /** How AWS is reached. Default: Node's own client. */
  readonly awsHttp?: NodeHttp | undefined;
  /** Finds the object that the platform binds to a name. Default: nothing is bound, and a config that needs such an object does not load. */
  readonly binding?: ((name: string) => unknown) | undefined;
  /** Finds what a config asks for and the platform cannot do; such a config does not load. Default: nothing. */
  readonly lacking?: Lacking | undefined;
  /** `false` if something in front of the relay throttles for all its copies. Default: `true`. */
  readonly throttled?: boolean;
  /** How long requests wait for a config that is fetched again before they use the last good one. Default: 250. */
  readonly refreshPatienceMs?: number;
  /** Whether the process freezes between requests: then each request lends a load in progress `refreshPatienceMs`. */
  readonly freezes?: boolean;
  /** The largest body that the runtime lets through, in bytes. */
  readonly mostBodyBytes?: number;
  /** Whether this process retries kept deliveries. Default: `true`. */
  readonly triesAgain?: boolean;
  /** Gets the events of each submission: packages/relay/src/base/event.ts. */
  readonly observe?: Observer;
  /** What the relay remembers of clients. Default: its own, in this process. */
  readonly memory?: Memory | undefined;
  /**
   * Fetches variables that a new config uses and the environment lacks, before that config is served. An error keeps the
   * last good one. Default: nothing is fetched.
   */
  readonly readSecrets?: ((wanted: ReadonlySet<string>) => Promise<Result<Environment, string>>) | undefined;
  /** Metrics of `createMetrics` of `form-relay/metrics`, made for this relay alone. */
  readonly metrics?: Metrics | undefined;
}

export interface Relay {
  /** Answers a plain request object. Never rejects. */
  readonly handle: Handle;
  readonly settings: Settings;
  readonly config: ReloadableConfig;
  readonly effects: Effects;
  /** Kept deliveries, for runtimes that are called when some are due. */
  keeping(): Promise<KeptDeliveries>;
  /** Flushes the log and the journal, for runtimes that may be frozen after an answer. Waits only for a journal. */
  flush(): Soon<void>;
  /** Begins no more retries, for a process that is about to end. */
  stopTrying(): void;
  /** Waits for deliveries under way, then closes connections and flushes the log. */
  close(): Promise<void>;
}

/** Work beside submissions. */
interface Chore {
  /** Starts it, or goes on by another config. */
  start(config: Config): void;
  close(): Promise<void>;
}

/** Makes a relay. Throws a `SettingError` that names every malformed environment variable. */
export function createRelay(options: RelayOptions = {}): Relay {
  const { metrics, triesAgain = true } = options;
  const env = options.env ?? process.env;
  const settings = readSettings(env);
  const now = options.effects?.now ?? Date.now;
  const patterns = late(async () =>
    (await import('./fields/pattern/pattern_thread.ts')).createPatternThread(),
  );
  const http = late(async () => (await import('./transports/http/http_client.ts')).createHttpClient());
  const smtp = late(async () => {
    const { createSmtpClient } = await import('./transports/smtp/smtp_client.ts');
    return createSmtpClient({ now, ehloName: settings.smtpEhloName });
  });
  const storeFile = late(async () => (await import('./transports/folder/store_file.ts')).createStoreFile());
  const log = createLog(writeStderr, now, {
    format: () => stderrFormat(settings),
    level: settings.logLevel,
  });
  const given = options.effects?.log ?? log;
  const logged = metrics?.counting(given) ?? given;
  /** The secrets that `readSecrets` fetched. */
  const secrets = new Map<string, string | undefined>();
  const readEnv = (name: string) => (Object.hasOwn(env, name) && env[name]) || secrets.get(name);
  const aws = late(async () =>
    (await import('./transports/aws/account.ts')).ownAws(readEnv, now, options.awsHttp),
  );
  const s3 = late(() => import('./transports/aws/s3_request.ts'));
  const counters = late(async () =>
    (await import('./counting/counters.ts')).createCounters({
      readEnv,
      aws: await aws.load(),
      now,
      binding: options.binding,
    }),
  );
  const waiting = { random: Math.random, sleep, ...options.effects };
  const effects: Effects = {
    now,
    env: readEnv,
    uuid: createUuids(),
    random: Math.random,
    sleep,
    repeat,
    readFile: readTextFile,
    http: lateFunction(http),
    smtp: lateFunction(smtp),
    ses: lateFunction(
      late(async () => (await import('./transports/ses/ses_client.ts')).createSesClient(await aws.load())),
    ),
    readObject: lateFunction(late(async () => (await s3.load()).createS3Client(await aws.load(), waiting))),
    storeFile: lateFunction(storeFile),
    putObject: lateFunction(late(async () => (await s3.load()).createPutObject(await aws.load()))),
    matchPatterns: async (form, tasks) => (await patterns.load()).match(form, tasks),
    openStore: async (keep) =>
      (await import('./keeping/stores/index.ts')).openStore(keep, {
        readEnv,
        aws: await aws.load(),
        now,
        mostKept: settings.uploadBudget,
        binding: options.binding,
      }),
    openCounter: async (place) => (await counters.load()).at(place),
    openTexts: async (place) => (await counters.load()).texts(place),
    tryFolder: async (...folder) => (await import('./transports/folder/store_file.ts')).tryFolder(...folder),
    sweepDropped: async (asked) => (await import('./transports/folder/sweep_dropped.ts')).sweepDropped(asked),
    pruneArchive: notHere,
    appendLines: async (lines) => (await import('./transports/folder/journal_folder.ts')).appendLines(lines),
    removeJournal: async (days) =>
      (await import('./transports/folder/journal_folder.ts')).removeJournal(days),
    scanFile: async (task) => (await import('./transports/clamd/clamd.ts')).scanFile(task),
    ...options.effects,
    log: unbreakable(logged),
  };
  const source = chooseSource(options, settings, effects);
  const variables = createVariables(settings, effects);
  const stores = late(async () => (await import('./street/stores.ts')).createStores(effects));
  const bounceAlerts = late(async () => {
    const { createBounceAlerts } = await import('./keeping/bounce_alerts.ts');
    return createBounceAlerts({ settings, config, effects, transports, observers });
  });
  const alert: TellOwner = async (...told) => (await bounceAlerts.load()).tell(...told);
  /** With the configs that need them, in the order in which they end. */
  const chores: readonly (readonly [(loaded: Config) => boolean, Late<Chore>])[] = [
    [
      (loaded) => isAnyForm(loaded, keepDropped.of),
      late(async () => (await import('./keeping/dropped_sweeper.ts')).createDroppedSweeper(effects)),
    ],
    [
      (loaded) => isAnyForm(loaded, archive.of),
      late(async () => {
        const { createArchivePruner } = await import('./keeping/archive_pruner.ts');
        return createArchivePruner({ settings, config, effects, transports, observers });
      }),
    ],
  ];
  const { readSecrets } = options;
  const supply = async (loaded: Config) => {
    const lacking = [...variablesUsedIn(loaded)].filter((name) => !readEnv(name));
    const read = await readSecrets?.(new Set(lacking));
    for (const [name, value] of Object.entries(read?.ok ? read.value : {})) secrets.set(name, value);
    return read;
  };
  const config = createConfigCache(source, effects, {
    prepare: readSecrets && supply,
    ttlMs: settings.cacheTtlMs,
    onLoad: (loaded) => {
      variables.check(loaded);
      const paths = foldersOf(loaded);
      if (stores.loading !== undefined || paths.length > 0 || isAnyForm(loaded, storedFor))
        void stores.load().then((one) => one.check(paths, [...loaded.forms.values()]));
      if (triesAgain) tryAgain(loaded);
      if (loaded.journal || journaling.loading !== undefined) keepJournal(loaded);
    },
    mostBodyBytes: Math.min(settings.uploadBudget, options.mostBodyBytes ?? Infinity),
    patienceMs: options.refreshPatienceMs,
    freezes: options.freezes,
    lacking: options.binding ? options.lacking : storesOfCloudflare,
    onEnd: metrics?.loaded,
  });
  const transports = createTransports(effects, settings.mailFromAddress);
  const observers: Observer[] = [submissionLog(effects.log, now), ...(metrics ? [metrics.observe] : [])];
  if (options.observe) observers.push(unbreakableObserver(options.observe, effects));
  const keeping = late(async () => {
    const { KeptDeliveries } = await import('./keeping/kept_deliveries.ts');
    return new KeptDeliveries({ settings, config, effects, transports, observers });
  });
  const tryAgain = (loaded: Config) => {
    // Also when the latest config keeps nothing any more.
    if (loaded.keep || keeping.loading !== undefined) void keeping.load().then((one) => one.start(loaded));
    if (loaded.keep || loaded.heartbeat || watching.loading !== undefined)
      void watcher().then((one) => one.start(loaded));
    for (const [isNeeded, chore] of chores)
      if (chore.loading !== undefined || isNeeded(loaded)) void chore.load().then((one) => one.start(loaded));
  };
  const stopTrying = () => void keeping.loading?.then((one) => one.stop());
  const watching = late(async () => {
    const { KeptMonitor } = await import('./keeping/monitor.ts');
    const world = { settings, config, effects, transports, observers, variables };
    return new KeptMonitor(world, async (keep) => (await keeping.load()).store(keep));
  });
  const watcher = () => {
    if (watching.loading === undefined) observers.push(observeLate);
    return watching.load();
  };
  /** Queues events of the first submissions until the monitor has loaded. */
  const observeLate: Observer = (submission) => (event) => {
    const { kind } = event;
    // The monitor needs no other events, and most submissions have none of these.
    if (kind !== 'delivery_kept' && kind !== 'keep_failed' && kind !== 'kept_tried') return;
    if (watching.value) watching.value.observe(submission)(event);
    else void watching.loading?.then((one) => one.observe(submission)(event));
  };
  const journaling = late(async () => (await import('./telling/journal/journal.ts')).keepJournal(effects));
  const keepJournal = (loaded: Config) => {
    if (journaling.loading === undefined) observers.push(journalLate);
    journaling.load().then(
      (one) => one.start(loaded.journal),
      (error) => effects.log('error', 'internal_error', { stack: stackOf(error) }),
    );
  };
  /** Queues events of the first submissions until the journal has loaded. */
  const journalLate: Observer = (submission) => {
    if (journaling.value) return journaling.value.observe(submission);
    let listener: Listener | undefined;
    const events: StreetEvent[] = [];
    void journaling.loading?.then(
      (one) => {
        listener = one.observe(submission);
        events.forEach(listener);
      },
      () => {},
    );
    return (event) => (listener ? listener(event) : void events.push(event));
  };
  const { handle, idle, underWay } = createApp({
    settings,
    config,
    variables,
    stores: () => stores.loading,
    waiting: () => watching.value?.words,
    effects,
    transports,
    observers,
    alert,
    keeper: () => keeping.load(),
    throttled: options.throttled ?? true,
    memory: options.memory,
    answered: metrics?.answered,
  });
  if (metrics) {
    metrics.begin({ now, config, lostLines: log.lost, kept: () => watching.value?.seen });
    metrics.level('submissions_under_way', underWay, settings.submissionLimit);
    metrics.level('upload_bytes', () => handle.uploads?.taken ?? 0, settings.uploadBudget);
  }
  return {
    handle,
    settings,
    config,
    effects,
    keeping: () => keeping.load(),
    flush: () => {
      log.flush();
      return journaling.loading?.then((one) => one.flush());
    },
    stopTrying,
    close: async () => {
      stopTrying();
      await idle();
      for (const [, chore] of chores) await (await chore.loading)?.close();
      await (await bounceAlerts.loading)?.close();
      await (await watching.loading)?.close();
      await (await keeping.loading)?.close();
      await (await journaling.loading?.catch(() => undefined))?.close();
      await (await counters.loading?.catch(() => undefined))?.close();
      await http.value?.close();
      smtp.value?.close();
      await patterns.value?.close();
      await log.close();
    },
  };
}

/** The folders that forms write into. */
function foldersOf(config: Config): readonly string[] {
  const paths = new Set<string>();
  for (const form of config.forms.values()) {
    for (const { target } of form.outputs) if (target?.via === 'folder') paths.add(target.folder);
    const counted = storedFor(form);
    if (counted?.kind === 'folder') paths.add(counted.path);
  }
  return [...paths];
}

const isAnyForm = (config: Config, of: (form: Form) => unknown): boolean =>
  [...config.forms.values()].some((form) => of(form) !== undefined);

/** Removing is the command's, which reads archives. */
async function notHere(): Promise<never> {
  throw new ClientError(
    'this program cannot remove old submissions; run `relay archive prune` once a day, from a timer',
  );
}

function repeat(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => clearInterval(timer);
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A log that fails must not fail a submission: a delivered one would be answered 500, and sent again. */
const unbreakable =
  (log: Log): Log =>
  (...event) => {
    try {
      log(...event);
    } catch {}
  };

/** Nor must an observer that throws or, if it is asynchronous, rejects. */
function unbreakableObserver(observe: Observer, { log, now }: Effects): Observer {
  const tell = throttledReport(now, (times, error: unknown) =>
    log('error', 'observer_failed', { times, stack: stackOf(error) }),
  );
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      const done = work();
      if (done instanceof Promise) done.catch(tell);
      return done;
    } catch (error) {
      tell(error);
      return undefined;
    }
  };
  return (submission) => {
    const listen: Listener | undefined = attempt(() => observe(submission));
    return (event) => attempt(() => listen?.(event));
  };
}

function chooseSource(
  { config, source, configFile, fallbackConfigFile }: RelayOptions,
  settings: Settings,
  effects: Effects,
): ConfigSource {
  if (source) return source;
  if (config !== undefined) return textSource('config', config);
  if (configFile !== undefined) return fileSource(configFile, effects);
  const fallback = fallbackConfigFile === undefined ? noSource : fileSource(fallbackConfigFile, effects);
  return configSource(settings, effects) ?? fallback;
}
