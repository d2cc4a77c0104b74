/** The last TLS session of each server: with it, the next handshake is shorter (RFC 8446, 2.2). */
export class TlsSessions {
  readonly #sessions = new Map<string, Buffer>();

  get(origin: string): Buffer | undefined {
    return this.#sessions.get(origin);
  }

  set(origin: string, session: Buffer): void {
    // The latest last, so that the first is the one to drop.
    this.#sessions.delete(origin);
    this.#sessions.set(origin, session);
    if (this.#sessions.size <= most) return;
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined) this.#sessions.delete(oldest);
  }
}

/** Redirects may lead to ever more servers. A session is 1 to 3 KB. */
const most = 100;
