import type { MaybePromise } from '@form-relay/base/maybe_promise';
import { withTimeout } from '@form-relay/base/with_timeout';
import { closersIn } from '@form-relay/config/parse';
import type { Config } from '@form-relay/core/config';
import type { Closer } from '@form-relay/core/form';
import { type Life, LifeEnd, type Platform, type Plugin, type PluginContext } from '@form-relay/core/plugin';
import type { BundledPlugin } from '@form-relay/plugin-host/bundled_plugin';

type EventContext = Parameters<NonNullable<Plugin['onEvent']>>[1];

/** How much of the shutdown time plug-ins may take. The process itself ends a little later. */
const closingMs = 25_000;

/** A config, the lifetimes of its plug-ins, and the work to await before closing it. */
interface Era {
  readonly config: Pick<Config, 'forms' | 'shared'> & Partial<Config>;
  readonly lives: Map<Plugin, AbortController>;
  readonly drained: Promise<void>;
  readonly onDrained: () => void;
}

/** Starts and stops a relay's plug-ins with its configs. A failing plug-in stops neither the others nor an answer. */
export class PluginHost {
  /** The plug-ins of the current config. */
  plugins: readonly Plugin[];
  #era: Era = eraOf({ forms: new Map(), shared: { get: () => undefined, values: () => [] } });
  /** Work to wait for before the process ends. */
  readonly #work = new Set<Promise<unknown>>();
  #isStopping = false;
  #isClosing = false;

  constructor(
    always: readonly Plugin[],
    private readonly bundled: readonly BundledPlugin[],
    private readonly platform: Platform,
    private readonly fail: (error: unknown) => void,
  ) {
    this.plugins = always;
  }

  /**
   * Switches to another config. Without a context, no plug-in runs outside of requests.
   *
   * @param turn Resolves once everything that began earlier has ended.
   */
  follow(config: Config, context: PluginContext | undefined, turn: () => Promise<void>): void {
    // If a config loads after the last request, nothing else would stop what its plug-ins start.
    if (this.#isClosing) {
      const closed = new Set(closersIn({ further: [], ...this.#era.config }));
      this.#wait(this.#close(eraOf(config), closed));
      return;
    }
    this.plugins = config.registry.plugins;
    const before = this.#era;
    this.#era = eraOf(config);
    if (context) for (const plugin of this.plugins) this.#start(plugin, context);
    const { lives } = this.#era;
    for (const [plugin, life] of before.lives)
      life.abort(new LifeEnd(lives.has(plugin) ? 'replaced' : 'removed'));
    if (this.#isStopping) this.#stop();
    // Forms of clients with unchanged configs keep running.
    const kept = new Set(closersIn(config));
    this.#wait(turn().then(() => this.#close(before, kept)));
  }

  /**
   * Passes an event to the first plug-in that accepts it. Includes bundled plug-ins that the config no longer
   * names, because messages may still be queued.
   */
  async event(event: unknown, context: EventContext): Promise<{ readonly result: unknown } | undefined> {
    const takers = await Promise.all(this.bundled.flatMap((one) => (one.takesEvents ? one.load() : [])));
    const plugins = new Set([...this.plugins, ...takers]);
    for (const plugin of plugins) if (!this.#era.lives.has(plugin)) this.#start(plugin, context);
    for (const { onEvent } of plugins) {
      const taken = onEvent?.(event, context);
      if (taken) return { result: await taken };
    }
    return undefined;
  }

  /** Starts no more work, because the process is about to end. */
  stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#stop();
  }

  #stop(): void {
    for (const life of this.#era.lives.values()) life.abort(new LifeEnd('stopping'));
  }

  /** Call this once no request is under way. Closes what the config opened, and waits for the plug-ins. */
  async close(): Promise<void> {
    this.stop();
    this.#isClosing = true;
    const closing = this.#close(this.#era);
    const allDone = async () => {
      await closing;
      while (this.#work.size > 0) await Promise.all(this.#work);
    };
    await withTimeout(closingMs, allDone(), () => undefined);
  }

  #start(plugin: Plugin, { services, settings, config, livesOn, hold }: PluginContext): void {
    if (!plugin.start) return;
    const {
      config: { forms, shared },
      lives,
      drained,
    } = this.#era;
    const abort = new AbortController();
    lives.set(plugin, abort);
    const life: Life = {
      services,
      settings,
      config,
      livesOn,
      hold,
      forms,
      shared,
      platform: this.platform,
      signal: abort.signal,
      wait: (work) => this.#wait(work),
      drained,
    };
    void this.#guarded(() => plugin.start?.(life));
  }

  async #close({ config, onDrained }: Era, kept?: ReadonlySet<Closer>): Promise<void> {
    onDrained();
    const { forms, further = [] } = config;
    const closers = closersIn({ forms, further }).filter((one) => !kept?.has(one));
    await Promise.all(closers.map((close) => this.#guarded(close)));
  }

  #wait(work: Promise<unknown>): void {
    const working = Promise.resolve(work)
      .catch(this.fail)
      .finally(() => this.#work.delete(working));
    this.#work.add(working);
  }

  #guarded(call: () => MaybePromise<void>): MaybePromise<void> {
    try {
      const ended = call();
      return ended instanceof Promise ? ended.catch(this.fail) : ended;
    } catch (error) {
      return this.fail(error);
    }
  }
}

function eraOf(config: Era['config']): Era {
  let onDrained = () => {};
  const drained = new Promise<void>((resolve) => {
    onDrained = resolve;
  });
  return { config, lives: new Map(), drained, onDrained };
}
