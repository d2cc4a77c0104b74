import { ClientError } from './client_error.ts';
import type { Effects } from './effects.ts';

export interface RetryRule {
  /** How many tries there may be after the first. */
  readonly retries: number;
  /** For all tries and the waits between them. */
  readonly timeoutMs: number;
  /** The first wait; each further one is twice as long. */
  readonly firstWaitMs: number;
  /** Told before each wait. */
  readonly onRetry?: (error: ClientError) => void;
}

/** Tries until it succeeds, until another try would not help, or until there is no time for one: then it rejects. */
export async function withRetries<T>(
  attempt: (timeoutMs: number) => Promise<T>,
  { retries, timeoutMs, firstWaitMs, onRetry }: RetryRule,
  { now, sleep, random }: Pick<Effects, 'now' | 'sleep' | 'random'>,
): Promise<T> {
  const deadline = now() + timeoutMs;
  // Never more, though the clock may be set back meanwhile.
  const leftMs = () => Math.min(timeoutMs, deadline - now());
  for (let retry = 0; ; retry += 1) {
    try {
      return await attempt(retry === 0 ? timeoutMs : Math.max(1, leftMs()));
    } catch (error) {
      const canRetry = retry < retries && error instanceof ClientError && error.retryAfterMs !== undefined;
      if (!canRetry) throw error;
      // Less up to half of it by chance, so that copies do not come back all at once.
      const waitMs = Math.max(error.retryAfterMs, firstWaitMs * 2 ** retry * (1 - random() / 2));
      if (waitMs >= leftMs()) throw error;
      onRetry?.(error);
      await sleep(waitMs);
    }
  }
}
