import { isFull } from './failure.ts';
import type { Line, Link } from './link.ts';
import type { HandKind, Subjects } from './message.ts';

/**
 * What a process has in hand, so that a relay and an owner never have the same entry. Each says first what it takes, then
 * looks what others have: at least one of two who want the same sees the other, and leaves it. Where the stream is full, it
 * takes without a word: only what is delivered makes room. Then two may have the same, under one `Idempotency-Key`.
 */
export interface Hand {
  /** Says that these are taken, too. Gives those of them that somebody else has. */
  take(seqs: readonly number[]): Promise<readonly number[]>;
  drop(seq: number): void;
  /** Says again what it has, so that others go on to believe it. */
  tell(): Promise<void>;
  /** Has nothing any more. */
  close(): Promise<void>;
}

/** What nobody has said for so long is nobody's. */
const believedMs = 30_000;

const timeoutMs = 5_000;

/** @param others Whose hands to look at. */
export function createHand(
  link: Link,
  {
    stream,
    subjects,
    owner,
  }: { readonly stream: string; readonly subjects: Subjects; readonly owner: string },
  kind: HandKind,
  others: readonly HandKind[],
): Hand {
  const held = new Set<number>();
  const own = subjects.hand(kind, owner);
  /** Where it was said last. */
  let said: number | undefined;
  let sayings = 0;

  const say = async (): Promise<number> => {
    sayings += 1;
    const msgID = `${owner}-${kind}-${sayings}`;
    const text = JSON.stringify([...held]);
    const { seq } = await link.ask(timeoutMs, ({ js }, timeout) =>
      js.publish(own, text, { msgID, timeout, expect: { streamName: stream } }),
    );
    const before = said;
    said = Math.max(said ?? 0, seq);
    // It counts no more, so that nobody has to wait until it is gone.
    if (before !== undefined) void forget(Math.min(before, seq));
    return seq;
  };
  const forget = (seq: number) =>
    link.ask(timeoutMs, ({ jsm }) => jsm.streams.deleteMessage(stream, seq, false)).catch(() => {});

  /** Where somebody of this kind says what he has. */
  const sayingsOf = async ({ jsm }: Line, kind: HandKind): Promise<readonly string[]> => {
    const { state } = await jsm.streams.info(stream, { subjects_filter: subjects.hands(kind) });
    return Object.keys(state.subjects ?? {}).filter((subject) => subject !== own);
  };

  /**
   * What others of this kind have. `since`: where this process has just spoken, and so the time there is now; without it,
   * whatever they said is believed.
   */
  const heldBy = (kind: HandKind, since: number | undefined) =>
    link.ask(timeoutMs, async (line) => {
      const subjects = await sayingsOf(line, kind);
      const isTimed = since !== undefined && subjects.length > 0;
      const now = isTimed ? await line.jsm.streams.getMessage(stream, { seq: since }) : undefined;
      const all: number[] = [];
      for (const subject of subjects) {
        const found = await line.jsm.streams.getMessage(stream, { last_by_subj: subject });
        if (!found) continue;
        if (now && now.time.getTime() - found.time.getTime() > believedMs) void forget(found.seq);
        else all.push(...readSeqs(found.string()));
      }
      return all;
    });

  return {
    take: async (seqs) => {
      for (const seq of seqs) held.add(seq);
      const since = await say().catch((error) => {
        if (!isFull(error)) throw error;
        return undefined;
      });
      const lists = await Promise.all(others.map((kind) => heldBy(kind, since)));
      const theirs = new Set(lists.flat());
      return seqs.filter((seq) => theirs.has(seq));
    },
    drop: (seq) => void held.delete(seq),
    tell: async () => {
      if (held.size > 0) await say();
    },
    close: async () => {
      held.clear();
      if (said !== undefined) await forget(said);
    },
  };
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
