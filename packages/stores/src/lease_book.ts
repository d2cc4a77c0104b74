/** The leases that a process has in a store: renews them until they end, and returns them when the store closes. */
import { ClientError } from '@form-relay/base/client_error';
import { failed } from './failures.ts';
import type { Lease, LeaseBook, LeaseRules, Listed } from './store.ts';

/** Calls repeatedly until the returned function is called. */
export type Every = (ms: number, work: () => Promise<void>) => () => void;

interface Rules<T> extends LeaseRules<T> {
  /** How often to renew. Default: four times per `leaseMs`. */
  readonly renewMs?: number;
  /** Called when this process no longer has the lease. */
  ended?(lease: T): void;
  /** Default: `setInterval`. */
  readonly every?: Every | undefined;
}

interface Held {
  readonly since: number;
  /** How long to renew it. */
  readonly mostMs: number;
  renewedAt: number;
  /** The attempt to settle it, once that has started. */
  settling?: Promise<void>;
}

export class Leasing<T extends object> implements LeaseBook<T> {
  readonly #held = new Map<T, Held>();
  #stop: (() => void) | undefined;
  #isClosed = false;
  #renewing: Promise<void> | undefined;

  constructor(private readonly rules: Rules<T>) {}

  /** Renews a lease from now on, but for at most `mostMs`; after that it expires, unless it is settled. */
  hold(lease: T, mostMs = Infinity): void {
    const now = performance.now();
    this.#held.set(lease, { since: now, renewedAt: now, mostMs });
    this.start();
  }

  /** Starts renewing, even without leases. Returns whether renewing was not already running. */
  start(): boolean {
    if (this.#isClosed || this.#stop) return false;
    const { leaseMs, renewMs = leaseMs / 4, every = usually } = this.rules;
    this.#stop = every(renewMs, () => this.renew());
    return true;
  }

  has(lease: T): boolean {
    return this.#held.has(lease);
  }

  /** Whether the lease was not renewed in time, so that another process may have the entry. */
  isLapsed(lease: T): boolean {
    const { renewedAt = -Infinity } = this.#held.get(lease) ?? {};
    return performance.now() - renewedAt > this.rules.leaseMs;
  }

  /** Stops renewing. The lease expires, unless it is settled. */
  drop(lease: T): void {
    if (this.#held.delete(lease)) this.rules.ended?.(lease);
  }

  /**
   * An entry with the methods that end its lease. The first one that succeeds counts. After a failure, the
   * entry can be settled again, unless another process has it by then.
   */
  lease<E extends Pick<Lease, 'kept' | 'isDamaged'>>(
    lease: T,
    entry: E,
    ends: Parameters<LeaseBook<T>['lease']>[2],
  ): E & Lease {
    if (!this.has(lease)) this.hold(lease);
    const held = this.#held.get(lease) as Held;
    let isSettled = false;
    const settle = (end: () => Promise<void>): Promise<void> => {
      const before = held.settling;
      const turn = (async () => {
        await before?.catch(() => {});
        if (isSettled) return;
        if (this.#held.get(lease) !== held) throw failed('claim_lost');
        try {
          await end();
        } catch (error) {
          if (error instanceof ClientError && error.code === 'claim_lost') this.drop(lease);
          throw error;
        }
        isSettled = true;
        this.drop(lease);
      })();
      held.settling = turn;
      return turn;
    };
    return {
      ...entry,
      done: () => settle(() => ends.done()),
      reschedule: (dueAt, kept) => settle(() => ends.reschedule(dueAt, kept)),
      deadLetter: (reason, kept) => settle(() => ends.deadLetter(reason, kept)),
      giveBack: (afterMs) => this.giveBack(lease, afterMs),
    };
  }

  /** Returns a lease, unless it is or is being settled. Never rejects; if it fails, the lease expires. */
  async giveBack(lease: T, afterMs = 0): Promise<void> {
    await this.#held.get(lease)?.settling?.catch(() => {});
    if (!this.has(lease)) return;
    await this.rules.giveBack(lease, afterMs).catch(() => {});
    this.drop(lease);
  }

  /** For `leaseMatching`: yields a lease, and returns it when the next one is requested. */
  async *offer<E extends Lease & { readonly listed: Listed }>(lease: T, given: E): AsyncGenerator<E> {
    try {
      yield given;
    } finally {
      await this.giveBack(lease);
    }
  }

  /** Renews all leases. Calls during a renewal share it. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renewAll().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** Returns all leases, and stops renewing. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop?.();
    await this.#renewing;
    await Promise.all([...this.#held.keys()].map((lease) => this.giveBack(lease)));
  }

  async #renewAll(): Promise<void> {
    const now = performance.now();
    const all = [...this.#held].filter(([, { since, mostMs }]) => now - since <= mostMs);
    const leases = all.map(([lease]) => lease);
    const renewed = await this.rules.renew(leases).catch(() => []);
    for (const lease of Array.isArray(renewed) ? renewed : leases) {
      const held = this.#held.get(lease);
      if (held) held.renewedAt = now;
    }
  }
}

function usually(ms: number, work: () => Promise<void>): () => void {
  const timer = setInterval(() => void work(), ms);
  timer.unref?.();
  return () => clearInterval(timer);
}
