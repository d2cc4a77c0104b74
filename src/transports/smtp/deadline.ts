import { ClientError } from '../../effects.ts';

/** A message's time: what it waits for ends when the time is up. */
export class Deadline {
  onExpire: (reason: ClientError) => void = () => {};
  readonly timeoutMs: number;
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
    const late = `no complete answer within ${timeoutMs} ms`;
    const expire = () => this.onExpire(new ClientError(late, { kind: 'no_answer' }));
    this.#timer = setTimeout(expire, timeoutMs);
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
