import { leaseSeconds, type SqsQueue } from './queue.ts';

/** Messages that this process alone has, for as long as it says so. */
export interface Leases {
  /** It says so from now on, for so long at most: what nobody settles comes again. */
  hold(queue: SqsQueue, receipt: string, mostMs?: number): Lease;
  /** Gives back all that is held. */
  close(): Promise<void>;
}

export interface Lease {
  readonly queue: SqsQueue;
  /** It is gone from the queue. */
  remove(): Promise<void>;
  isGone(): boolean;
  /** Nobody could say so for too long: others have it. */
  isLost(): boolean;
  /** Others may have it: after so many seconds, or at once. Never rejects: without a word they have it, too, but later. */
  giveBack(seconds?: number): Promise<void>;
  /** Nothing more is said: others have it when the time is up that was said last, if it is not gone. */
  end(): void;
}

const leaseMs = leaseSeconds * 1_000;
/** Twice in a lease, and once more where SQS did not hear it. */
const renewMs = leaseMs / 3;

/** A try takes 24 s, and settling it some more. */
const usualMostMs = 15 * 60_000;

export function createLeases(): Leases {
  const held = new Map<Lease, () => void>();
  let timer: NodeJS.Timeout | undefined;
  const renew = () => {
    for (const goOn of held.values()) goOn();
  };
  return {
    hold(queue, receipt, mostMs = usualMostMs) {
      let isGone = false;
      const startedAt = performance.now();
      let heldUntil = startedAt + leaseMs;
      const hide = async (seconds: number) => {
        const until = performance.now() + seconds * 1_000;
        // Nobody is told: what was not heard is said again, or SQS does by itself what was to be said.
        await queue.hide(receipt, seconds).then(
          () => (heldUntil = until),
          () => undefined,
        );
      };
      const end = () => {
        held.delete(lease);
        if (held.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
      const lease: Lease = {
        queue,
        end,
        isGone: () => isGone,
        isLost: () => performance.now() > heldUntil,
        remove: async () => {
          await queue.remove(receipt);
          isGone = true;
          end();
        },
        giveBack: async (seconds = 0) => {
          if (!held.has(lease)) return;
          end();
          await hide(seconds);
        },
      };
      held.set(lease, () => {
        if (performance.now() - startedAt > mostMs) end();
        else void hide(leaseSeconds);
      });
      timer ??= setInterval(renew, renewMs).unref();
      return lease;
    },
    close: async () => {
      await Promise.all([...held.keys()].map((lease) => lease.giveBack()));
    },
  };
}
