import type { Effects } from '../effects.ts';
import { type Config, parseConfig } from './parse.ts';
import { formatProblem } from './problem.ts';
import type { ConfigSource } from './source.ts';

/** The config in memory, fetched again when it is older than its time-to-live (SPEC: Configuration sources). */
export interface ConfigCache {
  readonly source: ConfigSource;
  /** The config, or `undefined` while none was ever loaded. Fresh configs come without waiting. */
  get(): Config | undefined | Promise<Config | undefined>;
  /** The config at hand, however old; `undefined` while none was ever loaded. */
  readonly current: Config | undefined;
  /** How the last load went. */
  readonly state: 'never_loaded' | 'fresh' | 'refresh_failed';
}

/**
 * One load at a time, however many requests wait for it. A failed refresh keeps the last good config until the next
 * time-to-live ends; a failed first load is tried again by the next request (D10). An unchanged text is not parsed
 * again.
 */
export function createConfigCache(
  source: ConfigSource,
  ttlOverrideMs: number | undefined,
  { now, log }: Pick<Effects, 'now' | 'log'>,
): ConfigCache {
  let loaded: { text: string; config: Config } | undefined;
  let loading: Promise<Config | undefined> | undefined;
  let freshUntil = -Infinity;
  let state: ConfigCache['state'] = 'never_loaded';

  async function load(): Promise<Config | undefined> {
    try {
      const text = await source.read();
      if (text === loaded?.text) {
        state = 'fresh';
      } else {
        const result = parseConfig(text, source.name);
        if (result.ok) {
          loaded = { text, config: result.config };
          state = 'fresh';
          log('info', 'config_loaded', { config: source.name, forms: result.config.forms.size });
        } else {
          fail('config_invalid', { problems: result.problems.map(formatProblem) });
        }
      }
    } catch (error) {
      fail('config_unavailable', { reason: error instanceof Error ? error.message : 'unknown' });
    }
    if (loaded) freshUntil = now() + (ttlOverrideMs ?? loaded.config.cacheTtlMs);
    return loaded?.config;
  }

  function fail(event: string, fields: object): void {
    state = loaded ? 'refresh_failed' : 'never_loaded';
    log('error', event, {
      config: source.name,
      ...fields,
      serving: loaded ? 'the last good config' : 'nothing',
    });
  }

  return {
    source,
    get current() {
      return loaded?.config;
    },
    get state() {
      return state;
    },
    get() {
      if (loading) return loading;
      if (loaded && now() < freshUntil) return loaded.config;
      loading = load().finally(() => {
        loading = undefined;
      });
      return loading;
    },
  };
}
