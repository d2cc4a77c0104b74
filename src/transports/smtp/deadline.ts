import { type ClientError, failed } from '../../client_error.ts';

/** A message's time: what it waits for ends when the time is up. */
export class Deadline {
  onExpire: (reason: ClientError) => void = () => {};
  readonly timeoutMs: number;
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
    this.#timer = setTimeout(() => this.onExpire(failed('timed_out', { timeoutMs })), timeoutMs);
  }

  /** Waits for the promise, and no longer than there is time. */
  within<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.onExpire = reject;
      promise.then(resolve, reject);
    });
  }

  clear() {
    clearTimeout(this.#timer);
  }
}
