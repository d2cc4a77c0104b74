import type { Effects, Log } from '../effects.ts';
import { type Config, type ParseResult, parseConfig } from './parse.ts';
import { formatProblem } from './problem.ts';
import type { ConfigSource } from './source.ts';

/** The config in memory, fetched again when it is older than its time-to-live (SPEC: Configuration sources). */
export interface ConfigCache {
  /** How problems and logs name where it comes from. */
  readonly sourceName: string;
  /** The config, or `undefined` while none was ever loaded. Fresh configs come without waiting. */
  get(): Config | undefined | Promise<Config | undefined>;
  /** The config at hand, however old; `undefined` while none was ever loaded. */
  readonly current: Config | undefined;
  /** How the last load went. */
  readonly state: 'never_loaded' | 'fresh' | 'refresh_failed';
}

/**
 * Parses a large text without stopping the process meanwhile, with the result of `parseConfig`. Rejects when the text
 * cannot be parsed within the memory that there is; the message says so, for the operator.
 */
export type ParseLarge = (text: string, file: string, log: Log) => Promise<ParseResult>;

/** To parse this many characters takes some 10 ms, for which requests can wait (D46). */
const largeCharacters = 65_536;

/** A first config that cannot be had is told of once in so many milliseconds. */
const repeatedLogMs = 1_000;

/**
 * One load at a time, however many requests wait for it. A failed refresh keeps the last good config until the next
 * time-to-live ends; a failed first load is tried again by the next request (D10). An unchanged text, good or not, is
 * not parsed again. While `parseLarge` parses a changed text, the last good config serves: nobody waits for it.
 */
export function createConfigCache(
  source: ConfigSource,
  ttlOverrideMs: number | undefined,
  { now, log }: Pick<Effects, 'now' | 'log'>,
  parseLarge?: ParseLarge,
): ConfigCache {
  let current: Config | undefined;
  /** The latest text, good or not, and what became of it. */
  let parsed: { readonly text: string; readonly result: ParseResult } | undefined;
  let loading: Promise<Config | undefined> | undefined;
  /** No other load starts at these times. Before, the clock was set back, which must not put a load off. */
  let fresh = { from: Infinity, until: -Infinity };
  let state: ConfigCache['state'] = 'never_loaded';
  /** When a failure was last logged. */
  let loggedAt = -Infinity;

  async function load(): Promise<Config | undefined> {
    try {
      const text = await source.read();
      if (parsed?.text === text) use(parsed.result, false);
      else if (current && parseLarge && text.length > largeCharacters) {
        void refresh(text, parseLarge);
        return current;
      } else accept(text, parseConfig(text, source.name));
    } catch (error) {
      failToRead(error);
    }
    keep();
    return current;
  }

  async function refresh(text: string, parse: ParseLarge): Promise<void> {
    fresh = { from: -Infinity, until: Infinity };
    try {
      accept(text, await parse(text, source.name, log));
    } catch (error) {
      failToRead(error);
    }
    keep();
  }

  function accept(text: string, result: ParseResult): void {
    use(result, true);
    parsed = { text, result };
  }

  function keep(): void {
    if (!current) return;
    const from = now();
    fresh = { from, until: from + (ttlOverrideMs ?? current.cacheTtlMs) };
  }

  function isFresh(): boolean {
    const at = now();
    return at >= fresh.from && at < fresh.until;
  }

  function use(result: ParseResult, isNew: boolean): void {
    if (!result.ok) {
      fail('config_invalid', { problems: result.problems.map(formatProblem) });
      return;
    }
    current = result.config;
    // The same text again, after it could not be had, is worth a line: the last one says that it is not served.
    const isNews = isNew || state === 'refresh_failed';
    state = 'fresh';
    if (isNews) log('info', 'config_loaded', { config: source.name, forms: current.forms.size });
  }

  function failToRead(error: unknown): void {
    fail('config_unavailable', { reason: error instanceof Error ? error.message : 'unknown' });
  }

  function fail(event: string, fields: object): void {
    state = current ? 'refresh_failed' : 'never_loaded';
    // Until a first config is there, every request tries again (D10), probes too: they must not fill the log.
    const at = now();
    if (!current && at >= loggedAt && at - loggedAt < repeatedLogMs) return;
    loggedAt = at;
    log('error', event, {
      config: source.name,
      ...fields,
      serving: current ? 'the last good config' : 'nothing',
    });
  }

  return {
    sourceName: source.name,
    get current() {
      return current;
    },
    get state() {
      return state;
    },
    get() {
      if (loading) return loading;
      if (current && isFresh()) return current;
      loading = load().finally(() => {
        loading = undefined;
      });
      return loading;
    },
  };
}
