import { ClientError } from '@form-relay/base/client_error';
import type { Services } from '@form-relay/core/index';
import { type DeliveryError, hostAfter } from './retry_policy.ts';

export type Ending = 'taken' | DeliveryError;

/** Why a delivery was not made. */
export type Refusal =
  /** The host is down: other deliveries to it failed for this reason. */
  | { readonly kind: 'down'; readonly why: DeliveryError }
  /** The queue is too long: come back at `dueAt`. */
  | { readonly kind: 'crowded'; readonly dueAt: number }
  | { readonly kind: 'closed' };

/** How many queued deliveries may go to a host at once. */
const mostAtOnce = 8;
/** How many deliveries of one client may wait for hosts if the relay has several clients, so that no client holds up the others. */
const mostOfClient = 64;
/** How long a delivery is rescheduled if the queue is too long. */
const crowdedMs = 60_000;
/** A host counts as down after this many consecutive failures, each of which might concern one delivery only. */
const mostDoubts = 3;
/** The pauses for a host that is down; each twice as long, up to `most`. */
const pauseMs = { first: 5_000, most: 60_000 };
/** The maximum of `Retry-After`; longer values are cut to this. */
const mostRetryAfterMs = 3_600_000;
/** A shorter `Retry-After` does not mean that the host is down. */
const patienceMs = 3_000;

class Host {
  underWay = 0;
  readonly queue: ((refusal?: Refusal) => void)[] = [];
  doubts = 0;
  down: { readonly why: DeliveryError; readonly since: number; readonly pauseMs: number } | undefined;
  isProbed = false;
}

/**
 * Limits the deliveries to a host at a time: all forms together or, with clients, all forms of a client, because what fails
 * for one client, for example a wrong password, may work for another. A host that is down gets only an occasional probe.
 */
export class HostQueues {
  readonly #hosts = new Map<string, Host>();
  readonly #waiting = new Map<string, number>();
  #isClosed = false;

  constructor(private readonly services: Pick<Services, 'now'>) {}

  /** Runs `work` when the host has room, or resolves with the reason for not running it. Rejects if `work` does. */
  async visit(
    name: string,
    work: () => Promise<Ending | undefined>,
    manner: 'queued' | 'at_once',
    client = '',
  ): Promise<Refusal | undefined> {
    const key = `${client}/${name}`;
    const host = this.#hosts.get(key) ?? new Host();
    this.#hosts.set(key, host);
    const isProbe = this.#mayProbe(host);
    if (host.down && !isProbe) return { kind: 'down', why: host.down.why };
    host.isProbed = isProbe;
    // Probes and deliveries from memory bypass the queue and are not counted.
    const isQueued = manner === 'queued' && !isProbe;
    const refusal = isQueued ? await this.#enter(host, client) : undefined;
    if (refusal) return refusal;
    let ending: Ending | undefined;
    try {
      ending = await work();
    } finally {
      if (isQueued) host.underWay -= 1;
      if (isProbe) host.isProbed = false;
      if (ending !== undefined) this.#learn(host, ending, isProbe);
      this.#callNext(host);
    }
    return undefined;
  }

  /** Makes room for other hosts: postpones deliveries that would wait long. */
  relieve(): void {
    const dueAt = this.services.now() + crowdedMs;
    for (const { queue } of this.#hosts.values())
      for (const leave of queue.splice(mostAtOnce)) leave({ kind: 'crowded', dueAt });
  }

  close(): void {
    this.#isClosed = true;
    for (const { queue } of this.#hosts.values())
      for (const leave of queue.splice(0)) leave({ kind: 'closed' });
  }

  #mayProbe({ down, isProbed }: Host): boolean {
    if (!down || isProbed) return false;
    const sinceMs = this.services.now() - down.since;
    // If negative, the clock was set back.
    return sinceMs < 0 || sinceMs >= down.pauseMs;
  }

  #enter(host: Host, client: string): Refusal | undefined | Promise<Refusal | undefined> {
    if (this.#isClosed) return { kind: 'closed' };
    if (host.underWay >= mostAtOnce) return this.#wait(host, client);
    host.underWay += 1;
    return undefined;
  }

  #wait({ queue }: Host, client: string): Refusal | Promise<Refusal | undefined> {
    const waiting = this.#waiting.get(client) ?? 0;
    if (client !== '' && waiting >= mostOfClient)
      return { kind: 'crowded', dueAt: this.services.now() + crowdedMs };
    this.#waiting.set(client, waiting + 1);
    return new Promise<Refusal | undefined>((resolve) => queue.push(resolve)).finally(() =>
      this.#waiting.set(client, (this.#waiting.get(client) ?? 1) - 1),
    );
  }

  #learn(host: Host, ending: Ending, isProbe: boolean): void {
    const state = ending === 'taken' ? 'up' : hostAfter(ending);
    if (state === 'up') {
      host.down = undefined;
      host.doubts = 0;
      return;
    }
    if (ending === 'taken') return;
    host.doubts += 1;
    // Ignore this failure: the delivery began before the host was known to be down.
    if (host.down && !isProbe) return;
    const waitMs = ending instanceof ClientError ? (ending.retryAfterMs ?? 0) : 0;
    const isDown = state === 'down' || host.down || host.doubts >= mostDoubts || waitMs > patienceMs;
    if (!isDown) return;
    const pause = host.down ? Math.min(host.down.pauseMs * 2, pauseMs.most) : pauseMs.first;
    const pauseFor = Math.max(pause, Math.min(waitMs, mostRetryAfterMs));
    host.down = { why: ending, since: this.services.now(), pauseMs: pauseFor };
    for (const leave of host.queue.splice(0)) leave({ kind: 'down', why: ending });
  }

  #callNext(host: Host): void {
    for (const call of host.queue.splice(0, Math.max(0, mostAtOnce - host.underWay))) {
      host.underWay += 1;
      call();
    }
  }
}
