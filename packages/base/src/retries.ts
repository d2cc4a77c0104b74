import { ClientError } from './client_error.ts';
import { signalAfter } from './with_timeout.ts';

export interface RetryRule {
  readonly retries: number;
  /** The timeout of all attempts and the waits between them. */
  readonly timeoutMs: number;
  /** The first wait; each later wait is twice as long. */
  readonly firstWaitMs: number;
  readonly onRetry?: (error: ClientError) => void;
}

/** Makes one attempt within a time limit in milliseconds. */
type Attempt<T> = (timeoutMs: number) => Promise<T>;

/** An attempt, whose signal aborts when its time is up. The signal is created only when it is read. */
export class Try {
  readonly timeoutMs: number;
  #ending: ReturnType<typeof signalAfter> | undefined;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }

  get signal(): AbortSignal {
    this.#ending ??= signalAfter(this.timeoutMs, timedOut(this.timeoutMs));
    return this.#ending.signal;
  }

  /** Call this when the attempt has succeeded or failed. */
  end(): void {
    this.#ending?.clear();
  }
}

export const timedOut = (timeoutMs: number): ClientError =>
  new ClientError(`not finished within ${timeoutMs} ms`, { code: 'timed_out', params: { timeoutMs } });

interface Waiting {
  now(): number;
  sleep(ms: number): Promise<void>;
  random(): number;
}

/** Retries until an attempt succeeds. Rejects if a retry would not help or there is no time left for one. */
export async function withRetries<T>(attempt: Attempt<T>, rule: RetryRule, services: Waiting): Promise<T> {
  const startedAt = services.now();
  try {
    return await attempt(rule.timeoutMs);
  } catch (error) {
    return tryAgain(error, attempt, rule, startedAt, services);
  }
}

/** Continues after a first attempt, begun at `startedAt`, that failed with `error`. */
export async function tryAgain<T>(
  error: unknown,
  attempt: Attempt<T>,
  { retries, timeoutMs, firstWaitMs, onRetry }: RetryRule,
  startedAt: number,
  { now, sleep, random }: Waiting,
): Promise<T> {
  const deadline = startedAt + timeoutMs;
  // The clock may be set back meanwhile.
  const leftMs = () => Math.min(timeoutMs, deadline - now());
  let latest = error;
  for (let retry = 0; ; retry += 1) {
    if (retry === retries || !(latest instanceof ClientError) || latest.retryAfterMs === undefined)
      throw latest;
    // Jitter, so that several copies of the relay do not retry at the same time.
    const waitMs = Math.max(latest.retryAfterMs, firstWaitMs * 2 ** retry * (1 - random() / 2));
    if (waitMs >= leftMs()) throw latest;
    onRetry?.(latest);
    await sleep(waitMs);
    try {
      return await attempt(Math.max(1, leftMs()));
    } catch (next) {
      latest = next;
    }
  }
}
