import { stackOf } from '../base/client_error.ts';
import type { Effects, Log } from '../base/effects.ts';
import { inTime } from '../base/in_time.ts';
import { ok, type Result } from '../base/result.ts';
import { isBuilt, unlessCutOff, yamlOf } from './built/built_text.ts';
import { type Fingerprint, fingerprintOf } from './fingerprint.ts';
import { limitUploads } from './forms.ts';
import { type Config, type Lacking, type ParseResult, parseInLanguages } from './parse.ts';
import { formatProblem } from './problem.ts';
import type { ConfigSource, ReadBeside } from './source.ts';

/** The config in memory, fetched again when its time-to-live is over (SPEC: Configuration sources). */
export interface ConfigCache {
  /** The source's name in problems and logs. */
  readonly sourceName: string;
  /** The config; `undefined` until one was loaded. Returns a fresh config synchronously. */
  get(): Config | undefined | Promise<Config | undefined>;
  /** The last good config, however old; `undefined` until one was loaded. */
  readonly current: Config | undefined;
  /** The result of the last load. */
  readonly state: 'never_loaded' | 'fresh' | 'refresh_failed';
}

export interface ReloadableConfig extends ConfigCache {
  /** Reloads the config even if it is fresh: now, or with the first request after the load in progress. */
  reload(): void;
}

export interface CacheOptions {
  /** Overrides the config's own `cache_ttl`. */
  readonly ttlMs?: number | undefined;
  /** Runs before a new config is served; returns the reason, for the owner, if it cannot be. */
  readonly prepare?: ((config: Config) => Promise<Result<unknown, string> | undefined>) | undefined;
  /** Receives each new config. */
  readonly onLoad?: ((config: Config) => void) | undefined;
  /** Receives the result of each load once the cache reflects it. */
  readonly onEnd?: ((ending: LoadEnding) => void) | undefined;
  /** The body limit of all forms. Default: each form's own. */
  readonly mostBodyBytes?: number | undefined;
  /** How long requests wait for a refresh before they get the last good config. Default: 250. */
  readonly patienceMs?: number | undefined;
  /** Parses large texts. Default: like other texts. */
  readonly parseLarge?: ParseLarge | undefined;
  /**
   * Parses large texts, including the first, in a process that freezes between requests: each request meanwhile lends
   * it `patienceMs`.
   */
  readonly parseIncrementally?: ParseLarge | undefined;
  /** Reads a built config part by part. Default: its YAML is parsed. */
  readonly readBuilt?: ReadBuilt | undefined;
  /** Finds what the platform cannot do. */
  readonly lacking?: Lacking | undefined;
  /** Rejects a config that loads on another platform only. Runs after each way to parse. Default: rejects nothing. */
  readonly admit?: Admit | undefined;
}

/**
 * Parses a large text without blocking the process, with the result of `parseInLanguages`; or returns the reason, for
 * the owner, why memory or time does not suffice.
 */
export type ParseLarge = (
  text: string,
  file: string,
  log: Log,
  read: ReadBeside,
) => Promise<Result<ParseResult, string>>;

/** Reads a built config with the result of `parseInLanguages`; `undefined` if its YAML must be parsed. */
export type ReadBuilt = (
  text: string,
  file: string,
  log: Log,
  read: ReadBeside,
) => Promise<ParseResult | undefined>;

export type Admit = (result: ParseResult, text: string, file: string) => Promise<ParseResult>;

/** The result of a load. `unavailable`: nothing could be read; `invalid`: the text is not a valid config. */
export type LoadEnding = 'changed' | 'unchanged' | 'invalid' | 'unavailable';

/** The latest text and its result. */
interface Latest {
  readonly text: string;
  /** Fingerprints by path of the files read beside it: languages, and lists, which are long. */
  readonly beside: Map<string, Fingerprint>;
  readonly result: ParseResult;
}

/** Parsing this many characters takes about 10 ms, for which requests can wait. */
const largeCharacters = 65_536;

/** A load that failed after this long had hung; for `repeatedLogMs` afterwards, requests do not wait for another. */
const slowMs = 1_000;

/** The least interval between logged failures before the first config. */
const repeatedLogMs = 1_000;

/**
 * Loads the config on demand. The first request after its time-to-live starts a load, and later ones join it. Once
 * there is a config, requests wait at most `patienceMs`, and not at all while a large text is parsed; then they get the
 * last good config. A failed refresh keeps it for another time-to-live. Before the first config, each request starts a
 * load, unless one that hung has just failed. An unchanged text, valid or not, is not parsed again unless a file
 * that it names has changed.
 */
export const createConfigCache = (
  source: ConfigSource,
  effects: Pick<Effects, 'now' | 'log'>,
  options: CacheOptions = {},
): ReloadableConfig => new Cache(source, effects, options);

class Cache implements ReloadableConfig {
  readonly #source: ConfigSource;
  readonly #now: Effects['now'];
  readonly #log: Log;
  readonly #options: CacheOptions;
  #current: Config | undefined;
  #state: ConfigCache['state'] = 'never_loaded';
  /** When the last load ended; `undefined` during a load. There is never more than one. */
  #loadedAt: number | undefined;
  /** When a first load failed that had hung. */
  #gaveUpAt: number | undefined;
  /** Whether `reload` was called since the last load began. */
  #isAskedFor = false;
  /** The load in progress. */
  #underWay: Promise<void> | undefined;
  /** The promise that requests wait for; `undefined` if they need not wait. */
  #waiting: Promise<Config | undefined> | undefined;
  #latest: Latest | undefined;
  /** When a failure was last logged. */
  #loggedAt = -Infinity;

  constructor(source: ConfigSource, { now, log }: Pick<Effects, 'now' | 'log'>, options: CacheOptions) {
    this.#source = source;
    this.#now = now;
    this.#log = log;
    this.#options = options;
  }

  get sourceName(): string {
    return this.#source.name;
  }

  get current(): Config | undefined {
    return this.#current;
  }

  get state(): ConfigCache['state'] {
    return this.#state;
  }

  reload(): void {
    this.#isAskedFor = true;
    void this.get();
  }

  get(): Config | undefined | Promise<Config | undefined> {
    const current = this.#current;
    const { parseIncrementally, patienceMs = 250 } = this.#options;
    if (this.#waiting) return this.#waiting;
    if (current && !this.#isStale(current) && !(parseIncrementally && this.#underWay)) return current;
    if (!current && this.#gaveUpAt !== undefined && Math.abs(this.#now() - this.#gaveUpAt) < repeatedLogMs)
      return undefined;
    this.#underWay ??= this.#begin();
    const mayGoOn = this.#underWay;
    this.#waiting = (current ? inTime(patienceMs, mayGoOn, () => undefined) : mayGoOn).then(() => {
      this.#waiting = undefined;
      return this.#current;
    });
    return this.#waiting;
  }

  /** Starts a load. Resolves when requests need not wait any longer. */
  #begin(): Promise<void> {
    this.#loadedAt = undefined;
    this.#isAskedFor = false;
    return new Promise<void>((goOn) => {
      const begunAt = this.#now();
      const end = () => {
        const endedAt = this.#now();
        this.#loadedAt = endedAt;
        this.#gaveUpAt = !this.#current && endedAt - begunAt >= slowMs ? endedAt : undefined;
        this.#underWay = undefined;
        goOn();
      };
      // Catches bugs in the relay, and in injected effects.
      const failUnexpectedly = (error: unknown) =>
        this.#fail('config_unavailable', { reason: 'internal error', stack: stackOf(error) });
      void this.#load(goOn).catch(failUnexpectedly).then(end);
    });
  }

  #isStale({ cacheTtlMs }: Config): boolean {
    if (this.#loadedAt === undefined) return false;
    if (this.#isAskedFor) return true;
    const ageMs = this.#now() - this.#loadedAt;
    // A negative age means that the clock was set back, which must not delay a load.
    return ageMs < 0 || ageMs >= (this.#options.ttlMs ?? cacheTtlMs);
  }

  /** Calls `goOn` when requests need not wait any longer. */
  async #load(goOn: () => void): Promise<void> {
    const { admit, prepare, mostBodyBytes = Infinity, onLoad, onEnd } = this.#options;
    const read = await this.#source.read();
    if (!read.ok) return this.#fail('config_unavailable', { reason: read.error });
    const text = read.value;
    const latest = this.#latest;
    const known = latest?.text === text && (await this.#isUnchanged(latest.beside)) ? latest : undefined;
    const beside = known?.beside ?? new Map<string, Fingerprint>();
    const parsed = known ? ok(known.result) : await this.#readOrParse(text, goOn, this.#noting(beside));
    if (!parsed.ok) return this.#fail('config_unavailable', { reason: parsed.error });
    const result = admit && !known ? await admit(parsed.value, text, this.#source.name) : parsed.value;
    if (result.ok && !known) {
      const prepared = await prepare?.(result.value);
      // Don't remember the text, so that the next load tries again.
      if (prepared && !prepared.ok) return this.#fail('config_unavailable', { reason: prepared.error });
    }
    // A font may be installed later, and no text changes then.
    const mayPass = !result.ok && result.error.some(({ code }) => code === 'font_unreadable');
    this.#latest = mayPass ? undefined : { text, beside, result };
    if (!result.ok) return this.#fail('config_invalid', { problems: result.error.map(formatProblem) });
    const config = known && this.#current ? this.#current : limitUploads(result.value, mostBodyBytes);
    this.#current = config;
    // After a failure, the log must also say that a known text is current again.
    if (!known || this.#state === 'refresh_failed') {
      this.#log('info', 'config_loaded', { config: this.#source.name, forms: config.forms.size });
    }
    this.#state = 'fresh';
    if (!known) onLoad?.(config);
    onEnd?.(known ? 'unchanged' : 'changed');
  }

  async #readOrParse(text: string, goOn: () => void, read: ReadBeside): Promise<Result<ParseResult, string>> {
    if (!isBuilt(text)) return this.#parse(text, goOn, read);
    const whole = unlessCutOff(text);
    if (!whole.ok) return whole;
    const built = await this.#options.readBuilt?.(text, this.#source.name, this.#log, read);
    return built ? ok(built) : this.#parse(yamlOf(text), goOn, read);
  }

  async #parse(text: string, goOn: () => void, read: ReadBeside): Promise<Result<ParseResult, string>> {
    const { parseIncrementally, parseLarge, lacking } = this.#options;
    const { name } = this.#source;
    const isLarge = text.length > largeCharacters;
    if (isLarge && parseIncrementally) return parseIncrementally(text, name, this.#log, read);
    if (!this.#current || !parseLarge || !isLarge)
      return ok(await parseInLanguages(text, name, read, lacking));
    goOn();
    return parseLarge(text, name, this.#log, read);
  }

  /** Reads a file beside the config and remembers its fingerprint. */
  #noting(beside: Map<string, Fingerprint>): ReadBeside {
    return async (path) => {
      const file = await this.#source.readBeside(path);
      beside.set(path, await fingerprintOfFile(file));
      return file;
    };
  }

  async #isUnchanged(beside: Latest['beside']): Promise<boolean> {
    for (const [path, before] of beside) {
      if ((await fingerprintOfFile(await this.#source.readBeside(path))) !== before) return false;
    }
    return true;
  }

  #fail(event: 'config_unavailable' | 'config_invalid', why: object): void {
    if (this.#current) this.#state = 'refresh_failed';
    this.#options.onEnd?.(event === 'config_invalid' ? 'invalid' : 'unavailable');
    // Before the first config, every request and probe tries again, which must not flood the log.
    const at = this.#now();
    if (!this.#current && at >= this.#loggedAt && at - this.#loggedAt < repeatedLogMs) return;
    this.#loggedAt = at;
    const serving = this.#current ? 'the last good config' : 'nothing';
    this.#log('error', event, { config: this.#source.name, ...why, serving });
  }
}

const fingerprintOfFile = (file: Result<string, string>): Promise<Fingerprint> =>
  fingerprintOf(file.ok ? file.value : `\0${file.error}`);
