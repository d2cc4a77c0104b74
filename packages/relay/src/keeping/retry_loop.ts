import { ClientError } from '../base/client_error.ts';
import type { Effects } from '../base/effects.ts';
import { stackOf } from '../base/error_stack.ts';
import { inTime } from '../base/in_time.ts';
import type { Claim, Keep, OpenStore, Store } from '../base/kept.ts';
import { Attempts, type Known, type Rest, type World } from './attempt.ts';
import { HostQueues } from './host_queues.ts';

/** What is claimed at once: under way, or in line for its host. Files lie in memory meanwhile. */
const mostHeld = { entries: 256, bytes: 32_000_000 };
/** How many are claimed together. */
const mostClaimed = 32;
/** How long a store may wait for something that is due. Queues are asked less often, the longer it is. */
const waitMs = 20_000;
/** How long a store may take to say how it is. */
const lookMs = 10_000;
/** How long a store is left alone that has failed. */
const restMs = 1_000;
/** How often it is said that a store is away. */
const repeatedLogMs = 60_000;
/** How long there may be no room before it is looked which lines take it, and how often then. */
const relieveMs = 2_000;
/** After that, a process that stops has a second left for what comes then (D61). */
const stoppingMs = 24_500;

/** Has each kept delivery its turn when it is due. */
export class RetryLoop {
  readonly #world: World;
  readonly #effects: Effects;
  readonly #stores: OpenStores;
  readonly #hosts: HostQueues;
  readonly #attempts: Attempts;
  #stoppedAt: number | undefined;
  #loop: { readonly keep: Keep; readonly stop: AbortController } | undefined;
  readonly #loops = new Set<Promise<void>>();
  /** What is claimed now. */
  readonly #held = { entries: 0, bytes: 0 };
  readonly #whenFreed: (() => void)[] = [];
  /** Since when there has been more to claim than room. */
  #scarceSince: number | undefined;
  readonly #wakers = new Set<() => void>();
  readonly #rest: Rest = async (ms) => {
    if (this.#isStopping()) return false;
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#wakers.add(wake);
    await inTime(ms, woken, () => undefined);
    this.#wakers.delete(wake);
    return !this.#isStopping();
  };

  constructor(world: World, stores: OpenStores) {
    this.#world = world;
    this.#effects = world.effects;
    this.#stores = stores;
    this.#hosts = new HostQueues(world.effects);
    this.#attempts = new Attempts(world, this.#hosts);
  }

  /** Claims nothing more. */
  stop() {
    this.#stoppedAt ??= this.#effects.now();
    this.#loop?.stop.abort();
    this.#hosts.close();
    for (const wake of this.#wakers) wake();
  }

  /** Begins with this store, or goes on with another; `undefined`: with none. */
  start(keep: Keep | undefined): void {
    if (this.#isStopping()) return;
    if (this.#loop && keep && placeOf(this.#loop.keep) === placeOf(keep)) return;
    this.#loop?.stop.abort();
    this.#loop = keep && { keep, stop: new AbortController() };
    if (!this.#loop) return;
    const running = this.#run(this.#loop.keep, this.#loop.stop.signal);
    this.#loops.add(running);
    void running.then(() => this.#loops.delete(running));
  }

  /** One turn of one that somebody else has claimed. */
  attempt(claim: Claim, mayBegin?: () => boolean): Promise<void> {
    return this.#attempts.run(claim, { mayBegin });
  }

  /** The first turn of what is in memory. */
  firstAttempt(claim: Claim, known: Known): Promise<void> {
    return this.#attempts.run(claim, { known, rest: this.#rest });
  }

  /** Whether it goes on: what is kept is delivered by this process. */
  get isOpen(): boolean {
    return !this.#isStopping();
  }

  /** Lets tries under way end, for as long as a process that stops has. */
  async close(): Promise<void> {
    this.stop();
    const sinceMs = this.#effects.now() - (this.#stoppedAt ?? 0);
    const leftMs = Math.min(stoppingMs, Math.max(0, stoppingMs - sinceMs));
    await inTime<unknown>(leftMs, Promise.all(this.#loops), () => undefined);
  }

  #isStopping() {
    return this.#stoppedAt !== undefined;
  }

  #isCurrent(keep: Keep) {
    return this.#loop !== undefined && placeOf(this.#loop.keep) === placeOf(keep);
  }

  #hasRoom() {
    return this.#held.entries < mostHeld.entries && this.#held.bytes < mostHeld.bytes;
  }

  #freed() {
    return new Promise<void>((resolve) => this.#whenFreed.push(resolve));
  }

  #relieve(): void {
    const at = this.#effects.now();
    this.#scarceSince ??= at;
    // A clock that is set back must not stop it.
    if (at >= this.#scarceSince && at - this.#scarceSince < relieveMs) return;
    this.#scarceSince = at;
    this.#hosts.relieve();
  }

  /** Tells the owner now, not after the first loss, of a store that may lose what it keeps. Never rejects. */
  async #lookAt(keep: Keep): Promise<void> {
    const warn = (reason: string, remedy?: string) =>
      this.#effects.log('warn', 'keep_at_risk', {
        in: keep.in.name,
        reason,
        ...(remedy && { remedy }),
      });
    try {
      const found = await (await this.#stores.get(keep)).look(lookMs);
      for (const one of found) if (typeof one !== 'string') warn(one.says, one.remedy);
    } catch (error) {
      // The loop reports a store that is away.
      if (error instanceof ClientError && error.code.endsWith('_of_another_shape')) warn(error.message);
    }
  }

  /** Never rejects. */
  async #run(keep: Keep, signal: AbortSignal): Promise<void> {
    void this.#lookAt(keep);
    const health = createHealth(this.#world, keep.in.name);
    const turns = new Set<Promise<void>>();
    while (!signal.aborted) {
      if (!this.#hasRoom()) {
        this.#relieve();
        await inTime(relieveMs, this.#freed(), () => undefined);
        continue;
      }
      try {
        const store = await this.#stores.get(keep);
        const most = Math.min(mostClaimed, mostHeld.entries - this.#held.entries);
        const claims = await store.claim(most, waitMs, mostHeld.bytes - this.#held.bytes, signal);
        // It may have been away when the relay started, or be another one by now.
        if (health.isBack()) void this.#lookAt(keep);
        if (claims.length === 0) this.#scarceSince = undefined;
        for (const claim of claims) {
          const turn = this.#hold(claim);
          turns.add(turn);
          void turn.then(() => turns.delete(turn));
        }
      } catch (error) {
        health.failed(error);
        await this.#effects.sleep(restMs);
      }
    }
    await Promise.all(turns);
    if (this.#isStopping() || this.#isCurrent(keep)) return;
    await this.#tellWhatIsLeft(keep);
    if (!this.#isCurrent(keep)) this.#stores.retire(keep);
  }

  async #hold(claim: Claim): Promise<void> {
    const bytes = claim.kept.content.length;
    this.#held.entries += 1;
    this.#held.bytes += bytes;
    await this.#attempts.run(claim, { rest: this.#rest });
    this.#held.entries -= 1;
    this.#held.bytes -= bytes;
    for (const wake of this.#whenFreed.splice(0)) wake();
  }

  /** The config names another place, or none: nobody tries again what is in this one. */
  async #tellWhatIsLeft(keep: Keep): Promise<void> {
    if (this.#loop?.keep.in.name === keep.in.name) return;
    try {
      const { forms } = await (await this.#stores.get(keep)).count();
      const deliveries = [...forms.values()].reduce((sum, { due, aside }) => sum + due + aside, 0);
      if (deliveries === 0) return;
      const reason = `the config names another place now; \`relay kept deliver --in ${keep.in.name}\` delivers what is left`;
      this.#effects.log('warn', 'keep_left_behind', { keep: keep.in.name, deliveries, reason });
    } catch (error) {
      createHealth(this.#world, keep.in.name).failed(error);
    }
  }
}

/** Says once that a store is away, again each minute, and when it is back. */
function createHealth({ effects: { log, now } }: World, name: string) {
  let since: number | undefined;
  let toldAt = 0;
  return {
    failed: (error: unknown) => {
      const at = now();
      const isKnown = since !== undefined && at >= toldAt && at - toldAt < repeatedLogMs;
      since ??= at;
      if (isKnown) return;
      toldAt = at;
      const isExpected = error instanceof ClientError;
      const why = isExpected ? { reason: error.message } : { stack: stackOf(error) };
      log('error', 'keep_unavailable', { keep: name, ...why });
    },
    /** It works. Whether it was away before. */
    isBack: () => {
      if (since === undefined) return false;
      log('info', 'keep_available', { keep: name, away_s: Math.max(0, Math.round((now() - since) / 1_000)) });
      since = undefined;
      return true;
    },
  };
}

interface Opened {
  store: Promise<Store> | undefined;
  holders: number;
  isRetired: boolean;
}

/** The stores that are open: mostly one; two while one config follows another. */
export class OpenStores {
  readonly #open: OpenStore;
  readonly #all = new Map<string, Opened>();

  constructor(open: OpenStore) {
    this.#open = open;
  }

  /** Opened when it is first asked for. */
  get(keep: Keep): Promise<Store> {
    const opened = this.#openedAt(keep);
    const store = opened.store ?? this.#open(keep);
    opened.store = store;
    store.catch(() => {
      opened.store = undefined;
    });
    return store;
  }

  /** Keeps it open until what this gives is called. */
  hold(keep: Keep): () => void {
    const opened = this.#openedAt(keep);
    opened.holders += 1;
    return () => {
      opened.holders -= 1;
      this.#closeRetired(keep, opened);
    };
  }

  /** No config names it any more: it is closed when nobody holds it. */
  retire(keep: Keep): void {
    const opened = this.#openedAt(keep);
    opened.isRetired = true;
    this.#closeRetired(keep, opened);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all.values()].map(close));
  }

  #openedAt(keep: Keep): Opened {
    const place = placeOf(keep);
    const opened = this.#all.get(place) ?? { store: undefined, holders: 0, isRetired: false };
    this.#all.set(place, opened);
    return opened;
  }

  #closeRetired(keep: Keep, opened: Opened) {
    if (!opened.isRetired || opened.holders > 0) return;
    this.#all.delete(placeOf(keep));
    void close(opened);
  }
}

/** A store that fails to close has nothing left to report. */
async function close({ store }: Opened): Promise<void> {
  try {
    await (await store)?.close();
  } catch {}
}

/** Two configs with the same text here share a store. */
export const placeOf = (keep: Keep): string => JSON.stringify([keep.in.name, keep.filesIn]);
