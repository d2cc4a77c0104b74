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

/** Makes one try, which may take so long. */
type Attempt<T> = (timeoutMs: number) => Promise<T>;

type Waiting = Pick<Effects, 'now' | 'sleep' | 'random'>;

/** Tries until it succeeds, until another try would not help, or until there is no time for one: then it rejects. */
export async function withRetries<T>(attempt: Attempt<T>, rule: RetryRule, effects: Waiting): Promise<T> {
  const startedAt = effects.now();
  try {
    return await attempt(rule.timeoutMs);
  } catch (error) {
    return tryAgain(error, attempt, rule, startedAt, effects);
  }
}

/** The same from the end of a first try on that failed with `error` and had all of `timeoutMs`, from `startedAt` on. */
export async function tryAgain<T>(
  error: unknown,
  attempt: Attempt<T>,
  { retries, timeoutMs, firstWaitMs, onRetry }: RetryRule,
  startedAt: number,
  { now, sleep, random }: Waiting,
): Promise<T> {
  const deadline = startedAt + timeoutMs;
  // Never more, though the clock may be set back meanwhile.
  const leftMs = () => Math.min(timeoutMs, deadline - now());
  let latest = error;
  for (let retry = 0; ; retry += 1) {
    if (retry === retries || !(latest instanceof ClientError) || latest.retryAfterMs === undefined)
      throw latest;
    // Less up to half of it by chance, so that copies do not come back all at once.
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
