import { once } from 'node:events';
import type { Entry } from '../queue_message.ts';
import { leaseSeconds, type SqsQueue } from './queue.ts';

const leaseMs = leaseSeconds * 1_000;
/** Twice in a lease, and once more if a renewal is lost. */
const renewMs = leaseMs / 3;

/** A try takes 24 s, and settling it some more. */
const usualMostMs = 15 * 60_000;

/** Messages that this process alone has while it renews their leases. */
export class LeasedMessages {
  readonly #held = new Set<MessageLease>();
  #timer: NodeJS.Timeout | undefined;

  /** Renews a received message's lease from now on, for `mostMs` at most: an unsettled message comes again. */
  hold(queue: SqsQueue, receipt: string, mostMs = usualMostMs): MessageLease {
    const lease = new MessageLease(queue, receipt, mostMs, this.#held);
    this.#held.add(lease);
    this.#timer ??= setInterval(() => this.#renew(), renewMs).unref();
    return lease;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#held].map((lease) => lease.giveBack()));
  }

  #renew(): void {
    for (const lease of this.#held) lease.renew();
    if (this.#held.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

export class MessageLease {
  readonly #startedAt = performance.now();
  #heldUntil = this.#startedAt + leaseMs;
  /** Whether it is removed from the queue. */
  isGone = false;

  constructor(
    readonly queue: SqsQueue,
    private readonly receipt: string,
    private readonly mostMs: number,
    private readonly held: Set<MessageLease>,
  ) {}

  /** Whether the lease was not renewed in time: another process may have the message. */
  get isLost(): boolean {
    return performance.now() > this.#heldUntil;
  }

  async remove(): Promise<void> {
    await this.queue.remove(this.receipt);
    this.isGone = true;
    this.end();
  }

  /** Lets others have the message after so many seconds. Never rejects: without an answer, they have it when the lease ends. */
  async giveBack(seconds = 0): Promise<void> {
    if (!this.held.has(this)) return;
    this.end();
    await this.#hide(seconds);
  }

  /** Ends renewal: others have the message when the lease ends, unless it is gone. */
  end(): void {
    this.held.delete(this);
  }

  renew(): void {
    if (performance.now() - this.#startedAt > this.mostMs) this.end();
    else void this.#hide(leaseSeconds);
  }

  async #hide(seconds: number): Promise<void> {
    const until = performance.now() + seconds * 1_000;
    try {
      await this.queue.hide(this.receipt, seconds);
      this.#heldUntil = until;
    } catch {
      // The next renewal repeats it, or SQS does it by itself.
    }
  }
}

/** A message that was received, and is leased. */
export interface Received {
  readonly lease: MessageLease;
  readonly id: string;
  readonly body: string;
  /** `undefined` for an unknown message. */
  readonly entry: Entry | undefined;
}

/** The size in memory. */
export const sizeOf = ({ entry, body }: Received) =>
  entry?.object?.size ?? entry?.kept.content.length ?? body.length;

/** Doesn't wait for `work` after the stop: messages that arrive later go into stock or back to the queue. */
export async function unlessStopped<T>(
  work: Promise<T>,
  stop: AbortSignal | undefined,
): Promise<T | undefined> {
  if (!stop) return work;
  const done = new AbortController();
  const stopped = once(stop, 'abort', done).then(
    () => undefined,
    () => undefined,
  );
  return Promise.race([work, stopped]).finally(() => done.abort());
}
