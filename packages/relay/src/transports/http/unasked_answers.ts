import { failed } from '../../base/client_error.ts';

/**
 * An answer that came before its request was sent does not count (D76; RFC 9112, 9.3): taken for the answer to the next
 * request, it would acknowledge what the server never saw. So bytes that nobody asked for close their connection. That
 * is not enough: they may arrive just after the next request was written. Hence `EagerServers`.
 */

export const answeredUnasked = () => failed('answered_unasked', {}, { retryAfterMs: 0, isUnsent: true });

/**
 * Servers that spoke without being asked. Each of their requests gets a connection of its own, on which nothing is left
 * from the one before.
 */
export class EagerServers {
  readonly #origins = new Set<string>();

  has(origin: string): boolean {
    return this.#origins.has(origin);
  }

  add(origin: string): void {
    // Redirects may lead to ever more of them.
    if (this.#origins.size >= most) this.#origins.clear();
    this.#origins.add(origin);
  }

  /** Goes on when all was read that a server says before it is asked: one that did so before gets more time for it. */
  afterUnasked(origin: string, goOn: () => void): void {
    // On a busy machine, what came in time may still wait to be read.
    if (this.has(origin)) setTimeout(() => afterNextPoll(goOn), listenMs);
    else afterNextPoll(goOn);
  }
}

const most = 1_000;

/** How long an eager server is listened to before it gets a request. */
const listenMs = 50;

/** Goes on when everything was read that has arrived by now. */
export function afterNextPoll(goOn: () => void): void {
  // The first comes in this turn of the event loop, the second after the reading of the next one.
  setImmediate(() => setImmediate(goOn));
}
