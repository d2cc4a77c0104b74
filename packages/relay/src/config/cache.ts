import { stackOf } from '../base/client_error.ts';
import type { Effects, Log } from '../base/effects.ts';
import type { Result } from '../base/result.ts';
import { inTime } from '../base/soon.ts';
import { inputsOf } from '../fields/field.ts';
import type { Form } from '../form.ts';
import { type Config, type Lacking, type ParseResult, parseInLanguages } from './parse.ts';
import { formatProblem } from './problem.ts';
import { type ConfigSource, type Fingerprint, fingerprintOf, type ReadBeside } from './source.ts';

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
  readonly onLoad?: ((config: Config) => void) | undefined;
  /** Receives the result of each load once the cache reflects it. */
  readonly onEnd?: ((ending: LoadEnding) => void) | undefined;
  /** The body limit of all forms. Default: each form's own. */
  readonly mostBodyBytes?: number | undefined;
  /** How long requests wait for a refresh before they get the last good config. Default: 250. */
  readonly patienceMs?: number | undefined;
  /** Whether the process freezes between requests: then each request lends a load in progress `patienceMs`. */
  readonly freezes?: boolean | undefined;
  /** Finds what the platform cannot do. */
  readonly lacking?: Lacking | undefined;
}

/** The result of a load. `unavailable`: nothing could be read; `invalid`: the text is not a valid config. */
export type LoadEnding = 'changed' | 'unchanged' | 'invalid' | 'unavailable';

interface Latest {
  readonly text: string;
  /** Fingerprints by path of the files read beside it: languages, and lists, which are long. */
  readonly beside: Map<string, Fingerprint>;
  readonly result: ParseResult;
}

/** A load that failed after this long had hung; for `repeatedLogMs` afterwards, requests do not wait for another. */
const slowMs = 1_000;

/** The least interval between logged failures before the first config. */
const repeatedLogMs = 1_000;

/**
 * Loads the config on demand. The first request after its time-to-live starts a load, and later ones join it. Once
 * there is a config, requests wait at most `patienceMs`; then they get the last good config. A failed refresh keeps it for another time-to-live. Before the first config, each request starts a
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
    const { freezes, patienceMs = 250 } = this.#options;
    if (this.#waiting) return this.#waiting;
    if (current && !this.#isStale(current) && !(freezes && this.#underWay)) return current;
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

  async #begin(): Promise<void> {
    this.#loadedAt = undefined;
    this.#isAskedFor = false;
    const begunAt = this.#now();
    try {
      await this.#load();
    } catch (error) {
      // Catches bugs in the relay, and in injected effects.
      this.#fail('config_unavailable', { reason: 'internal error', stack: stackOf(error) });
    }
    const endedAt = this.#now();
    this.#loadedAt = endedAt;
    this.#gaveUpAt = !this.#current && endedAt - begunAt >= slowMs ? endedAt : undefined;
    this.#underWay = undefined;
  }

  #isStale({ cacheTtlMs }: Config): boolean {
    if (this.#loadedAt === undefined) return false;
    if (this.#isAskedFor) return true;
    const ageMs = this.#now() - this.#loadedAt;
    // A negative age means that the clock was set back, which must not delay a load.
    return ageMs < 0 || ageMs >= (this.#options.ttlMs ?? cacheTtlMs);
  }

  async #load(): Promise<void> {
    const { prepare, lacking, mostBodyBytes = Infinity, onLoad, onEnd } = this.#options;
    const read = await this.#source.read();
    if (!read.ok) return this.#fail('config_unavailable', { reason: read.error });
    const text = read.value;
    const latest = this.#latest;
    const known = latest?.text === text && (await this.#isUnchanged(latest.beside)) ? latest : undefined;
    const beside = known?.beside ?? new Map<string, Fingerprint>();
    const result =
      known?.result ?? (await parseInLanguages(text, this.#source.name, this.#noting(beside), lacking));
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

type Forms = ReadonlyMap<string, Form>;

/** Lowers the limits of forms to what the relay can receive, and the limits that visitors read with them. */
function limitUploads<C extends { readonly forms: Forms }>(config: C, mostBytes: number): C {
  const { forms } = config;
  if (![...forms.values()].some(({ bodyLimit }) => bodyLimit > mostBytes)) return config;
  return { ...config, forms: mapped(forms, (form) => limited(form, mostBytes)) };
}

function limited(form: Form, mostBytes: number): Form {
  if (form.bodyLimit <= mostBytes) return form;
  const fields = form.fields.map((field) => field.within?.(mostBytes) ?? field);
  return {
    ...form,
    bodyLimit: mostBytes,
    fields,
    inputs: inputsOf(fields),
    variants: mapped(form.variants, (variant) => limited(variant, mostBytes)),
  };
}

const mapped = (forms: Forms, change: (form: Form) => Form): Forms =>
  new Map([...forms].map(([name, form]) => [name, change(form)]));
