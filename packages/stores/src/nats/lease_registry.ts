import { parseJson } from '@form-relay/base/json';
import { isFull, type StreamConnection } from './connection.ts';
import { randomName } from './entries.ts';
import type { LeaseKind } from './stream_message.ts';

/** A lease that is not renewed for this long expires. */
export const believedMs = 30_000;

const timeoutMs = 5_000;

/**
 * Publishes the leases of a process, so that a relay and an owner never have the same entry. Each process
 * publishes its leases before it reads those of others, so if two want the same entry, at least one of them
 * sees the other and drops it. If the stream is full, a process leases without publishing, because only
 * deliveries make room. Two processes may then deliver the same entry, with the same `Idempotency-Key`.
 */
export class LeaseRegistry {
  readonly #held = new Set<number>();
  readonly #owner = randomName();
  readonly #subject: string;
  /** The sequence number of the latest message. */
  #published: number | undefined;
  #messages = 0;

  /** @param others The kinds of other leases that count. */
  constructor(
    private readonly connection: StreamConnection,
    private readonly kind: LeaseKind,
    private readonly others: readonly LeaseKind[],
  ) {
    this.#subject = connection.subjects.registry(kind, this.#owner);
  }

  /** Adds leases. Resolves with those that another process has. */
  async take(seqs: readonly number[]): Promise<readonly number[]> {
    for (const seq of seqs) this.#held.add(seq);
    const since = await this.#publish().catch((error) => {
      if (!isFull(error)) throw error;
      return undefined;
    });
    const lists = await Promise.all(this.others.map((kind) => this.#heldBy(kind, since)));
    const theirs = new Set(lists.flat());
    return seqs.filter((seq) => theirs.has(seq));
  }

  drop(seq: number): void {
    this.#held.delete(seq);
  }

  async renew(): Promise<void> {
    if (this.#held.size > 0) await this.#publish();
  }

  async close(): Promise<void> {
    this.#held.clear();
    if (this.#published !== undefined) await this.#forget(this.#published);
  }

  async #publish(): Promise<number> {
    this.#messages += 1;
    const msgID = `${this.#owner}-${this.kind}-${this.#messages}`;
    const text = JSON.stringify([...this.#held]);
    const { seq } = await this.connection.publish(timeoutMs, this.#subject, text, msgID);
    const before = this.#published;
    this.#published = Math.max(this.#published ?? 0, seq);
    // Only the last message counts, so this one may be removed late.
    if (before !== undefined) void this.#forget(Math.min(before, seq));
    return seq;
  }

  #forget(seq: number) {
    return this.connection
      .ask(timeoutMs, ({ jsm }) => jsm.streams.deleteMessage(this.connection.stream, seq, false))
      .catch(() => {});
  }

  /**
   * The leases of other processes of this kind.
   *
   * @param since The message that this process has just published, whose time is the server's. Without it, no lease expires.
   */
  #heldBy(kind: LeaseKind, since: number | undefined) {
    return this.connection.ask(timeoutMs, async ({ jsm: { streams } }) => {
      const { state } = await streams.info(this.connection.stream, {
        subjects_filter: this.connection.subjects.registries(kind),
      });
      const subjects = Object.keys(state.subjects ?? {}).filter((subject) => subject !== this.#subject);
      const isTimed = since !== undefined && subjects.length > 0;
      const now = isTimed ? await streams.getMessage(this.connection.stream, { seq: since }) : undefined;
      const all: number[] = [];
      for (const subject of subjects) {
        const found = await streams.getMessage(this.connection.stream, { last_by_subj: subject });
        if (!found) continue;
        if (now && now.time.getTime() - found.time.getTime() > believedMs) void this.#forget(found.seq);
        else all.push(...readSeqs(found.string()));
      }
      return all;
    });
  }
}

/** The text may be anything, because others may be able to write to the stream. */
function readSeqs(text: string): readonly number[] {
  const found = parseJson(text);
  return Array.isArray(found) ? found.filter(Number.isInteger) : [];
}
