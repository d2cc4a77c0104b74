import type { BundledPlugin } from './config/bundled.ts';
import type { CacheOptions, ConfigCache } from './config/cache.ts';
import type { PluginSources } from './config/parse.ts';
import type { SourceOptions } from './config/source.ts';
import type { ReadSecrets } from './config/supply_secrets.ts';
import type { Observer, Plugin } from './plugin.ts';
import type { Services } from './services.ts';
import type { Environment } from './settings.ts';

/** The parts of a relay; all have a default. */
export interface RelayOptions extends SourceOptions {
  /** The environment variables, for settings and `{{ env "NAME" }}`. Default: `process.env`. */
  readonly env?: Environment;
  /** Plug-ins for all configs. */
  readonly plugins?: readonly Plugin[];
  /** Plug-ins that are loaded for configs that use their keys or types. */
  readonly bundled?: readonly BundledPlugin[];
  /** Replaces some of the services: a log, a clock, an HTTP client, … */
  readonly services?: Partial<Services>;
  /** Fetches the values of variables that a config uses and that are not set, or returns why it cannot. */
  readonly readSecrets?: ReadSecrets | undefined;
  /** `false` if a proxy in front of the relay throttles for all copies. Default: `true`. */
  readonly throttled?: boolean;
  /** Whether the process freezes between requests, as a function does: then plug-ins do no background work. Default: `false`. */
  readonly freezes?: boolean;
  /** Reports the parts of a config that the platform cannot do. */
  readonly checkPlatform?: PluginSources['checkPlatform'];
  /** The platform's limit for the body of a request, in bytes. Default: UPLOAD_BUDGET. */
  readonly maxBodyBytes?: number;
  /** Shows what a submission would do: plug-ins run no background work (`onConfig`) and store nothing. */
  readonly dryRun?: boolean | 'delivering';
  /** Called for each submission once it is answered. */
  readonly observe?: Observer;
  /** Opens a config that is not read from a source, such as one that is being edited. */
  readonly openConfig?: (parse: CacheOptions['parse']) => ConfigCache;
}
