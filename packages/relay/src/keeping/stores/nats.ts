import { failed } from '../../base/client_error.ts';
import type { Effects } from '../../base/effects.ts';
import type { Claim, Keep, KeepOptions, Kept, Listed, Looked, Store, Waiting } from '../../base/kept.ts';
import { usualMostKept } from './entry.ts';
import { ClaimRegistry } from './nats/claim_registry.ts';
import { isFull, type NatsPlace, StreamConnection } from './nats/connection.ts';
import { Entries, type Found, listedOf, randomName, timeoutMs } from './nats/entries.ts';
import { claimMs, consumerName, lookAtStream, type Pulled, pull, setUpStream } from './nats/stream.ts';
import {
  type ClaimerKind,
  type Mark,
  type Message,
  readMessage,
  type Subjects,
  subjectsOf,
} from './nats/stream_message.ts';

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

interface NatsWorld {
  readonly readEnv: Effects['env'];
  readonly now: Effects['now'];
  readonly mostKept?: number | undefined;
}

/** NATS JetStream: a stream with a message for each entry, and a consumer that hands out those that are due (D103). */
export class NatsStore implements Store {
  readonly #keep: Keep;
  readonly #world: NatsWorld;
  readonly #stream: string;
  readonly #subjects: Subjects;
  readonly #connection: StreamConnection;
  readonly #entries: Entries;
  readonly #registries = new Set<ClaimRegistry>();
  readonly #claimedRegistry: ClaimRegistry;
  /** What this process has claimed, and where to say so. */
  readonly #claimed = new Map<number, string>();
  #beat: NodeJS.Timeout | undefined;
  #searchAt = 0;
  /** By how much the clock is ahead of the process. */
  #aheadMs: number;

  constructor(keep: Keep, world: NatsWorld) {
    const mostKept = world.mostKept ?? usualMostKept;
    this.#keep = keep;
    this.#world = world;
    const place = keep.in as NatsPlace;
    const { stream } = place;
    this.#stream = stream;
    this.#subjects = subjectsOf(this.#stream);
    this.#connection = new StreamConnection(place, world.readEnv);
    this.#entries = new Entries(this.#connection, this.#stream, this.#subjects, mostKept);
    this.#claimedRegistry = this.#registryOf('claimed', ['taken']);
    this.#aheadMs = world.now() - performance.now();
  }

  async *take(wanted: (one: Listed) => boolean): AsyncGenerator<Claim & { readonly listed: Listed }> {
    const registry = this.#registryOf('taken', ['claimed', 'taken']);
    this.#beat ??= setInterval(() => void this.#tell(), beatMs).unref();
    try {
      for await (const { seq, message } of this.#entries.all()) {
        const listed = listedOf(message, this.#entries);
        if (!wanted(listed)) continue;
        const isTheirs = (await registry.take([seq])).length > 0;
        if (!isTheirs && (await this.#entries.isThere(seq)))
          yield { ...(await this.#claimOf({ seq, message })), listed };
        registry.drop(seq);
      }
    } finally {
      this.#registries.delete(registry);
      await registry.close();
    }
  }

  async keep(all: readonly Kept[], { isMine, dueAt, timeoutMs }: KeepOptions): Promise<readonly Claim[]> {
    const mark = { dueAt: isMine ? this.#world.now() : dueAt, aside: undefined };
    const kept = await Promise.allSettled(all.map((one) => this.#entries.put(one, mark, timeoutMs)));
    const lost = kept.find((one) => one.status === 'rejected');
    if (!lost) return [];
    // Its visitor sends all of it again.
    for (const one of kept)
      if (one.status === 'fulfilled') void this.#entries.remove(one.value).catch(() => {});
    throw lost.reason;
  }

  async claim(
    most: number,
    waitMs: number,
    mostBytes = Infinity,
    stop?: AbortSignal,
  ): Promise<readonly Claim[]> {
    const until = performance.now() + waitMs;
    for (;;) {
      const restMs = Math.max(0, Math.ceil(until - performance.now()));
      const pulled = await this.#connection.ask(lookMs + timeoutMs, (live) =>
        pull(live, { stream: this.#stream, name: consumerName }, most, Math.min(restMs, lookMs), stop),
      );
      const claims = await this.#claimSome(pulled, mostBytes);
      const isOver = performance.now() >= until + (pulled.length > 0 ? sortingMs : 0);
      if (claims.length > 0 || stop?.aborted) return claims;
      if (pulled.length === 0) {
        await this.#search().catch((error) => {
          // What is found is written anew when there is room.
          if (!isFull(error)) throw error;
        });
      }
      if (isOver) return claims;
    }
  }

  count(): Promise<Waiting> {
    return this.#entries.count();
  }

  async *list(): AsyncGenerator<Listed> {
    for await (const { message } of this.#entries.all()) yield listedOf(message, this.#entries);
  }

  isFirst(key: string): Promise<boolean> {
    return this.#entries.isFirst(key);
  }

  async setUp(): Promise<string[]> {
    return [
      ...(await setUpStream(this.#connection, this.#stream)),
      ...(await this.#entries.tidyUp(this.#world.now())),
    ];
  }

  look(timeoutMs: number): Promise<readonly Looked[]> {
    return lookAtStream(this.#connection, this.#stream, timeoutMs, this.#keep.forMs);
  }

  async close(): Promise<void> {
    clearInterval(this.#beat);
    for (const reply of this.#claimed.values()) this.#giveBack(reply, 0);
    await Promise.all([...this.#registries].map((registry) => registry.close()));
    await this.#connection.close();
  }

  #registryOf(kind: ClaimerKind, others: readonly ClaimerKind[]) {
    const owner = randomName();
    const registry = new ClaimRegistry(
      this.#connection,
      { stream: this.#stream, subjects: this.#subjects, owner },
      kind,
      others,
    );
    this.#registries.add(registry);
    return registry;
  }

  /** Rewrites entries that the consumer has lost, so that it hands them out. */
  async #search(): Promise<void> {
    const isSet = Math.abs(this.#world.now() - performance.now() - this.#aheadMs) > clockJumpMs;
    if (isSet) this.#aheadMs = this.#world.now() - performance.now();
    else if (performance.now() < this.#searchAt) return;
    this.#searchAt = performance.now() + searchMs;
    if (!isSet && !(await this.#entries.hasForgotten())) return;
    const since = this.#world.now() - (isSet ? 0 : forgottenMs);
    const registry = this.#registryOf('taken', ['claimed', 'taken']);
    const writeAnew = async (some: readonly Found[]) => {
      const theirs = await registry.take(some.map(({ seq }) => seq));
      const free = some.filter(({ seq }) => !theirs.includes(seq));
      await Promise.all(
        free.map((one) => this.#replace(one, one.message.kept, { dueAt: since, aside: undefined })),
      );
      for (const { seq } of some) registry.drop(seq);
    };
    try {
      let some: Found[] = [];
      for await (const one of this.#entries.all()) {
        const { dueAt, aside, isSealed } = one.message.mark;
        if (aside === undefined && !isSealed && dueAt < since) some.push(one);
        if (some.length < mostAnew) continue;
        await writeAnew(some);
        some = [];
      }
      if (some.length > 0) await writeAnew(some);
    } finally {
      this.#registries.delete(registry);
      await registry.close();
    }
  }

  /** It is there before it is gone from where it was. Whether it was still there. */
  async #replace(
    { seq, message }: Found,
    kept: Kept,
    next: Omit<Mark, 'parts' | 'isSealed'>,
    { name, remove } = { name: randomName(), remove: () => this.#entries.remove(seq) },
  ): Promise<boolean> {
    // Another version of the relay may know what it is.
    const unread = message.isDamaged ? message.kept.content : undefined;
    // Under a name of its own: two who have the same write two, and each removes its own alone.
    const put = await this.#entries.put(kept, next, timeoutMs, { name, parts: message.mark.parts, unread });
    if (await remove()) return true;
    // Another process had it since, and has settled it.
    await this.#entries.remove(put);
    return false;
  }

  /** Gives back messages that are not due yet or exceed the limit. */
  async #claimSome(pulled: readonly Pulled[], mostBytes: number): Promise<readonly Claim[]> {
    const due: { readonly seq: number; readonly reply: string; readonly message: Message }[] = [];
    let bytes = 0;
    for (const { subject, seq, data, reply } of pulled) {
      const message = readMessage(subject, seq, data);
      const earlyMs = message.mark.dueAt - this.#world.now();
      const size = message.mark.parts?.bytes ?? message.kept.content.length;
      const fits = due.length === 0 || bytes + size <= mostBytes;
      if (earlyMs > 0 || !fits) {
        this.#giveBack(reply, Math.max(0, earlyMs));
        continue;
      }
      bytes += size;
      due.push({ seq, reply, message });
    }
    if (due.length === 0) return [];
    for (const { seq, reply } of due) this.#claimed.set(seq, reply);
    this.#beat ??= setInterval(() => void this.#tell(), beatMs).unref();
    try {
      const theirs = await this.#claimedRegistry.take(due.map(({ seq }) => seq));
      const claims: Claim[] = [];
      for (const { seq, reply, message } of due) {
        if (!theirs.includes(seq)) claims.push(await this.#claimOf({ seq, message }));
        else {
          this.#release(seq);
          this.#giveBack(reply, claimMs);
        }
      }
      return claims;
    } catch (error) {
      for (const { seq, reply } of due) {
        this.#release(seq);
        this.#giveBack(reply, claimMs);
      }
      throw error;
    }
  }

  /** It is handed out again after so long. If nobody hears it, it is so all the same. */
  #giveBack(reply: string, afterMs: number): void {
    this.#connection.say(
      reply,
      afterMs > 0 ? `-NAK ${JSON.stringify({ delay: Math.ceil(afterMs) * 1_000_000 })}` : '-NAK',
    );
  }

  /** Has servers wait on. */
  async #tell(): Promise<void> {
    for (const reply of this.#claimed.values()) this.#connection.say(reply, '+WPI');
    await Promise.all([...this.#registries].map((registry) => registry.tell())).catch(() => {});
  }

  #release(seq: number): void {
    this.#claimed.delete(seq);
    this.#claimedRegistry.drop(seq);
  }

  async #claimOf(one: Found): Promise<Claim> {
    const { seq, message } = one;
    const { kept: found, isDamaged } = message;
    const { parts } = message.mark;
    const content = parts ? await this.#entries.content(parts) : found.content;
    const kept: Kept = { ...found, content: content ?? new Uint8Array() };
    const end = () => {
      const reply = this.#claimed.get(seq);
      // The message is gone, so nothing is lost where nobody hears it.
      if (reply !== undefined) this.#connection.say(reply, '+ACK');
      this.#release(seq);
    };
    const name = randomName();
    let isAsked = false;
    /** Whether it was there. If it was asked before, without an answer, that may have been heard. */
    const remove = async () => {
      const wasAsked = isAsked;
      isAsked = true;
      return (await this.#entries.remove(seq)) || wasAsked;
    };
    const lost = () => {
      this.#release(seq);
      throw failed('claim_lost');
    };
    const move = async (changed: Kept, next: Omit<Mark, 'parts' | 'isSealed'>) => {
      if (!(await this.#replace(one, { ...changed, content: kept.content }, next, { name, remove }))) lost();
      end();
    };
    return {
      kept,
      ...((isDamaged || !content) && { isDamaged: true }),
      done: async () => {
        if (!(await remove())) lost();
        end();
        if (parts) await this.#entries.removeParts(parts);
      },
      putOff: async (dueAt, changed) => {
        try {
          await move(changed, { dueAt, aside: undefined });
        } catch (error) {
          const reply = this.#claimed.get(seq);
          if (!isFull(error) || reply === undefined) throw error;
          // There is no room to write why it waits. It waits all the same.
          this.#giveBack(reply, Math.max(1, dueAt - this.#world.now()));
          this.#release(seq);
        }
      },
      setAside: (aside, changed) => move(changed, { dueAt: 0, aside }),
    };
  }
}
