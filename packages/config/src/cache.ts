import { stackOf } from '@form-relay/base/client_error';
import { chain, type MaybePromise } from '@form-relay/base/maybe_promise';
import type { Result } from '@form-relay/base/result';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Config, ConfigCache, ConfigState, LoadResult } from '@form-relay/core/config';
import type { CurrentConfig, Plugin, Readiness } from '@form-relay/core/plugin';
import type { Log, Services } from '@form-relay/core/services';
import type { ReadText } from '@form-relay/yaml/config_text';
import { formatProblem } from '@form-relay/yaml/problem';
import type { ParseResult } from './parse.ts';
import type { ConfigSource } from './source.ts';

export interface CacheOptions {
  /** Overrides the config's own `cache_ttl`. */
  readonly ttlMs?: number | undefined;
  readonly parse: (text: string, file: string, readText: ReadText) => Promise<ParseResult>;
  /** How long requests wait for a refresh before they get the last good config, in milliseconds. Default: 250. */
  readonly patienceMs?: number | undefined;
  /**
   * Whether the process freezes between requests. If so, each request waits up to `patienceMs`, so that a
   * load can make progress.
   */
  readonly freezes?: boolean | undefined;
  readonly onLoad?: ((config: Config) => void) | undefined;
}

/** A failed first load that took longer than this had hung. For a second after that, requests do not wait for another load. */
const slowMs = 1_000;

/** The minimum interval between logged failures before the first config. */
const repeatedLogMs = 1_000;

/**
 * Loads the config on demand. The first request after the time-to-live starts a load, and later ones join it.
 * Once there is a config, requests wait only a moment and then get the last good one. After a failed refresh,
 * the last good config is used for another time-to-live. Before the first config, each request starts a load.
 * An unchanged text, valid or not, is not parsed again.
 */
export class Cache implements ConfigCache {
  readonly sourceName: string;
  readonly #source: ConfigSource;
  readonly #now: Services['now'];
  readonly #log: Log;
  readonly #options: CacheOptions;
  current: Config | undefined;
  state: ConfigState = 'never_loaded';
  readonly loads: Record<LoadResult, number> = { changed: 0, unchanged: 0, invalid: 0, unavailable: 0 };
  checkedAt: number | undefined;
  /** When the last load ended; `undefined` during a load. At most one load runs at a time. */
  #loadedAt: number | undefined;
  /** When a first load that had hung failed. */
  #gaveUpAt: number | undefined;
  #isRequested = false;
  #underWay: Promise<void> | undefined;
  /** The promise that requests wait for; `undefined` if they don't have to wait. */
  #waiting: Promise<Config | undefined> | undefined;
  #latest:
    | { readonly text: string; readonly siblings: ReadonlyMap<string, string>; readonly result: ParseResult }
    | undefined;
  #loggedAt = -Infinity;

  constructor(source: ConfigSource, { now, log }: Pick<Services, 'now' | 'log'>, options: CacheOptions) {
    this.sourceName = source.name;
    this.#source = source;
    this.#now = now;
    this.#log = log;
    this.#options = options;
  }

  reload(): void {
    this.#isRequested = true;
    void this.get();
  }

  get(): Config | undefined | Promise<Config | undefined> {
    const { current } = this;
    const { freezes, patienceMs = 250 } = this.#options;
    if (this.#waiting) return this.#waiting;
    if (current && !this.#isStale(current) && !(freezes && this.#underWay)) return current;
    if (!current && this.#gaveUpAt !== undefined && Math.abs(this.#now() - this.#gaveUpAt) < repeatedLogMs)
      return undefined;
    this.#underWay ??= this.#begin();
    const underWay = this.#underWay;
    this.#waiting = (current ? withTimeout(patienceMs, underWay, () => undefined) : underWay).then(() => {
      this.#waiting = undefined;
      return this.current;
    });
    return this.#waiting;
  }

  #begin(): Promise<void> {
    this.#loadedAt = undefined;
    this.#isRequested = false;
    const begunAt = this.#now();
    return this.#load()
      .catch((error) => this.#fail('config_unavailable', { reason: 'internal error', stack: stackOf(error) }))
      .then(() => {
        const endedAt = this.#now();
        this.#loadedAt = endedAt;
        this.#gaveUpAt = !this.current && endedAt - begunAt >= slowMs ? endedAt : undefined;
        this.#underWay = undefined;
      });
  }

  #isStale({ cacheTtlMs }: Config): boolean {
    if (this.#loadedAt === undefined) return false;
    if (this.#isRequested) return true;
    const ageMs = this.#now() - this.#loadedAt;
    // A negative age means that the clock was set back, which must not delay a load.
    return ageMs < 0 || ageMs >= (this.#options.ttlMs ?? cacheTtlMs);
  }

  async #load(): Promise<void> {
    const read = await this.#source.read();
    if (!read.ok) return this.#fail('config_unavailable', { reason: read.error });
    const text = read.value;
    const latest = this.#latest;
    const known = latest?.text === text && (await this.#isUnchanged(latest.siblings)) ? latest : undefined;
    const { siblings, result } = known ?? (await this.#parse(text));
    const mayPass = !result.ok && result.error.some((problem) => problem.mayPass);
    this.#latest = mayPass ? undefined : { text, siblings, result };
    if (!result.ok) return this.#fail('config_invalid', { problems: result.error.map(formatProblem) });
    this.current = result.value;
    // After a failure, the log must also say that an unchanged text is in use again.
    if (!known || this.state === 'refresh_failed') {
      const { forms, namedPlugins: plugins } = result.value;
      const ofPlugins = plugins.length > 0 && { plugins };
      this.#log('info', 'config_loaded', { config: this.sourceName, forms: forms.size, ...ofPlugins });
    }
    this.state = 'fresh';
    this.loads[known ? 'unchanged' : 'changed'] += 1;
    this.checkedAt = this.#now();
    if (known) return;
    const outputs = untypedOutputs(result.value);
    if (outputs.length > 0) this.#log('warn', 'output_types_unknown', { config: this.sourceName, outputs });
    this.#options.onLoad?.(result.value);
  }

  /** Parses a text, and records the fingerprints of its sibling files. */
  async #parse(text: string) {
    const siblings = new Map<string, string>();
    const readText: ReadText = async (path) => {
      const file = await this.#source.readSibling(path);
      siblings.set(path, fingerprintOf(file));
      return file;
    };
    return { siblings, result: await this.#options.parse(text, this.sourceName, readText) };
  }

  async #isUnchanged(siblings: ReadonlyMap<string, string>): Promise<boolean> {
    for (const [path, before] of siblings)
      if (fingerprintOf(await this.#source.readSibling(path)) !== before) return false;
    return true;
  }

  #fail(event: string, why: object): void {
    if (this.current) this.state = 'refresh_failed';
    this.loads[event === 'config_invalid' ? 'invalid' : 'unavailable'] += 1;
    // Before the first config, every request and probe tries again, which must not flood the log.
    const at = this.#now();
    if (!this.current && at >= this.#loggedAt && at - this.#loggedAt < repeatedLogMs) return;
    this.#loggedAt = at;
    const serving = this.current ? 'the last good config' : 'nothing';
    this.#log('error', event, { config: this.sourceName, ...why, serving });
  }
}

/**
 * Outputs whose type no plug-in provides, for example because the config does not list the plug-in. Every
 * submission to them fails.
 */
const untypedOutputs = ({ forms }: Config): readonly string[] =>
  [...forms].flatMap(([name, { outputs }]) =>
    outputs.flatMap(({ type, transport }, index) =>
      // A long type may have swallowed other keys, and their secrets.
      transport ? [] : [`forms.${name}.outputs[${index}]: ${/^[\w-]{1,40}$/.test(type) ? type : '…'}`],
    ),
  );

/** The text, or the SHA-256 hash of a long one, because a list of 16 MB is too large to keep twice. */
function fingerprintOf(file: Result<string, string>): string {
  const text = file.ok ? file.value : `\0${file.error}`;
  if (text.length <= 10_000) return text;
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('base64');
}

/** The current config as plug-ins see it. */
export const currentConfig = (config: ConfigCache): CurrentConfig => ({
  forms: () => chain(config.get(), (loaded) => loaded?.forms),
  get state() {
    return config.state;
  },
});

/**
 * The readiness checks that plug-ins add to `/readyz`. Most add none. @param fail Reports a plug-in that
 * throws, which counts as not ready.
 */
export function readinessOf(
  plugins: readonly Plugin[],
  fail: (error: unknown) => void,
): MaybePromise<readonly Readiness[]> {
  const asked = plugins.filter(({ readiness }) => readiness);
  if (asked.length === 0) return [];
  const answers = asked.map(async ({ name, readiness }) => {
    try {
      return (await readiness?.()) ?? [];
    } catch (error) {
      fail(error);
      return {
        says: `the plug-in "${name}" cannot report whether it is ready; see the log`,
        isUnready: true,
      };
    }
  });
  return Promise.all(answers).then((all) => all.flat());
}
