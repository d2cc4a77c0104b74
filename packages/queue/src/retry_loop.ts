import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError, stackOf } from '@form-relay/base/client_error';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { Services } from '@form-relay/core/index';
import { timeLimit } from '@form-relay/stores/open_store';
import type { Lease } from '@form-relay/stores/store';
import { Attempts, type Rest } from './attempts.ts';
import { HostQueues } from './host_queues.ts';
import type { QueueConfig } from './open_stores.ts';
import { type OpenStores, placeOf } from './open_stores.ts';
import type { QueueContext } from './queue.ts';
import { totalOf } from './store_status.ts';

/** The maximum in progress or waiting for hosts; above it, nothing is leased, because files are in memory. */
const mostHeld = { entries: 224, bytes: 24_000_000 };
const mostLeased = { entries: 32, bytes: 8_000_000 };
/** How long a store may wait for due entries. Longer waits mean fewer requests to queues. */
const waitMs = 20_000;
/** The timeout for checking a store. */
const lookMs = 10_000;
/** The pause after a failure of the store. */
const restMs = 1_000;
/** How often the log repeats that a store is down. */
const repeatedLogMs = 60_000;
/** How long to wait for room before long queues are relieved. Slow hosts free room only little by little. */
const relieveMs = 2_000;
/** How long a stopping process waits for attempts; a second is left for everything else. */
const stoppingMs = 24_500;

/** Tries each queued delivery when it is due. */
export class RetryLoop {
  readonly #services: Services;
  readonly #hosts: HostQueues;
  readonly attempts: Attempts;
  #stoppedAt: number | undefined;
  #loop: { readonly keep: QueueConfig; readonly stop: AbortController } | undefined;
  readonly #loops = new Set<Promise<void>>();
  readonly #held = { entries: 0, bytes: 0 };
  readonly #whenFreed: (() => void)[] = [];
  readonly #stopping = new AbortController();
  /** Waits, unless the process is stopping. */
  readonly rest: Rest = async (ms) => {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    return this.isOpen;
  };

  constructor(
    private readonly context: QueueContext,
    private readonly stores: OpenStores,
  ) {
    // Every lease that waits for the store adds a listener.
    setMaxListeners(0, this.#stopping.signal);
    this.#services = context.services;
    this.#hosts = new HostQueues(context.services);
    this.attempts = new Attempts(context, this.#hosts);
  }

  stop() {
    this.#stoppedAt ??= this.#services.now();
    this.#loop?.stop.abort();
    this.#hosts.close();
    this.#stopping.abort();
  }

  /** Starts with this store, or switches to it; `undefined` stops. */
  start(keep: QueueConfig | undefined): void {
    if (!this.isOpen || (keep && this.#isCurrent(keep))) return;
    this.#loop?.stop.abort();
    this.#loop = keep && { keep, stop: new AbortController() };
    if (!this.#loop) return;
    const running = this.#run(this.#loop.keep, this.#loop.stop.signal);
    this.#loops.add(running);
    void running.then(() => this.#loops.delete(running));
  }

  /** Stops the current loop. Resolves when all attempts in progress have ended. */
  async finish(): Promise<void> {
    this.start(undefined);
    await Promise.all(this.#loops);
  }

  /** Whether this process continues to deliver. */
  get isOpen(): boolean {
    return this.#stoppedAt === undefined;
  }

  /** Waits for attempts in progress, as long as a stopping process has time. */
  async close(): Promise<void> {
    this.stop();
    const sinceMs = this.#services.now() - (this.#stoppedAt ?? 0);
    const leftMs = Math.min(stoppingMs, Math.max(0, stoppingMs - sinceMs));
    await withTimeout<unknown>(leftMs, Promise.all(this.#loops), () => undefined);
  }

  get #isFull(): boolean {
    return this.#held.entries > mostHeld.entries || this.#held.bytes > mostHeld.bytes;
  }

  #isCurrent(keep: QueueConfig) {
    return this.#loop !== undefined && placeOf(this.#loop.keep) === placeOf(keep);
  }

  /** Warns about a store that may lose entries, before it does. Never rejects. */
  async #lookAt(keep: QueueConfig): Promise<void> {
    const warn = (reason: string, remedy?: string) =>
      this.#services.log('warn', 'keep_at_risk', { in: keep.in.name, reason, ...(remedy && { remedy }) });
    try {
      const found = await (await this.stores.get(keep)).probe(timeLimit(lookMs));
      for (const { level, says, remedy } of found) if (level !== 'ok') warn(says, remedy);
    } catch (error) {
      // The loop reports a store that is down.
      if (error instanceof ClientError && error.code?.endsWith('_of_another_shape')) warn(error.message);
    }
  }

  /** Never rejects. */
  async #run(keep: QueueConfig, signal: AbortSignal): Promise<void> {
    void this.#lookAt(keep);
    const health = createHealth(this.context, keep.in.name);
    const attempts = new Set<Promise<void>>();
    while (!signal.aborted) {
      if (this.#isFull) {
        const freed = new Promise<void>((resolve) => this.#whenFreed.push(resolve));
        await withTimeout(relieveMs, freed, () => this.#hosts.relieve());
        continue;
      }
      try {
        const store = await this.stores.leases(keep);
        const leases = await store.lease(mostLeased.entries, waitMs, mostLeased.bytes, signal);
        // Check again: the store may have been down when the relay started, or may be a different one now.
        if (health.isBack()) void this.#lookAt(keep);
        for (const lease of leases) {
          const attempt = this.#attempt(lease);
          attempts.add(attempt);
          void attempt.then(() => attempts.delete(attempt));
        }
      } catch (error) {
        health.failed(error);
        await this.#services.sleep(restMs);
      }
    }
    await Promise.all(attempts);
    if (!this.isOpen || this.#isCurrent(keep)) return;
    await this.#warnOfLeftovers(keep);
  }

  async #attempt(lease: Lease): Promise<void> {
    const bytes = lease.kept.content.length;
    this.#held.entries += 1;
    this.#held.bytes += bytes;
    await this.attempts.run(lease, { rest: this.rest });
    this.#held.entries -= 1;
    this.#held.bytes -= bytes;
    if (!this.#isFull) for (const wake of this.#whenFreed.splice(0)) wake();
  }

  /** Warns about deliveries left in a store that the config no longer names, because they are not retried. */
  async #warnOfLeftovers(keep: QueueConfig): Promise<void> {
    if (this.#loop?.keep.in.name === keep.in.name) return;
    try {
      const { due, held, deadLetters } = totalOf(await (await this.stores.leases(keep)).count());
      const deliveries = due + held + deadLetters;
      if (deliveries === 0) return;
      const reason = `the config now has another store; \`relay kept deliver --in ${keep.in.name}\` delivers what is left in this one`;
      this.#services.log('warn', 'keep_left_behind', { keep: keep.in.name, deliveries, reason });
    } catch (error) {
      createHealth(this.context, keep.in.name).failed(error);
    }
  }
}

/** Logs that a store is down or has entries of another version, repeats that each minute, and logs when it is back. */
function createHealth({ services: { log, now } }: QueueContext, name: string) {
  let since: number | undefined;
  let loggedAt = 0;
  return {
    failed: (error: unknown) => {
      const at = now();
      // If only some entries are of another version, the others are still delivered.
      const isAway = !(error instanceof ClientError && /^store_(newer|older)$/.test(error.code ?? ''));
      const isKnown = (since !== undefined || !isAway) && at >= loggedAt && at - loggedAt < repeatedLogMs;
      if (isAway) since ??= at;
      if (isKnown) return;
      loggedAt = at;
      // Report the cause, too: it may be a bug of the store.
      const bug = error instanceof ClientError ? error.cause : error;
      log('error', 'keep_unavailable', {
        keep: name,
        ...(error instanceof ClientError && { reason: error.message }),
        ...(bug !== undefined && { stack: stackOf(bug) }),
      });
    },
    /** Records that the store works. Returns whether it was down before. */
    isBack: () => {
      if (since === undefined) return false;
      log('info', 'keep_available', { keep: name, away_s: Math.max(0, Math.round((now() - since) / 1_000)) });
      since = undefined;
      return true;
    },
  };
}
