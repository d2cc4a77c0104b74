import { isFull, type LiveConnection, type StreamConnection } from './connection.ts';
import type { ClaimerKind, Subjects } from './stream_message.ts';

/** A claim not renewed for this long lapses. */
const believedMs = 30_000;

const timeoutMs = 5_000;

/**
 * What a process has in hand, so that a relay and an owner never have the same entry. Each says first what it takes, then
 * looks what others have: at least one of two who want the same sees the other, and leaves it. Where the stream is full, it
 * takes without a word: only what is delivered makes room. Then two may have the same, under one `Idempotency-Key`.
 */
export class ClaimRegistry {
  readonly #connection: StreamConnection;
  readonly #world: { readonly stream: string; readonly subjects: Subjects; readonly owner: string };
  readonly #kind: ClaimerKind;
  readonly #others: readonly ClaimerKind[];
  readonly #held = new Set<number>();
  readonly #own: string;
  /** Where it was said last. */
  #said: number | undefined;
  #sayings = 0;

  /** @param others Whose hands to look at. */
  constructor(
    connection: StreamConnection,
    world: { readonly stream: string; readonly subjects: Subjects; readonly owner: string },
    kind: ClaimerKind,
    others: readonly ClaimerKind[],
  ) {
    this.#connection = connection;
    this.#world = world;
    this.#kind = kind;
    this.#others = others;
    this.#own = world.subjects.registry(kind, world.owner);
  }

  /** Says that these are taken, too. Gives those of them that somebody else has. */
  async take(seqs: readonly number[]): Promise<readonly number[]> {
    for (const seq of seqs) this.#held.add(seq);
    const since = await this.#say().catch((error) => {
      if (!isFull(error)) throw error;
      return undefined;
    });
    const lists = await Promise.all(this.#others.map((kind) => this.#heldBy(kind, since)));
    const theirs = new Set(lists.flat());
    return seqs.filter((seq) => theirs.has(seq));
  }

  drop(seq: number): void {
    this.#held.delete(seq);
  }

  /** Says again what it has, so that others go on to believe it. */
  async tell(): Promise<void> {
    if (this.#held.size > 0) await this.#say();
  }

  /** Has nothing any more. */
  async close(): Promise<void> {
    this.#held.clear();
    if (this.#said !== undefined) await this.#forget(this.#said);
  }

  async #say(): Promise<number> {
    this.#sayings += 1;
    const msgID = `${this.#world.owner}-${this.#kind}-${this.#sayings}`;
    const text = JSON.stringify([...this.#held]);
    const { seq } = await this.#connection.ask(timeoutMs, ({ js }, timeout) =>
      js.publish(this.#own, text, { msgID, timeout, expect: { streamName: this.#world.stream } }),
    );
    const before = this.#said;
    this.#said = Math.max(this.#said ?? 0, seq);
    // It counts no more, so that nobody has to wait until it is gone.
    if (before !== undefined) void this.#forget(Math.min(before, seq));
    return seq;
  }

  #forget(seq: number) {
    return this.#connection
      .ask(timeoutMs, ({ jsm }) => jsm.streams.deleteMessage(this.#world.stream, seq, false))
      .catch(() => {});
  }

  /** Where somebody of this kind says what he has. */
  async #sayingsOf({ jsm }: LiveConnection, kind: ClaimerKind): Promise<readonly string[]> {
    const { state } = await jsm.streams.info(this.#world.stream, {
      subjects_filter: this.#world.subjects.registries(kind),
    });
    return Object.keys(state.subjects ?? {}).filter((subject) => subject !== this.#own);
  }

  /**
   * What others of this kind have. `since`: where this process has just spoken, and so the time there is now; without it,
   * whatever they said is believed.
   */
  #heldBy(kind: ClaimerKind, since: number | undefined) {
    return this.#connection.ask(timeoutMs, async (live) => {
      const subjects = await this.#sayingsOf(live, kind);
      const isTimed = since !== undefined && subjects.length > 0;
      const now = isTimed ? await live.jsm.streams.getMessage(this.#world.stream, { seq: since }) : undefined;
      const all: number[] = [];
      for (const subject of subjects) {
        const found = await live.jsm.streams.getMessage(this.#world.stream, { last_by_subj: subject });
        if (!found) continue;
        if (now && now.time.getTime() - found.time.getTime() > believedMs) void this.#forget(found.seq);
        else all.push(...readSeqs(found.string()));
      }
      return all;
    });
  }
}

/** Somebody else may write there. */
function readSeqs(text: string): readonly number[] {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) ? found.filter(Number.isInteger) : [];
  } catch {
    return [];
  }
}
