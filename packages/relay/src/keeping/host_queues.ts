import { ClientError } from '../base/client_error.ts';
import type { Effects } from '../base/effects.ts';
import type { DeliveryError } from '../base/event.ts';
import { parseUrl } from '../base/url.ts';
import type { FormOutput } from '../form.ts';
import { hostAfter } from './retry_policy.ts';

export type Ending = 'taken' | DeliveryError;

export type Visit =
  /** `undefined`: nobody was asked. */
  | { readonly kind: 'ended'; readonly ending: Ending | undefined }
  /** It failed for others a moment ago, for this reason. */
  | { readonly kind: 'down'; readonly why: DeliveryError }
  /** So many wait there that it should come back then. */
  | { readonly kind: 'crowded'; readonly dueAt: number }
  | { readonly kind: 'closed' };

/** How many deliveries that were kept go to one host at once. */
const mostAtOnce = 8;
/** So long the last one may wait in line, where others want the room. */
const patienceMs = 3_000;
/** After so many failures, one after the other, which each may have been about a delivery, the host is down. */
const mostDoubts = 3;
/** How long a host that is down is left alone: at first, and at most. The next pause is twice as long. */
const pauseMs = { first: 5_000, most: 60_000 };
/** Longer `Retry-After` values count as this. */
const mostRetryAfterMs = 3_600_000;
/** How far from now whoever is sent away comes back. */
const mostCrowdedMs = 900_000;

interface Host {
  /** When each delivery began that is under way, the oldest first. */
  readonly underWay: Set<Begun>;
  readonly queue: ((turn: Turn) => void)[];
  /** How many may go there at once: one after a failure, and one more after each success. */
  width: number;
  /** What a delivery takes, in the average of the latest. */
  averageMs: number;
  /** Where others want the room: when those who were sent away so far have been there. */
  crowdedUntil: number | undefined;
  /** Failures, one after the other. */
  doubts: number;
  down: { readonly why: DeliveryError; readonly since: number; readonly pauseMs: number } | undefined;
  isProbed: boolean;
}

interface Begun {
  readonly at: number;
}

/** It begins, or has no turn. */
type Turn = Begun | Exclude<Visit, { kind: 'ended' }>;

/**
 * Never more than a few deliveries at a time to one host, of all forms together; none to a host that is down, but one now
 * and then that finds out whether it still is (D104).
 */
export class HostQueues {
  readonly #effects: Pick<Effects, 'now'>;
  readonly #hosts = new Map<string, Host>();
  #isClosed = false;

  constructor(effects: Pick<Effects, 'now'>) {
    this.#effects = effects;
  }

  /** Has a delivery its turn at a host, or says why it has none. Rejects as `work` does. */
  async visit(
    name: string,
    work: () => Promise<Ending | undefined>,
    manner: 'queued' | 'at_once' = 'queued',
  ): Promise<Visit> {
    const host = this.#hosts.get(name) ?? newHost();
    this.#hosts.set(name, host);
    const isProbe = this.#mayProbe(host);
    if (host.down && !isProbe) return { kind: 'down', why: host.down.why };
    host.isProbed = isProbe;
    // Those that nobody has to wait for have no place in the line, and take nobody's.
    const turn =
      manner === 'at_once'
        ? { at: this.#effects.now() }
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

  /** There is no room for others any more: sends away whoever would wait long, now and until its line is through. */
  relieve(): void {
    for (const host of this.#hosts.values()) {
      const most = Math.max(host.width, Math.floor((patienceMs / this.#takesMs(host)) * host.width));
      for (const leave of host.queue.splice(most)) leave(this.#crowded(host));
    }
  }

  /** Ends every wait. */
  close(): void {
    this.#isClosed = true;
    for (const { queue } of this.#hosts.values())
      for (const leave of queue.splice(0)) leave({ kind: 'closed' });
  }

  #mayProbe({ down, isProbed }: Host): boolean {
    if (!down || isProbed) return false;
    const sinceMs = this.#effects.now() - down.since;
    // Below 0, the clock was set back.
    return sinceMs < 0 || sinceMs >= down.pauseMs;
  }

  #begin({ underWay }: Host): Begun {
    const begun = { at: this.#effects.now() };
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

  /** The estimated duration of a delivery. */
  #takesMs({ averageMs, underWay }: Host): number {
    const [oldest] = underWay;
    return Math.max(1, averageMs, oldest ? this.#effects.now() - oldest.at : 0);
  }

  /** Each comes back when those before it are through, so that none is sent away twice, as a rule. */
  #crowded(host: Host): Visit & { readonly kind: 'crowded' } {
    const at = this.#effects.now();
    const turnMs = this.#takesMs(host) / host.width;
    const soonest = at + patienceMs;
    const latest = at + mostCrowdedMs;
    host.crowdedUntil = Math.min(Math.max(host.crowdedUntil ?? 0, soonest) + turnMs, latest);
    return { kind: 'crowded', dueAt: Math.round(host.crowdedUntil) };
  }

  #learn(host: Host, ending: Ending, { at, isProbe }: Begun & { isProbe: boolean }): void {
    const state = ending === 'taken' ? 'up' : hostAfter(ending);
    if (state === 'up') {
      host.averageMs += (Math.max(0, this.#effects.now() - at) - host.averageMs) / 5;
      host.down = undefined;
      host.doubts = 0;
      host.width = Math.min(mostAtOnce, host.width + 1);
      return;
    }
    if (ending === 'taken') return;
    host.doubts += 1;
    host.width = 1;
    // It began before that was known.
    if (host.down && !isProbe) return;
    const asked = ending instanceof ClientError ? (ending.retryAfterMs ?? 0) : 0;
    const isDown = state === 'down' || host.down || host.doubts >= mostDoubts || asked > patienceMs;
    if (!isDown) return;
    const pause = host.down ? Math.min(host.down.pauseMs * 2, pauseMs.most) : pauseMs.first;
    const pauseFor = Math.max(pause, Math.min(asked, mostRetryAfterMs));
    host.down = { why: ending, since: this.#effects.now(), pauseMs: pauseFor };
    for (const leave of host.queue.splice(0)) leave({ kind: 'down', why: ending });
  }

  #callNext(host: Host): void {
    const free = host.width - host.underWay.size;
    for (const call of host.queue.splice(0, Math.max(0, free))) call(this.#begin(host));
  }
}

const newHost = (): Host => ({
  underWay: new Set(),
  queue: [],
  width: mostAtOnce,
  averageMs: 0,
  crowdedUntil: undefined,
  doubts: 0,
  down: undefined,
  isProbed: false,
});

/** Deliveries to the same server share a queue. */
export function hostOf({ target, type }: FormOutput, env: Effects['env']): string {
  switch (target?.via) {
    case 'http': {
      const { address, name } = target;
      const url = address instanceof URL ? address : parseUrl(env(address.env) ?? '');
      return url?.host ?? name;
    }
    case 's3':
      return `s3://${target.bucket}`;
    default:
      return target?.name ?? type;
  }
}

/** The same for the log: an address from the environment is a secret (D67). */
export const shownHost = (output: FormOutput, host: string): string => {
  const { target } = output;
  return target?.via === 'http' && !(target.address instanceof URL) ? target.name : host;
};
