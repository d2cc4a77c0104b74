import { stackOf } from './base/client_error.ts';
import { loadedOnce } from './config/bundled.ts';
import { Cache, type CacheOptions, type ConfigCache } from './config/cache.ts';
import { currentConfig, readinessOf } from './config/current.ts';
import { checkEnvironment } from './config/environment.ts';
import { parseConfig, registryFor } from './config/parse.ts';
import { sourceFor } from './config/source.ts';
import { supplySecrets } from './config/supply_secrets.ts';
import { corePlugin } from './core_plugin.ts';
import { createApp, type Handle } from './http/app.ts';
import { createLog, heardBy, type LogTarget } from './log.ts';
import { observers } from './observe.ts';
import { passEvent, takersOf } from './platform_event.ts';
import { createPlugged } from './plugged.ts';
import type { RelayOptions } from './relay_options.ts';
import type { Services } from './services.ts';
import { readSettings, type Settings } from './settings.ts';

export type { RelayOptions } from './relay_options.ts';

export interface Relay {
  /** Answers a plain request object. Never rejects. */
  readonly handle: Handle;
  readonly settings: Settings;
  readonly config: ConfigCache;
  readonly services: Services;
  /** Passes an event of the platform that is not a request to its plug-in. `undefined`: no plug-in takes it. */
  event(event: unknown, timeLeftMs: number): Promise<{ readonly result: unknown } | undefined>;
  /** How many lines of the log were lost because no reader took them. */
  lostLogLines(): number;
  /** Flushes the log and what plug-ins hold back, for runtimes that may be frozen after an answer. */
  flush(): Promise<void>;
  /** Starts no more work beside requests, such as retries: the process is about to end. */
  stopWork(): void;
  /** Waits for deliveries in progress, then closes connections and flushes the log. */
  close(): Promise<void>;
}

/** The services of a runtime, without the log. */
export interface Runtime {
  readonly services: Omit<Services, 'log'>;
  readonly logTo: (settings: Settings) => LogTarget;
  /** Closes the connections that its clients keep open. */
  close(): Promise<void>;
}

/** Opens the services of a runtime with this clock and these variables. */
export type OpenRuntime = (base: Pick<Services, 'now' | 'env'>) => Runtime;

/** Makes a relay. Throws a `SettingError` that names every malformed environment variable. */
export function createRelay(options: RelayOptions, openRuntime: OpenRuntime): Relay {
  const env = options.env ?? process.env;
  const settings = withinLimit(readSettings(env), options.maxBodyBytes);
  const { now = Date.now } = options.services ?? {};
  const secrets = new Map<string, string>();
  const readEnv = (name: string) => (Object.hasOwn(env, name) && env[name]) || secrets.get(name);
  const runtime = openRuntime({ now, env: readEnv });
  const writing = createLog(now, settings.logLevel, runtime.logTo(settings));
  const plugins = [corePlugin, ...(options.plugins ?? [])];
  const plugged = createPlugged(plugins, (error) =>
    services.log('error', 'internal_error', { stack: stackOf(error) }),
  );
  const services: Services = {
    ...runtime.services,
    ...options.services,
    log: heardBy(options.services?.log ?? writing.log, plugged.current),
    ...(options.dryRun && { isDryRun: options.dryRun }),
  };
  const context = { services, mailFromAddress: settings.mailFromAddress };
  const bundled = loadedOnce(options.bundled ?? []);
  const source = sourceFor(options, settings, services);
  const sources = {
    bundled,
    checkPlatform: options.checkPlatform,
    isAllowed: (name: string) => source.isTrusted === true || settings.plugins.includes(name),
  };
  const parse: CacheOptions['parse'] = (text, file, readText) =>
    parseConfig(text, file, plugins, context, sources, readText);
  const config =
    options.openConfig?.(parse) ??
    new Cache(source, services, {
      ttlMs: settings.cacheTtlMs,
      freezes: options.freezes,
      prepare: options.readSecrets && supplySecrets(options.readSecrets, readEnv, secrets),
      parse,
      onLoad: (loaded) => {
        checkEnvironment(loaded, settings, services);
        plugged.follow(loaded, options.dryRun ? undefined : pluginContext);
      },
    });
  const pluginContext = {
    services,
    settings,
    config: currentConfig(config, services),
    livesOn: !options.freezes,
  };
  const { handle, idle } = createApp({
    settings,
    config,
    registry: registryFor(plugins),
    services,
    observe: observers(services, options.observe, plugged.current),
    readiness: () => readinessOf(plugged.current()),
    pluginContext,
    throttled: options.throttled ?? true,
  });
  return {
    handle,
    settings,
    config,
    services,
    event: async (event, timeLeftMs) => {
      await config.get();
      return passEvent(event, plugged.start(await takersOf(bundled)), { ...pluginContext, timeLeftMs });
    },
    lostLogLines: writing.lost,
    flush: async () => {
      await plugged.flush();
      writing.flush();
    },
    stopWork: plugged.stop,
    close: async () => {
      plugged.stop();
      await idle();
      await plugged.close();
      await runtime.close();
      await writing.close();
    },
  };
}

const withinLimit = (settings: Settings, maxBodyBytes = Infinity): Settings =>
  settings.uploadBudget <= maxBodyBytes ? settings : { ...settings, uploadBudget: maxBodyBytes };
