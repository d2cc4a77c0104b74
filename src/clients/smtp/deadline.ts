import { ClientError } from '../../effects.ts';

/** A message's time: what it waits for ends when the time is up. */
export class Deadline {
  onExpire: (reason: ClientError) => void = () => {};
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    const expire = () => this.onExpire(new ClientError(`no complete answer within ${timeoutMs} ms`));
    this.#timer = setTimeout(expire, timeoutMs);
  }

  clear() {
    clearTimeout(this.#timer);
  }
}
