import type { Effects, Log } from '../base/effects.ts';
import { stackOf } from '../base/error_stack.ts';
import { inTime } from '../base/in_time.ts';
import { ok, type Result } from '../base/result.ts';
import { isBuilt, unlessCutOff, yamlOf } from './built/built_text.ts';
import { limitUploads } from './limit_uploads.ts';
import { type Config, type ParseResult, parseInLanguages } from './parse.ts';
import { type Print, printOf } from './print.ts';
import { formatProblem } from './problem.ts';
import type { ConfigSource, ReadBeside } from './source.ts';

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

/** One that can be told that there is something new. */
export interface ReloadableConfig extends ConfigCache {
  /** Loads it again, however fresh it is: now, or with the first request after the load that is under way. */
  reload(): void;
}

export interface CacheOptions {
  /** Wins over the config's own `cache_ttl` (D8). */
  readonly ttlMs?: number | undefined;
  /** Runs before a new config is served, and says in words for the owner why it cannot be. */
  readonly prepare?: ((config: Config) => Promise<Result<unknown, string> | undefined>) | undefined;
  /** Gets each new config. */
  readonly onLoad?: ((config: Config) => void) | undefined;
  /** Learns how each load ended, when the cache shows what follows from it. */
  readonly onEnd?: ((ending: LoadEnding) => void) | undefined;
  /** No form takes larger bodies. Default: what it says. */
  readonly mostBodyBytes?: number | undefined;
  /** How long requests wait for a refresh before they go on with the last good config. Default: 250. */
  readonly patienceMs?: number | undefined;
  /** Default: a large text is parsed as any other. */
  readonly parseLarge?: ParseLarge | undefined;
  /**
   * The same for a process that stops between requests: the first text, too, and each request that comes meanwhile lends it
   * its `patienceMs`.
   */
  readonly parseInPieces?: ParseLarge | undefined;
  /** Reads a built config part by part (D162). Default: its YAML is parsed as any other. */
  readonly readBuilt?: ReadBuilt | undefined;
}

/**
 * Parses a large text without stopping the process meanwhile, with the result of `parseInLanguages`; or says why, in
 * words for the owner, there is not enough memory or time to parse it.
 */
export type ParseLarge = (
  text: string,
  file: string,
  log: Log,
  read: ReadBeside,
) => Promise<Result<ParseResult, string>>;

/** Reads a built config with the result of `parseInLanguages`; `undefined` where its YAML has to be parsed. */
export type ReadBuilt = (
  text: string,
  file: string,
  log: Log,
  read: ReadBeside,
) => Promise<ParseResult | undefined>;

/** How a load may end: `unavailable` where nothing could be read, `invalid` where what was read is no config. */
export type LoadEnding = 'changed' | 'unchanged' | 'invalid' | 'unavailable';

/** The latest text of a config and what became of it. */
interface Latest {
  readonly text: string;
  /** What was read beside it, by path: files of languages, and lists, which are long. */
  readonly beside: Map<string, Print>;
  readonly result: ParseResult;
}

/** To parse this many characters takes some 10 ms, for which requests can wait (D46). */
const largeCharacters = 65_536;

/** A load that failed after so long was waited for; requests that come within `repeatedLogMs` do not wait for another. */
const slowMs = 1_000;

/** While there is no first config, failures to load one are logged at most this often. */
const repeatedLogMs = 1_000;

/**
 * The cache rests while its config is fresh. The first request after that starts a load, and those that come meanwhile
 * wait for the same one. Once there is a config they do not wait long: after `patienceMs`, or when a large text is to be
 * parsed, they go on with the last good config, and the load ends behind them. Then the cache rests again, however the
 * load ended: a failed refresh keeps the last good config for another time-to-live. While there is none, each request
 * starts a load (D10), unless one that hung has just failed. An unchanged text, good or not, is not parsed again, unless a file that it names has changed.
 */
export function createConfigCache(
  source: ConfigSource,
  { now, log }: Pick<Effects, 'now' | 'log'>,
  {
    ttlMs,
    mostBodyBytes = Infinity,
    patienceMs = 250,
    parseLarge,
    parseInPieces,
    readBuilt,
    prepare,
    onLoad,
    onEnd,
  }: CacheOptions = {},
): ReloadableConfig {
  /** The last good config. */
  let current: Config | undefined;
  let state: ConfigCache['state'] = 'never_loaded';
  /** When the last load ended; `undefined` while one is under way. There is never more than one. */
  let loadedAt: number | undefined;
  /** When a first load failed that had hung. */
  let gaveUpAt: number | undefined;
  /** Whether it is to be loaded again whatever its age. */
  let isAskedFor = false;
  /** The load that is under way. */
  let underWay: Promise<void> | undefined;
  /** What requests wait for; `undefined` when they need not. */
  let waiting: Promise<Config | undefined> | undefined;
  /** The latest text, good or not, and what became of it. */
  let latest: Latest | undefined;
  /** When a failure was last logged. */
  let loggedAt = -Infinity;

  function get(): Config | undefined | Promise<Config | undefined> {
    if (waiting) return waiting;
    if (current && !isStale(current) && !(parseInPieces && underWay)) return current;
    if (!current && gaveUpAt !== undefined && Math.abs(now() - gaveUpAt) < repeatedLogMs) return undefined;
    underWay ??= begin();
    const mayGoOn = underWay;
    waiting = (current ? inTime(patienceMs, mayGoOn, () => undefined) : mayGoOn).then(() => {
      waiting = undefined;
      return current;
    });
    return waiting;
  }

  /** Resolves when requests need not wait any longer. */
  function begin(): Promise<void> {
    loadedAt = undefined;
    isAskedFor = false;
    return new Promise<void>((goOn) => {
      const begunAt = now();
      const end = () => {
        loadedAt = now();
        gaveUpAt = !current && loadedAt - begunAt >= slowMs ? loadedAt : undefined;
        underWay = undefined;
        goOn();
      };
      void load(goOn).catch(failUnexpectedly).then(end);
    });
  }

  function isStale({ cacheTtlMs }: Config): boolean {
    if (loadedAt === undefined) return false;
    if (isAskedFor) return true;
    const ageMs = now() - loadedAt;
    // Below 0, the clock was set back, which must not put a load off.
    return ageMs < 0 || ageMs >= (ttlMs ?? cacheTtlMs);
  }

  /** `goOn` is called when requests need not wait any longer. */
  async function load(goOn: () => void): Promise<void> {
    const read = await source.read();
    if (!read.ok) return fail('config_unavailable', { reason: read.error });
    const text = read.value;
    const known = latest?.text === text && (await isUnchanged(latest.beside)) ? latest : undefined;
    const beside = known?.beside ?? new Map<string, Print>();
    const parsed = known ? ok(known.result) : await readOrParse(text, goOn, noting(beside));
    if (!parsed.ok) return fail('config_unavailable', { reason: parsed.error });
    const result = parsed.value;
    if (result.ok && !known) {
      const prepared = await prepare?.(result.value);
      // The text is not noted down, so the next load tries again.
      if (prepared && !prepared.ok) return fail('config_unavailable', { reason: prepared.error });
    }
    latest = { text, beside, result };
    if (!result.ok) return fail('config_invalid', { problems: result.error.map(formatProblem) });
    const config = known && current ? current : limitUploads(result.value, mostBodyBytes);
    current = config;
    // A known text is logged too when the last load failed: the log said then that it is not up to date.
    if (!known || state === 'refresh_failed') {
      log('info', 'config_loaded', { config: source.name, forms: config.forms.size });
    }
    state = 'fresh';
    if (!known) onLoad?.(config);
    onEnd?.(known ? 'unchanged' : 'changed');
  }

  async function readOrParse(
    text: string,
    goOn: () => void,
    read: ReadBeside,
  ): Promise<Result<ParseResult, string>> {
    if (!isBuilt(text)) return parse(text, goOn, read);
    const whole = unlessCutOff(text);
    if (!whole.ok) return whole;
    const built = await readBuilt?.(text, source.name, log, read);
    return built ? ok(built) : parse(yamlOf(text), goOn, read);
  }

  async function parse(
    text: string,
    goOn: () => void,
    read: ReadBeside,
  ): Promise<Result<ParseResult, string>> {
    const isLarge = text.length > largeCharacters;
    if (isLarge && parseInPieces) return parseInPieces(text, source.name, log, read);
    if (!current || !parseLarge || !isLarge) return ok(await parseInLanguages(text, source.name, read));
    goOn();
    return parseLarge(text, source.name, log, read);
  }

  /** Reads a file beside the config, and notes down what came of it. */
  const noting =
    (beside: Map<string, Print>): ReadBeside =>
    async (path) => {
      const file = await source.readBeside(path);
      beside.set(path, await printOf(file.ok ? file.value : `\0${file.error}`));
      return file;
    };

  async function isUnchanged(beside: Latest['beside']): Promise<boolean> {
    for (const [path, before] of beside) {
      const file = await source.readBeside(path);
      if ((await printOf(file.ok ? file.value : `\0${file.error}`)) !== before) return false;
    }
    return true;
  }

  function fail(event: 'config_unavailable' | 'config_invalid', why: object): void {
    if (current) state = 'refresh_failed';
    onEnd?.(event === 'config_invalid' ? 'invalid' : 'unavailable');
    // Until a first config is there, every request tries again (D10), probes too: they must not fill the log.
    const at = now();
    if (!current && at >= loggedAt && at - loggedAt < repeatedLogMs) return;
    loggedAt = at;
    const serving = current ? 'the last good config' : 'nothing';
    log('error', event, { config: source.name, ...why, serving });
  }

  /** A bug in the relay, or an effect of the owner's own that keeps no promise. */
  function failUnexpectedly(error: unknown): void {
    fail('config_unavailable', { reason: 'internal error', stack: stackOf(error) });
  }

  return {
    sourceName: source.name,
    get,
    reload() {
      isAskedFor = true;
      void get();
    },
    get current() {
      return current;
    },
    get state() {
      return state;
    },
  };
}
