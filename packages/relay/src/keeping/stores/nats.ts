import { failed } from '../../base/client_error.ts';
import type { Effects } from '../../base/effects.ts';
import type { Claim, Keep, Kept, Listed, Store } from '../../base/kept.ts';
import { usualMostKept } from './content.ts';
import { createEntries, type Found, listedOf, randomName, timeoutMs } from './nats/entries.ts';
import { isFull } from './nats/failure.ts';
import { createHand, type Hand } from './nats/hand.ts';
import { createLink, type NatsPlace } from './nats/link.ts';
import { type HandKind, type Mark, type Message, readMessage, subjectsOf } from './nats/message.ts';
import { type Handed, pull } from './nats/pull.ts';
import { claimMs, consumerName, lookAtStream, setUpStream } from './nats/stream.ts';

/** How often servers are told what is in hand: several times before it comes back. */
const beatMs = claimMs / 4;

/** How often the clock is looked at while nothing comes. */
const lookMs = 2_000;

/** How much longer than asked a claim goes on where all that it got is too early. */
const sortingMs = 1_000;

/** A consumer has handed out what was due so long ago, unless it has lost it, as after a crash of its server. */
const forgottenMs = 3_600_000;

/** How often it is looked for. */
const searchMs = 600_000;

/** So many are written anew at once. */
const mostAnew = 64;

/** So far a clock is set at least that is set. */
const clockJumpMs = 30_000;

/** NATS JetStream: a stream with a message for each entry, and a consumer that hands out those that are due (D103). */
export async function openNats(
  keep: Keep,
  {
    readEnv,
    now,
    mostKept = usualMostKept,
  }: {
    readonly readEnv: Effects['env'];
    readonly now: Effects['now'];
    readonly mostKept?: number | undefined;
  },
): Promise<Store> {
  const place = keep.in as NatsPlace;
  const { stream } = place;
  const subjects = subjectsOf(stream);
  const link = createLink(place, readEnv);
  const entries = createEntries(link, stream, subjects, mostKept);
  const hands = new Set<Hand>();
  const handOf = (kind: HandKind, others: readonly HandKind[]) => {
    const owner = randomName();
    const hand = createHand(link, { stream, subjects, owner }, kind, others);
    hands.add(hand);
    return hand;
  };
  const claimedHand = handOf('claimed', ['taken']);
  /** What this process has claimed, and where to say so. */
  const claimed = new Map<number, string>();
  let beat: NodeJS.Timeout | undefined;
  let searchAt = 0;
  /** By how much the clock is ahead of the process. */
  let aheadMs = now() - performance.now();

  return {
    keep: async (all, { isMine, dueAt, timeoutMs }) => {
      const mark = { dueAt: isMine ? now() : dueAt, aside: undefined };
      const kept = await Promise.allSettled(all.map((one) => entries.put(one, mark, timeoutMs)));
      const lost = kept.find((one) => one.status === 'rejected');
      if (!lost) return [];
      // Its visitor sends all of it again.
      for (const one of kept) if (one.status === 'fulfilled') void entries.remove(one.value).catch(() => {});
      throw lost.reason;
    },

    claim: async (most, waitMs, mostBytes = Infinity, stop) => {
      const until = performance.now() + waitMs;
      for (;;) {
        const restMs = Math.max(0, Math.ceil(until - performance.now()));
        const handed = await link.ask(lookMs + timeoutMs, (line) =>
          pull(line, { stream, name: consumerName }, most, Math.min(restMs, lookMs), stop),
        );
        const claims = await claimSome(handed, mostBytes);
        const isOver = performance.now() >= until + (handed.length > 0 ? sortingMs : 0);
        if (claims.length > 0 || stop?.aborted) return claims;
        if (handed.length === 0) {
          await search().catch((error) => {
            // What is found is written anew when there is room.
            if (!isFull(error)) throw error;
          });
        }
        if (isOver) return claims;
      }
    },

    count: entries.count,

    async *list() {
      for await (const { message } of entries.all()) yield listedOf(message, entries);
    },

    take,
    isFirst: entries.isFirst,
    setUp: async () => [...(await setUpStream(link, stream)), ...(await entries.tidyUp(now()))],
    look: (timeoutMs) => lookAtStream(link, stream, timeoutMs, keep.forMs),

    close: async () => {
      clearInterval(beat);
      for (const reply of claimed.values()) giveBack(reply, 0);
      await Promise.all([...hands].map((hand) => hand.close()));
      await link.close();
    },
  };

  async function* take(
    wanted: (one: Listed) => boolean,
  ): AsyncGenerator<Claim & { readonly listed: Listed }> {
    const hand = handOf('taken', ['claimed', 'taken']);
    beat ??= setInterval(() => void tell(), beatMs).unref();
    try {
      for await (const { seq, message } of entries.all()) {
        const listed = listedOf(message, entries);
        if (!wanted(listed)) continue;
        const isTheirs = (await hand.take([seq])).length > 0;
        if (!isTheirs && (await entries.isThere(seq))) yield { ...(await claimOf({ seq, message })), listed };
        hand.drop(seq);
      }
    } finally {
      hands.delete(hand);
      await hand.close();
    }
  }

  /** What the consumer has lost is written anew, so that it hands it out. */
  async function search(): Promise<void> {
    const isSet = Math.abs(now() - performance.now() - aheadMs) > clockJumpMs;
    if (isSet) aheadMs = now() - performance.now();
    else if (performance.now() < searchAt) return;
    searchAt = performance.now() + searchMs;
    if (!isSet && !(await entries.hasForgotten())) return;
    const since = now() - (isSet ? 0 : forgottenMs);
    const hand = handOf('taken', ['claimed', 'taken']);
    const writeAnew = async (some: readonly Found[]) => {
      const theirs = await hand.take(some.map(({ seq }) => seq));
      const free = some.filter(({ seq }) => !theirs.includes(seq));
      await Promise.all(
        free.map((one) => replace(one, one.message.kept, { dueAt: since, aside: undefined })),
      );
      for (const { seq } of some) hand.drop(seq);
    };
    try {
      let some: Found[] = [];
      for await (const one of entries.all()) {
        const { dueAt, aside, isSealed } = one.message.mark;
        if (aside === undefined && !isSealed && dueAt < since) some.push(one);
        if (some.length < mostAnew) continue;
        await writeAnew(some);
        some = [];
      }
      if (some.length > 0) await writeAnew(some);
    } finally {
      hands.delete(hand);
      await hand.close();
    }
  }

  /** It is there before it is gone from where it was. Whether it was still there. */
  async function replace(
    { seq, message }: Found,
    kept: Kept,
    next: Omit<Mark, 'parts' | 'isSealed'>,
    { name, remove } = { name: randomName(), remove: () => entries.remove(seq) },
  ): Promise<boolean> {
    // Another version of the relay may know what it is.
    const unread = message.isDamaged ? message.kept.content : undefined;
    // Under a name of its own: two who have the same write two, and each removes its own alone.
    const put = await entries.put(kept, next, timeoutMs, { name, parts: message.mark.parts, unread });
    if (await remove()) return true;
    // Another process had it since, and has settled it.
    await entries.remove(put);
    return false;
  }

  /** What is handed out too early, or is more than is wanted, is handed out again. */
  async function claimSome(handed: readonly Handed[], mostBytes: number): Promise<readonly Claim[]> {
    const due: { readonly seq: number; readonly reply: string; readonly message: Message }[] = [];
    let bytes = 0;
    for (const { subject, seq, data, reply } of handed) {
      const message = readMessage(subject, seq, data);
      const earlyMs = message.mark.dueAt - now();
      const size = message.mark.parts?.bytes ?? message.kept.content.length;
      const fits = due.length === 0 || bytes + size <= mostBytes;
      if (earlyMs > 0 || !fits) {
        giveBack(reply, Math.max(0, earlyMs));
        continue;
      }
      bytes += size;
      due.push({ seq, reply, message });
    }
    if (due.length === 0) return [];
    for (const { seq, reply } of due) claimed.set(seq, reply);
    beat ??= setInterval(() => void tell(), beatMs).unref();
    try {
      const theirs = await claimedHand.take(due.map(({ seq }) => seq));
      const claims: Claim[] = [];
      for (const { seq, reply, message } of due) {
        if (!theirs.includes(seq)) claims.push(await claimOf({ seq, message }));
        else {
          release(seq);
          giveBack(reply, claimMs);
        }
      }
      return claims;
    } catch (error) {
      for (const { seq, reply } of due) {
        release(seq);
        giveBack(reply, claimMs);
      }
      throw error;
    }
  }

  /** It is handed out again after so long. If nobody hears it, it is so all the same. */
  function giveBack(reply: string, afterMs: number): void {
    link.say(
      reply,
      afterMs > 0 ? `-NAK ${JSON.stringify({ delay: Math.ceil(afterMs) * 1_000_000 })}` : '-NAK',
    );
  }

  /** Has servers wait on. */
  async function tell(): Promise<void> {
    for (const reply of claimed.values()) link.say(reply, '+WPI');
    await Promise.all([...hands].map((hand) => hand.tell())).catch(() => {});
  }

  function release(seq: number): void {
    claimed.delete(seq);
    claimedHand.drop(seq);
  }

  async function claimOf(one: Found): Promise<Claim> {
    const { seq, message } = one;
    const { kept: found, isDamaged } = message;
    const { parts } = message.mark;
    const content = parts ? await entries.content(parts) : found.content;
    const kept: Kept = { ...found, content: content ?? new Uint8Array() };
    const end = () => {
      const reply = claimed.get(seq);
      // The message is gone, so nothing is lost where nobody hears it.
      if (reply !== undefined) link.say(reply, '+ACK');
      release(seq);
    };
    const name = randomName();
    let isAsked = false;
    /** Whether it was there. If it was asked before, without an answer, that may have been heard. */
    const remove = async () => {
      const wasAsked = isAsked;
      isAsked = true;
      return (await entries.remove(seq)) || wasAsked;
    };
    const lost = () => {
      release(seq);
      throw failed('claim_lost');
    };
    const move = async (changed: Kept, next: Omit<Mark, 'parts' | 'isSealed'>) => {
      if (!(await replace(one, { ...changed, content: kept.content }, next, { name, remove }))) lost();
      end();
    };
    return {
      kept,
      ...((isDamaged || !content) && { isDamaged: true }),
      done: async () => {
        if (!(await remove())) lost();
        end();
        if (parts) await entries.removeParts(parts);
      },
      putOff: async (dueAt, changed) => {
        try {
          await move(changed, { dueAt, aside: undefined });
        } catch (error) {
          const reply = claimed.get(seq);
          if (!isFull(error) || reply === undefined) throw error;
          // There is no room to write why it waits. It waits all the same.
          giveBack(reply, Math.max(1, dueAt - now()));
          release(seq);
        }
      },
      setAside: (aside, changed) => move(changed, { dueAt: 0, aside }),
    };
  }
}
