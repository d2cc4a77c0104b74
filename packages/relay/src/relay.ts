import type { Effects, Log } from './base/effects.ts';
import { stackOf } from './base/error_stack.ts';
import type { Listener, Observer } from './base/event.ts';
import { late, lateFunction } from './base/late.ts';
import { onceASecond } from './base/once_a_second.ts';
import type { Result } from './base/result.ts';
import { createUuids } from './base/uuids.ts';
import { createConfigCache, type ParseLarge, type ReadBuilt, type ReloadableConfig } from './config/cache.ts';
import { createVariables, variablesUsedIn } from './config/needed_variables.ts';
import type { Config } from './config/parse.ts';
import { type ConfigSource, configSource, fileSource, noSource, textSource } from './config/source.ts';
import type { KeptDeliveries } from './keeping/kept_deliveries.ts';
import type { KeptMonitor } from './keeping/monitor.ts';
import { type Environment, readSettings, type Settings } from './schema/settings/settings.ts';
import { createApp, type Handle, type Shared } from './street/app.ts';
import { createLog } from './telling/log.ts';
import type { Metrics } from './telling/metrics/metrics.ts';
import { stderrFormat, writeStderr } from './telling/stderr.ts';
import { submissionLog } from './telling/submission_log.ts';
import { createTransports } from './transports/index.ts';
import { readTextFile } from './transports/text_file.ts';

/** What a relay is made from; everything has a default. */
export interface RelayOptions {
  /** The environment variables: settings, and what `{{ env "NAME" }}` reads. Default: `process.env`. */
  readonly env?: Environment;
  /** The config as YAML text. It wins over every other source. */
  readonly config?: string;
  /** The path of the config. It wins over what the environment says. */
  readonly configFile?: string;
  /** The path of the config where the environment says nothing. */
  readonly fallbackConfigFile?: string;
  /** Parts of the outside world, replaced: a log, a clock, an HTTP client, … */
  readonly effects?: Partial<Effects>;
  /** `false` where something in front of the relay throttles for all its copies. Default: `true`. */
  readonly throttled?: boolean;
  /**
   * How long requests wait for a config that is fetched again, before they go on with the last good one. Default: 250.
   */
  readonly refreshPatienceMs?: number;
  /** How many bytes the runtime lets through at once, where forms may say more. */
  readonly mostBodyBytes?: number;
  /** Whether this process delivers what is kept, beside what it relays. Default: `true`. */
  readonly triesAgain?: boolean;
  /** Hears what happens to each submission, beside the log: packages/relay/src/base/event.ts. */
  readonly observe?: Observer;
  /** Parses a large config that changed. Default: as any other, which stops the process meanwhile (D46). */
  readonly parseLarge?: ParseLarge;
  /** What it shares with other processes that serve the same port. Default: it serves alone. */
  readonly shared?: SharedRelay | undefined;
  /** The same for a process that is stopped between requests, which each lend it a moment (D133). */
  readonly parseInPieces?: ParseLarge;
  /** Reads a built config part by part. Default: its YAML is parsed as any other (D162). */
  readonly readBuilt?: ReadBuilt;
  /**
   * Fetches variables that a new config uses and the environment lacks, before that config is served. An error keeps the
   * last good one. Default: nothing is fetched.
   */
  readonly readSecrets?: ((wanted: ReadonlySet<string>) => Promise<Result<Environment, string>>) | undefined;
  /** What measures it, made by `createMetrics` of `form-relay/metrics` for this relay alone. */
  readonly metrics?: Metrics | undefined;
}

/** What a relay shares with other processes that serve the same port. */
export interface SharedRelay extends Shared {
  /** The beginning of each line of its own log, which tells it from the others. */
  readonly about: object;
  /** The same log, without what the others log, too. */
  readonly log: (log: Log) => Log;
  /** What is kept and waits, where another one watches over it. */
  readonly waiting: () => string | undefined;
}

export interface Relay {
  /** Answers a plain request object. Never rejects. */
  readonly handle: Handle;
  readonly settings: Settings;
  readonly config: ReloadableConfig;
  readonly effects: Effects;
  /** What keeps, and delivers what is kept; for runtimes that are called when something is due. */
  keeping(): Promise<KeptDeliveries>;
  /** Writes out what was logged; for runtimes that may stop at any moment after an answer. */
  flush(): void;
  /** What watches over what is kept, once it does. */
  readonly watch: () => KeptMonitor | undefined;
  /** Delivers what is kept from now on, where `triesAgain` was `false`. */
  startTrying(): void;
  /** Begins no more tries of what is kept, for a process that is about to end. */
  stopTrying(): void;
  /** Lets deliveries under way end, then closes connections and writes out the log, if somebody reads it. */
  close(): Promise<void>;
}

/** Makes a relay. Throws a `SettingError` that names every malformed environment variable (D8). */
export function createRelay(options: RelayOptions = {}): Relay {
  const { metrics, shared } = options;
  let triesAgain = options.triesAgain ?? true;
  const env = options.env ?? process.env;
  const settings = readSettings(env);
  const now = options.effects?.now ?? Date.now;
  const patterns = late(async () =>
    (await import('./fields/pattern/pattern_thread.ts')).createPatternThread(),
  );
  const http = late(async () => (await import('./transports/http/http_client.ts')).createHttpClient());
  const smtp = late(async () => {
    const { createSmtpClient } = await import('./transports/smtp/smtp_client.ts');
    return createSmtpClient({ now, ehloName: settings.smtpEhloName, processes: shared?.processes });
  });
  const storeFile = late(async () => (await import('./transports/folder/store_file.ts')).createStoreFile());
  const log = createLog(writeStderr, now, {
    format: () => stderrFormat(settings, shared?.about),
    level: settings.logLevel,
  });
  const given = options.effects?.log ?? log;
  const counted = metrics?.counting(given) ?? given;
  const logged = shared?.log(counted) ?? counted;
  /** What `readSecrets` fetched. */
  const secrets = new Map<string, string | undefined>();
  const readEnv = (name: string) => (Object.hasOwn(env, name) && env[name]) || secrets.get(name);
  const aws = late(async () => (await import('./transports/aws/account.ts')).ownAws(readEnv, now));
  const s3 = late(() => import('./transports/aws/s3_request.ts'));
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
      }),
    resolve4: async (...question) => (await import('./transports/resolve4.ts')).resolve4(...question),
    tryFolder: async (...folder) => (await import('./transports/folder/store_file.ts')).tryFolder(...folder),
    scanFile: async (task) => (await import('./transports/clamd/clamd.ts')).scanFile(task),
    ...options.effects,
    log: unbreakable(logged),
  };
  const source = chooseSource(options, settings, effects);
  const variables = createVariables(settings, effects);
  const folders = late(async () => (await import('./street/folders.ts')).createFolders(effects));
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
      if (folders.loading !== undefined || writesIntoFolders(loaded))
        void folders.load().then((one) => one.check(loaded));
      if (triesAgain) tryAgain(loaded);
    },
    mostBodyBytes: Math.min(settings.uploadBudget, options.mostBodyBytes ?? Infinity),
    patienceMs: options.refreshPatienceMs,
    parseLarge: options.parseLarge,
    parseInPieces: options.parseInPieces,
    readBuilt: options.readBuilt,
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
  /** What happens to the first submissions may happen before the watch is there, which hears of it then. */
  const observeLate: Observer = (submission) => (event) => {
    const { kind } = event;
    // The watch listens for nothing else, and most submissions have none of it.
    if (kind !== 'delivery_kept' && kind !== 'keep_failed' && kind !== 'kept_tried') return;
    if (watching.value) watching.value.observe(submission)(event);
    else void watching.loading?.then((one) => one.observe(submission)(event));
  };
  const { handle, idle, underWay } = createApp({
    settings,
    config,
    variables,
    folders: () => folders.loading,
    waiting: () => watching.value?.words ?? shared?.waiting(),
    effects,
    transports,
    observers,
    keeper: () => keeping.load(),
    throttled: options.throttled ?? true,
    shared,
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
    flush: () => void log.flush(),
    watch: () => watching.value,
    startTrying: () => {
      if (triesAgain) return;
      triesAgain = true;
      if (config.current) tryAgain(config.current);
    },
    stopTrying,
    close: async () => {
      stopTrying();
      await idle();
      await (await watching.loading)?.close();
      await (await keeping.loading)?.close();
      await http.value?.close();
      smtp.value?.close();
      await patterns.value?.close();
      await log.close();
    },
  };
}

/** Of a function on AWS Lambda that builds its forms late, no folder outlives it. */
const writesIntoFolders = ({ forms }: Config): boolean =>
  !forms.late &&
  [...forms.values()].some(({ outputs }) => outputs.some(({ target }) => target?.via === 'folder'));

function repeat(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => clearInterval(timer);
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A log that cannot be written must fail no submission: a delivered one would be answered 500, and sent again. */
const unbreakable =
  (log: Log): Log =>
  (...event) => {
    try {
      log(...event);
    } catch {}
  };

/** Neither may one that somebody listens with, now or, where it is asynchronous, later. */
function unbreakableObserver(observe: Observer, { log, now }: Effects): Observer {
  const tell = onceASecond(now, (times, error: unknown) =>
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
  { config, configFile, fallbackConfigFile }: RelayOptions,
  settings: Settings,
  effects: Effects,
): ConfigSource {
  if (config !== undefined) return textSource('config', config);
  if (configFile !== undefined) return fileSource(configFile, effects);
  const fallback = fallbackConfigFile === undefined ? noSource : fileSource(fallbackConfigFile, effects);
  return configSource(settings, effects) ?? fallback;
}
