import type { Counts, Versioned } from '../store.ts';
import type { StreamConnection } from './connection.ts';

/** Counts in the stream of queued deliveries: the last message of a subject is the latest version. */
export class NatsCounts implements Counts {
  readonly #connection: StreamConnection;

  constructor(connection: StreamConnection) {
    this.#connection = connection;
  }

  read(key: string, timeoutMs: number): Promise<Versioned> {
    const last_by_subj = this.#subjectOf(key);
    return this.#connection.ask(timeoutMs, async ({ jsm }) => {
      const found = await jsm.streams.getMessage(this.#connection.stream, { last_by_subj });
      return { text: found ? found.string() : undefined, version: String(found?.seq ?? 0) };
    });
  }

  async write(key: string, text: string, { version }: Versioned, timeoutMs: number): Promise<boolean> {
    const subject = this.#subjectOf(key);
    // Also false if this request wrote before its connection broke; reading again shows that.
    const isLast = await this.#connection.publishAfter(Number(version), subject, text, { timeoutMs });
    // Older versions are never read.
    if (isLast) void this.#connection.purge(timeoutMs, { filter: subject, keep: 1 }).catch(() => {});
    return isLast;
  }

  async remove(key: string, timeoutMs: number): Promise<void> {
    await this.#connection.purge(timeoutMs, { filter: this.#subjectOf(key) });
  }

  readonly #subjectOf = (key: string) => this.#connection.subjects.count(key.replaceAll('/', '.'));
}
