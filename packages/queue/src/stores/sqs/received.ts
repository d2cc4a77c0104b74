import type { MessageLease } from './message_leases.ts';
import type { Entry } from './queue_message.ts';

/** A message that was received, and is leased. */
export interface Received {
  readonly lease: MessageLease;
  readonly id: string;
  readonly body: string;
  /** `undefined` for an unknown message. */
  readonly entry: Entry | undefined;
}

/** Its size in memory. */
export const sizeOf = ({ entry, body }: Received) =>
  entry?.object?.size ?? entry?.kept.content.length ?? body.length;

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Doesn't wait for `work` after the stop: messages that arrive later go into stock or back to the queue. */
export async function unlessStopped<T>(
  work: Promise<T>,
  stop: AbortSignal | undefined,
): Promise<T | undefined> {
  if (!stop) return work;
  let onStop: () => void = () => {};
  const stopped = new Promise<undefined>((resolve) => {
    onStop = () => resolve(undefined);
    stop.addEventListener('abort', onStop);
  });
  return Promise.race([work, stopped]).finally(() => stop.removeEventListener('abort', onStop));
}

/** No try is further away (`retry_policy.ts`): a later due time comes from a wrong clock. */
const longestWaitMs = 27 * 3_600_000;

/** 0 for one that is due, or never would be. */
export function secondsUntil(dueAt: number, now: number): number {
  const waitMs = dueAt - now;
  return waitMs > longestWaitMs ? 0 : Math.max(0, Math.ceil(waitMs / 1_000));
}
