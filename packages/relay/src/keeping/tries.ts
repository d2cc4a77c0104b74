import { ClientError } from '../base/client_error.ts';
import { stackOf } from '../base/error_stack.ts';
import { inTime } from '../base/in_time.ts';
import type { Claim, Keep } from '../base/kept.ts';
import { createHosts } from './hosts.ts';
import { type OpenStores, placeOf } from './open_stores.ts';
import { createTurns, type Known, type Rest } from './turn.ts';
import type { World } from './world.ts';

/** Has each kept delivery its turn when it is due. */
export interface Tries {
  /** Begins with this store, or goes on with another; `undefined`: with none. */
  start(keep: Keep | undefined): void;
  /** One turn of one that somebody else has claimed. */
  turn(claim: Claim, mayBegin?: () => boolean): Promise<void>;
  /** The first turn of what is in memory. */
  firstTurn(claim: Claim, known: Known): Promise<void>;
  /** Whether it goes on: what is kept is delivered by this process. */
  readonly isOpen: boolean;
  /** Claims nothing more. */
  stop(): void;
  /** Lets tries under way end, for as long as a process that stops has. */
  close(): Promise<void>;
}

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

export function createTries(world: World, stores: OpenStores): Tries {
  const { effects } = world;
  const hosts = createHosts(effects);
  const takeTurn = createTurns(world, hosts);
  let stoppedAt: number | undefined;
  const isStopping = () => stoppedAt !== undefined;
  let loop: { readonly keep: Keep; readonly stop: AbortController } | undefined;
  const loops = new Set<Promise<void>>();
  /** What is claimed now. */
  const held = { entries: 0, bytes: 0 };
  const whenFreed: (() => void)[] = [];
  /** Since when there has been more to claim than room. */
  let scarceSince: number | undefined;
  const wakers = new Set<() => void>();
  const rest: Rest = async (ms) => {
    if (isStopping()) return false;
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    wakers.add(wake);
    await inTime(ms, woken, () => undefined);
    wakers.delete(wake);
    return !isStopping();
  };

  const isCurrent = (keep: Keep) => loop !== undefined && placeOf(loop.keep) === placeOf(keep);
  const hasRoom = () => held.entries < mostHeld.entries && held.bytes < mostHeld.bytes;
  const freed = () => new Promise<void>((resolve) => whenFreed.push(resolve));
  const stop = () => {
    stoppedAt ??= effects.now();
    loop?.stop.abort();
    hosts.close();
    for (const wake of wakers) wake();
  };

  return {
    start(keep) {
      if (isStopping()) return;
      if (loop && keep && placeOf(loop.keep) === placeOf(keep)) return;
      loop?.stop.abort();
      loop = keep && { keep, stop: new AbortController() };
      if (!loop) return;
      const running = run(loop.keep, loop.stop.signal);
      loops.add(running);
      void running.then(() => loops.delete(running));
    },
    turn: (claim, mayBegin) => takeTurn(claim, { mayBegin }),
    firstTurn: (claim, known) => takeTurn(claim, { known, rest }),
    get isOpen() {
      return !isStopping();
    },
    stop,
    close: async () => {
      stop();
      const sinceMs = effects.now() - (stoppedAt ?? 0);
      const leftMs = Math.min(stoppingMs, Math.max(0, stoppingMs - sinceMs));
      await inTime<unknown>(leftMs, Promise.all(loops), () => undefined);
    },
  };

  function relieve(): void {
    const at = effects.now();
    scarceSince ??= at;
    // A clock that is set back must not stop it.
    if (at >= scarceSince && at - scarceSince < relieveMs) return;
    scarceSince = at;
    hosts.relieve();
  }

  /** Tells the owner now, not after the first loss, of a store that may lose what it keeps. Never rejects. */
  async function lookAt(keep: Keep): Promise<void> {
    const warn = (reason: string, remedy?: string) =>
      effects.log('warn', 'keep_at_risk', { in: keep.in.name, reason, ...(remedy && { remedy }) });
    try {
      const found = await (await stores.get(keep)).look(lookMs);
      for (const one of found) if (typeof one !== 'string') warn(one.says, one.remedy);
    } catch (error) {
      // The loop reports a store that is away.
      if (error instanceof ClientError && error.code.endsWith('_of_another_shape')) warn(error.message);
    }
  }

  /** Never rejects. */
  async function run(keep: Keep, signal: AbortSignal): Promise<void> {
    void lookAt(keep);
    const health = createHealth(world, keep.in.name);
    const turns = new Set<Promise<void>>();
    while (!signal.aborted) {
      if (!hasRoom()) {
        relieve();
        await inTime(relieveMs, freed(), () => undefined);
        continue;
      }
      try {
        const store = await stores.get(keep);
        const most = Math.min(mostClaimed, mostHeld.entries - held.entries);
        const claims = await store.claim(most, waitMs, mostHeld.bytes - held.bytes, signal);
        // It may have been away when the relay started, or be another one by now.
        if (health.isBack()) void lookAt(keep);
        if (claims.length === 0) scarceSince = undefined;
        for (const claim of claims) {
          const turn = hold(claim);
          turns.add(turn);
          void turn.then(() => turns.delete(turn));
        }
      } catch (error) {
        health.failed(error);
        await effects.sleep(restMs);
      }
    }
    await Promise.all(turns);
    if (isStopping() || isCurrent(keep)) return;
    await tellWhatIsLeft(keep);
    if (!isCurrent(keep)) stores.retire(keep);
  }

  async function hold(claim: Claim): Promise<void> {
    const bytes = claim.kept.content.length;
    held.entries += 1;
    held.bytes += bytes;
    await takeTurn(claim, { rest });
    held.entries -= 1;
    held.bytes -= bytes;
    for (const wake of whenFreed.splice(0)) wake();
  }

  /** The config names another place, or none: nobody tries again what is in this one. */
  async function tellWhatIsLeft(keep: Keep): Promise<void> {
    if (loop?.keep.in.name === keep.in.name) return;
    try {
      const { forms } = await (await stores.get(keep)).count();
      const deliveries = [...forms.values()].reduce((sum, { due, aside }) => sum + due + aside, 0);
      if (deliveries === 0) return;
      const reason = `the config names another place now; \`relay kept deliver --in ${keep.in.name}\` delivers what is left`;
      effects.log('warn', 'keep_left_behind', { keep: keep.in.name, deliveries, reason });
    } catch (error) {
      createHealth(world, keep.in.name).failed(error);
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
