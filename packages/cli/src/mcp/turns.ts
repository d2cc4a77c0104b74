import { CommandFailed } from '../command_failed.ts';

/** Dry runs are work for one processor, and an assistant may ask for hundreds. */
const mostAtOnce = 4;
const mostWaiting = 1_000;

/** Runs a few calls at once, in the order in which they came. */
export class Turns {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Throws a `CommandFailed` where too many wait, and the signal's reason where nobody wants the answer any more. */
  async take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#running >= mostAtOnce) {
      if (this.#waiting.length >= mostWaiting)
        throw new CommandFailed(`${mostWaiting} calls are waiting already; ask again when some are answered`);
      // A call that ends hands its place on.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
