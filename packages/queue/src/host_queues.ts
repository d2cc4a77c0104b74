import type { Services } from '@form-relay/core/index';
import { ClientError } from '@form-relay/core/kit';
import { type DeliveryError, hostAfter } from './retry_policy.ts';

export type Ending = 'taken' | DeliveryError;

export type Visit =
  /** `undefined`: no request was made. */
  | { readonly kind: 'ended'; readonly ending: Ending | undefined }
  /** The host is down: other deliveries failed for this reason. */
  | { readonly kind: 'down'; readonly why: DeliveryError }
  /** The queue is long: come back at `dueAt`. */
  | { readonly kind: 'crowded'; readonly dueAt: number }
  | { readonly kind: 'closed' };

/** How many kept deliveries go to one host at once. */
const mostAtOnce = 8;
/** How long the last in a queue may wait if others need the room. */
const patienceMs = 3_000;
/** A host is down after so many consecutive failures that may each concern one delivery. */
const mostDoubts = 3;
/** The pauses for a host that is down; each twice as long, up to `most`. */
const pauseMs = { first: 5_000, most: 60_000 };
/** Longer `Retry-After` values count as this. */
const mostRetryAfterMs = 3_600_000;
/** The longest until a delivery that was sent away comes back. */
const mostCrowdedMs = 900_000;

class Host {
  /** Deliveries under way, the oldest first. */
  readonly underWay = new Set<Begun>();
  readonly queue: ((turn: Turn) => void)[] = [];
  /** How many may go there at once: one after a failure, one more after each success. */
  width = mostAtOnce;
  averageMs = 0;
  /** When those sent away so far will have had their turn. */
  crowdedUntil: number | undefined;
  doubts = 0;
  down: { readonly why: DeliveryError; readonly since: number; readonly pauseMs: number } | undefined;
  isProbed = false;
}

interface Begun {
  readonly at: number;
}

type Turn = Begun | Exclude<Visit, { kind: 'ended' }>;

/** Limits the deliveries to a host at a time, of all forms together. A host that is down gets none but a probe now and then. */
export class HostQueues {
  readonly #hosts = new Map<string, Host>();
  #isClosed = false;

  constructor(private readonly services: Pick<Services, 'now'>) {}

  /** Does `work` when the host has room, or resolves with why not. Rejects as `work` does. */
  async visit(
    name: string,
    work: () => Promise<Ending | undefined>,
    manner: 'queued' | 'at_once' = 'queued',
  ): Promise<Visit> {
    const host = this.#hosts.get(name) ?? new Host();
    this.#hosts.set(name, host);
    const isProbe = this.#mayProbe(host);
    if (host.down && !isProbe) return { kind: 'down', why: host.down.why };
    host.isProbed = isProbe;
    // Deliveries from memory don't queue, and don't count.
    const turn =
      manner === 'at_once'
        ? { at: this.services.now() }
        : isProbe
          ? this.#begin(host)
          : await this.#enter(host);
    if ('kind' in turn) return turn;
    let ending: Ending | undefined;
    try {
      ending = await work();
    } finally {
      host.underWay.delete(turn);
      if (isProbe) host.isProbed = false;
      if (ending !== undefined) this.#learn(host, ending, { ...turn, isProbe });
      this.#callNext(host);
    }
    return { kind: 'ended', ending };
  }

  /** Makes room for other hosts: sends away deliveries that would wait long, now and until their queue is through. */
  relieve(): void {
    for (const host of this.#hosts.values()) {
      const most = Math.max(host.width, Math.floor((patienceMs / this.#takesMs(host)) * host.width));
      for (const leave of host.queue.splice(most)) leave(this.#crowded(host));
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const { queue } of this.#hosts.values())
      for (const leave of queue.splice(0)) leave({ kind: 'closed' });
  }

  #mayProbe({ down, isProbed }: Host): boolean {
    if (!down || isProbed) return false;
    const sinceMs = this.services.now() - down.since;
    // Below 0, the clock was set back.
    return sinceMs < 0 || sinceMs >= down.pauseMs;
  }

  #begin({ underWay }: Host): Begun {
    const begun = { at: this.services.now() };
    underWay.add(begun);
    return begun;
  }

  #enter(host: Host): Turn | Promise<Turn> {
    if (this.#isClosed) return { kind: 'closed' };
    if (host.queue.length === 0 && host.underWay.size < host.width) return this.#begin(host);
    if (host.queue.length === 0) host.crowdedUntil = undefined;
    if (host.crowdedUntil !== undefined && host.queue.length >= host.width) return this.#crowded(host);
    return new Promise((resolve) => host.queue.push(resolve));
  }

  #takesMs({ averageMs, underWay }: Host): number {
    const [oldest] = underWay;
    return Math.max(1, averageMs, oldest ? this.services.now() - oldest.at : 0);
  }

  /** Each comes back when those before it are through, so that most are sent away only once. */
  #crowded(host: Host): Visit & { readonly kind: 'crowded' } {
    const at = this.services.now();
    const turnMs = this.#takesMs(host) / host.width;
    const soonest = at + patienceMs;
    const latest = at + mostCrowdedMs;
    host.crowdedUntil = Math.min(Math.max(host.crowdedUntil ?? 0, soonest) + turnMs, latest);
    return { kind: 'crowded', dueAt: Math.round(host.crowdedUntil) };
  }

  #learn(host: Host, ending: Ending, { at, isProbe }: Begun & { isProbe: boolean }): void {
    const state = ending === 'taken' ? 'up' : hostAfter(ending);
    if (state === 'up') {
      host.averageMs += (Math.max(0, this.services.now() - at) - host.averageMs) / 5;
      host.down = undefined;
      host.doubts = 0;
      host.width = Math.min(mostAtOnce, host.width + 1);
      return;
    }
    if (ending === 'taken') return;
    host.doubts += 1;
    host.width = 1;
    // It began before the host was known to be down.
    if (host.down && !isProbe) return;
    const asked = ending instanceof ClientError ? (ending.retryAfterMs ?? 0) : 0;
    const isDown = state === 'down' || host.down || host.doubts >= mostDoubts || asked > patienceMs;
    if (!isDown) return;
    const pause = host.down ? Math.min(host.down.pauseMs * 2, pauseMs.most) : pauseMs.first;
    const pauseFor = Math.max(pause, Math.min(asked, mostRetryAfterMs));
    host.down = { why: ending, since: this.services.now(), pauseMs: pauseFor };
    for (const leave of host.queue.splice(0)) leave({ kind: 'down', why: ending });
  }

  #callNext(host: Host): void {
    const free = host.width - host.underWay.size;
    for (const call of host.queue.splice(0, Math.max(0, free))) call(this.#begin(host));
  }
}
