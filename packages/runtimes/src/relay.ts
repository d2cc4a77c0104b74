import { stackOf } from '@form-relay/base/client_error';
import { limitLog } from '@form-relay/base/throttled';
import { UnderWay } from '@form-relay/base/under_way';
import { Cache, type CacheOptions, currentConfig, readinessOf } from '@form-relay/config/cache';
import { type PluginSources, parseConfig, registryFor } from '@form-relay/config/parse';
import { type SourceOptions, sourceFor } from '@form-relay/config/source';
import type { Config, ConfigCache } from '@form-relay/core/config';
import { corePlugin } from '@form-relay/core/core_plugin';
import { createApp } from '@form-relay/core/http/app';
import type { Observer, Platform, Plugin } from '@form-relay/core/plugin';
import type { Services } from '@form-relay/core/services';
import { type Environment, readSettings, type Settings } from '@form-relay/core/settings';
import { type BundledPlugin, loadedOnce, secretsOf } from '@form-relay/plugin-host/bundled_plugin';
import { refuseEachTaken, takenBy } from '@form-relay/plugin-host/claims';
import { checkEnvironment, createHealth } from './health.ts';
import { createLog, observers, type WriteLog, withPluginLog } from './log.ts';
import type { FormatLine } from './log_line.ts';
import { PluginHost } from './plugin_lifecycle.ts';
import type { OpenClients, Relay } from './running_relay.ts';
import { createUploadRoom } from './upload_room.ts';

/** The services of a runtime, without the log. */
export interface Runtime {
  readonly services: Omit<Services, 'log'>;
  readonly writeLog: WriteLog;
  /** Default: JSON. */
  readonly formatLog?: FormatLine | undefined;
  /** Closes connections that clients keep open. */
  close(): Promise<void>;
}

/** Opens a runtime's services with this clock, these variables and these client settings. */
export type OpenRuntime = (
  base: Pick<Services, 'now' | 'env'> & Partial<Pick<Settings, 'smtpEhloName' | 'logFormat'>>,
) => Runtime;

/** Makes a relay. Throws a `SettingError` that names every malformed environment variable. */
export function createRelay(options: RelayOptions, openRuntime: OpenRuntime): Relay {
  const env = options.env ?? process.env;
  const settings = withinLimit(readSettings(env, secretsOf(options.bundled)), options.maxBodyBytes);
  const { now = Date.now } = options.services ?? {};
  const readEnv = (name: string) => (Object.hasOwn(env, name) && env[name]) || undefined;
  const runtime = openRuntime({ ...settings, now, env: readEnv });
  const writing = createLog(now, settings.logLevel, runtime.writeLog, runtime.formatLog);
  const plugins = [corePlugin, ...(options.plugins ?? [])];
  const bundled = loadedOnce(options.bundled ?? []);
  refuseEachTaken(options.plugins ?? [], takenBy([corePlugin], bundled));
  const fail = (error: unknown) => services.log('error', 'internal_error', { stack: stackOf(error) });
  const plugged = new PluginHost(plugins, bundled, options.platform ?? 'node', fail);
  const underWay = new UnderWay(fail);
  const services: Services = {
    ...runtime.services,
    ...options.services,
    log: withPluginLog(options.services?.log ?? writing.log, plugged),
    ...(options.dryRun && { isDryRun: options.dryRun }),
  };
  const context = { services, mailFromAddress: settings.mailFromAddress };
  const source = sourceFor(options, settings, services);
  const sources = {
    bundled,
    checkPlatform: options.checkPlatform,
    plugins: {
      named: settings.plugins,
      folder: source.pluginFolder,
      mayLack: options.dryRun === true,
    },
  };
  const parse: CacheOptions['parse'] = (text, file, readText) =>
    parseConfig(text, file, plugins, context, sources, readText);
  const onRead = (loaded: Config) => checkEnvironment(loaded, settings, services);
  const follow = (loaded: Config) =>
    plugged.follow(loaded, options.dryRun ? undefined : pluginContext, () => underWay.next());
  const { freezes } = options;
  const onLoad = (loaded: Config) => {
    onRead(loaded);
    follow(loaded);
  };
  const clients = options.openClients?.({ plugins, context, sources, freezes, onRead, onLoad: follow });
  const one = () => new Cache(source, services, { ttlMs: settings.cacheTtlMs, freezes, parse, onLoad });
  const config = options.openConfig?.(parse) ?? clients ?? one();
  const pluginContext = {
    services,
    settings,
    config: currentConfig(config),
    livesOn: !options.freezes,
    hold: <T>(work: () => Promise<T>) => underWay.hold(work),
  };
  const handle = createApp({
    config,
    registry: { ...registryFor(plugins), ...(clients && { paths: clients.paths }) },
    observe: observers(services, options.observe, plugged),
    health: createHealth(config, services, () => readinessOf(plugged.plugins, fail)),
    pluginContext,
    underWay,
    throttled: options.throttled ?? true,
  });
  const { uploadBudget } = settings;
  const uploads = createUploadRoom(
    uploadBudget,
    services.now,
    limitLog(services, 'UPLOAD_BUDGET', uploadBudget),
  );
  return {
    handle: Object.assign(handle, { uploads }),
    settings,
    config,
    services,
    event: async (event, timeLeftMs) => {
      await config.get();
      return plugged.event(event, { ...pluginContext, timeLeftMs });
    },
    lostLogLines: writing.lost,
    flush: () => void writing.flush(),
    stopWork: () => plugged.stop(),
    close: async () => {
      clients?.close();
      plugged.stop();
      await underWay.idle();
      await plugged.close();
      await runtime.close();
      await writing.close();
    },
  };
}

const withinLimit = (settings: Settings, maxBodyBytes = Infinity): Settings =>
  settings.uploadBudget <= maxBodyBytes ? settings : { ...settings, uploadBudget: maxBodyBytes };

export interface RelayOptions extends SourceOptions {
  /** The environment variables, for settings and `{{ env "NAME" }}`. Default: `process.env`. */
  readonly env?: Environment;
  readonly plugins?: readonly Plugin[];
  /** Plug-ins to load for configs that use their keys or types. */
  readonly bundled?: readonly BundledPlugin[];
  /** Replaces some of the services: a log, a clock, an HTTP client, … */
  readonly services?: Partial<Services>;
  /** `false` if a proxy in front of the relay throttles for all copies together. Default: `true`. */
  readonly throttled?: boolean;
  /** Whether the process freezes between requests, so plug-ins do no background work. Default: `false`. */
  readonly freezes?: boolean;
  /** The platform of the process, for plug-ins. Default: `node`. */
  readonly platform?: Platform;
  /** Reports the parts of a config that the platform does not support. */
  readonly checkPlatform?: PluginSources['checkPlatform'];
  /** The platform's limit for the body of a request, in bytes. Default: UPLOAD_BUDGET. */
  readonly maxBodyBytes?: number;
  /** Shows what a submission would do: plug-ins run no background work (`start`) and store nothing. */
  readonly dryRun?: boolean | 'delivering';
  /** Called for each answered submission. */
  readonly observe?: Observer;
  /** Opens a config that has no source, such as one that is being edited. */
  readonly openConfig?: (parse: CacheOptions['parse']) => ConfigCache;
  /** @internal Opens a folder with a config for each client, if one is configured. */
  readonly openClients?: OpenClients | undefined;
}
