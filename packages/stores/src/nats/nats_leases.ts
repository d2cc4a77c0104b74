import { usualMostKept } from '../entry.ts';
import { failed } from '../failures.ts';
import { Leasing } from '../lease_book.ts';
import type {
  KeepOptions,
  Lease,
  Leases,
  Listed,
  QueueCounts,
  Queued,
  Store,
  StoreContext,
} from '../store.ts';
import { isFull, type LiveConnection, StreamConnection } from './connection.ts';
import { NatsCounts } from './counts.ts';
import { Entries, type Found, LostEntries, listedOf, randomName, timeoutMs } from './entries.ts';
import type { NatsAddress } from './index.ts';
import { believedMs, LeaseRegistry } from './lease_registry.ts';
import { leaseMs, type Pulled, probeStream, pull, setUpStream } from './stream.ts';
import { type LeaseKind, type Mark, readMessage } from './stream_message.ts';

/** How long a single request waits before the clock is checked. */
const lookMs = 2_000;

/** How much longer `lease` continues if it got only entries that are not yet due. */
const sortingMs = 1_000;

export function openNats(address: NatsAddress, context: StoreContext): Store {
  const connection = new StreamConnection(address, context.env);
  const leases = new NatsLeases(connection, context);
  const remedy = 'Check the address, the credentials and the stream: relay kept setup creates it.';
  return {
    leases,
    counts: new NatsCounts(connection),
    remedies: {
      counts_damaged:
        'Stop the relay, and purge the subject of this count. Then set the number taken with relay places --set. Values that `once` had registered are accepted again.',
      other: remedy,
    },
    probe: () => probeStream(connection, context.forMs ?? Infinity),
    setUp: () => leases.setUp(),
    close: async () => {
      await leases.close();
      await connection.close();
    },
  };
}

interface Leased extends Found {
  readonly registry: LeaseRegistry;
  /** The subject for acknowledgements, if the consumer handed out the message. */
  readonly reply?: string;
}

/** Keeps each entry as a message in a stream. A consumer hands out due entries. */
export class NatsLeases implements Leases {
  readonly leaseMs = believedMs;
  readonly #connection: StreamConnection;
  readonly #entries: Entries;
  readonly #registries = new Set<LeaseRegistry>();
  readonly #leasedRegistry: LeaseRegistry;
  readonly #book = new Leasing<Leased>({
    leaseMs,
    renew: async (all) => {
      for (const { reply } of all) if (reply !== undefined) this.#connection.say(reply, '+WPI');
      await Promise.all([...this.#registries].map((registry) => registry.renew()));
    },
    giveBack: async ({ reply }, afterMs) => this.#giveBack(reply, afterMs),
    ended: ({ seq, registry }) => registry.drop(seq),
  });
  readonly #lost: LostEntries;

  constructor(
    connection: StreamConnection,
    private readonly context: Pick<StoreContext, 'now' | 'mostKept'>,
  ) {
    const { mostKept = usualMostKept } = context;
    this.#connection = connection;
    this.#entries = new Entries(this.#connection, mostKept);
    this.#leasedRegistry = this.#registryOf('claimed', ['taken']);
    this.#lost = new LostEntries(this.#entries, context.now, (some, dueAt) => this.#rewrite(some, dueAt));
  }

  async *leaseMatching(
    wanted: (one: Listed) => boolean,
  ): AsyncGenerator<Lease & { readonly listed: Listed }> {
    const registry = this.#registryOf('taken', ['claimed', 'taken']);
    try {
      for await (const { seq, message } of this.#entries.all()) {
        const listed = listedOf(message, this.#entries);
        if (!wanted(listed)) continue;
        const one = { seq, message, registry };
        this.#book.hold(one);
        const isTheirs = (await registry.take([seq])).length > 0;
        if (isTheirs || !(await this.#entries.isThere(seq))) this.#book.drop(one);
        else yield* this.#book.offer(one, { ...(await this.#leaseOf(one)), listed });
      }
    } finally {
      await this.#closeRegistry(registry);
    }
  }

  async keep(all: readonly Queued[], { isMine, dueAt, timeoutMs }: KeepOptions): Promise<readonly Lease[]> {
    const mark = { dueAt: isMine ? this.context.now() : dueAt, deadLetter: undefined };
    const kept = await Promise.allSettled(all.map((one) => this.#entries.put(one, mark, timeoutMs)));
    const lost = kept.find((one) => one.status === 'rejected');
    if (!lost) return [];
    // The visitor will send everything again.
    for (const one of kept)
      if (one.status === 'fulfilled') void this.#entries.remove(one.value).catch(() => {});
    throw lost.reason;
  }

  async lease(
    most: number,
    waitMs: number,
    mostBytes = Infinity,
    stop?: AbortSignal,
  ): Promise<readonly Lease[]> {
    const until = performance.now() + waitMs;
    for (;;) {
      const restMs = Math.max(0, Math.ceil(until - performance.now()));
      const leftMs = this.#lost.isSearching ? 0 : Math.min(restMs, lookMs);
      const pulled = await this.#pull(most, leftMs, stop);
      const leases = await this.#leaseSome(pulled, mostBytes);
      const isOver = performance.now() >= until + (pulled.length > 0 ? sortingMs : 0);
      if (leases.length > 0 || stop?.aborted) return leases;
      if (pulled.length === 0) {
        await this.#lost.search(stop).catch((error) => {
          // The lost entries are rewritten when there is room.
          if (!isFull(error)) throw error;
        });
      }
      if (isOver) return leases;
    }
  }

  count(): Promise<QueueCounts> {
    return this.#entries.count();
  }

  async *list(): AsyncGenerator<Listed> {
    for await (const { message } of this.#entries.all()) yield listedOf(message, this.#entries);
  }

  async setUp(): Promise<string[]> {
    return [...(await setUpStream(this.#connection)), ...(await this.#entries.tidyUp(this.context.now()))];
  }

  async close(): Promise<void> {
    this.#connection.end();
    await this.#book.close();
    await Promise.all([...this.#registries].map((registry) => registry.close()));
  }

  #registryOf(kind: LeaseKind, others: readonly LeaseKind[]): LeaseRegistry {
    const registry = new LeaseRegistry(this.#connection, kind, others);
    this.#registries.add(registry);
    return registry;
  }

  #closeRegistry(registry: LeaseRegistry): Promise<void> {
    this.#registries.delete(registry);
    return registry.close();
  }

  async #pull(most: number, waitMs: number, stop?: AbortSignal): Promise<readonly Pulled[]> {
    const { stream } = this.#connection;
    const work = (live: LiveConnection) => pull(live, stream, most, waitMs, stop);
    try {
      return await this.#connection.ask(lookMs + timeoutMs, work, stop);
    } catch (error) {
      if (stop?.aborted) return [];
      throw error;
    }
  }

  /** Makes entries due that no other process has leased. Resolves with whether there were any. */
  async #rewrite(some: readonly Found[], dueAt: number): Promise<boolean> {
    const registry = this.#registryOf('taken', ['claimed', 'taken']);
    try {
      const theirs = await registry.take(some.map(({ seq }) => seq));
      const free = some.filter(({ seq }) => !theirs.includes(seq));
      await Promise.all(
        free.map((one) => this.#replace(one, one.message.kept, { dueAt, deadLetter: undefined })),
      );
      return free.length > 0;
    } finally {
      await this.#closeRegistry(registry);
    }
  }

  /** Writes the new message before removing the old one. Resolves with whether the old one still existed. */
  async #replace(
    { seq, message }: Found,
    kept: Queued,
    next: Omit<Mark, 'parts'>,
    { name, remove } = { name: randomName(), remove: () => this.#entries.remove(seq) },
  ): Promise<boolean> {
    // Copy it unchanged, because another version of the relay may be able to read it.
    const unread = message.isDamaged ? message.kept.content : undefined;
    // Use a unique name: if two processes have the same entry, each writes and removes its own message.
    const put = await this.#entries.put(kept, next, timeoutMs, { name, parts: message.mark.parts, unread });
    if (await remove()) return true;
    // Another process has leased and settled the entry in the meantime.
    await this.#entries.remove(put);
    return false;
  }

  /** Returns messages that are not due yet or exceed the limit. */
  async #leaseSome(pulled: readonly Pulled[], mostBytes: number): Promise<readonly Lease[]> {
    const due: Leased[] = [];
    let bytes = 0;
    for (const { subject, seq, data, reply } of pulled) {
      const message = readMessage(subject, seq, data);
      const earlyMs = message.mark.dueAt - this.context.now();
      const size = message.mark.parts?.bytes ?? message.kept.content.length;
      const fits = due.length === 0 || bytes + size <= mostBytes;
      if (earlyMs > 0 || !fits) {
        this.#giveBack(reply, Math.max(0, earlyMs));
        continue;
      }
      bytes += size;
      due.push({ seq, reply, message, registry: this.#leasedRegistry });
    }
    if (due.length === 0) return [];
    for (const one of due) this.#book.hold(one);
    try {
      const theirs = await this.#leasedRegistry.take(due.map(({ seq }) => seq));
      const leases: Lease[] = [];
      for (const one of due) {
        if (theirs.includes(one.seq)) await this.#book.giveBack(one, leaseMs);
        else leases.push(await this.#leaseOf(one));
      }
      return leases;
    } catch (error) {
      for (const one of due) await this.#book.giveBack(one, leaseMs);
      throw error;
    }
  }

  /**
   * Asks the server to hand the entry out again after this time. If that message is lost, the server does so
   * when the lease expires.
   */
  #giveBack(reply: string | undefined, afterMs: number): void {
    if (reply === undefined) return;
    const delay = afterMs > 0 ? ` ${JSON.stringify({ delay: Math.ceil(afterMs) * 1_000_000 })}` : '';
    this.#connection.say(reply, `-NAK${delay}`);
  }

  async #leaseOf(one: Leased): Promise<Lease> {
    const { seq, message, reply } = one;
    const { isDamaged, kept: found, mark } = message;
    const { parts } = mark;
    const content = parts ? await this.#entries.content(parts) : found.content;
    const kept: Queued = { ...found, content: content ?? new Uint8Array() };
    const name = randomName();
    let isRequested = false;
    /** Removes the message; true if it existed. An earlier request without a response may have removed it. */
    const remove = async () => {
      const wasRequested = isRequested;
      isRequested = true;
      return (await this.#entries.remove(seq)) || wasRequested;
    };
    /** The message is gone, so it does not matter if the acknowledgement is lost. */
    const end = (wasThere: boolean) => {
      if (!wasThere) throw failed('claim_lost');
      if (reply !== undefined) this.#connection.say(reply, '+ACK');
    };
    const move = async (changed: Queued, next: Omit<Mark, 'parts'>) =>
      end(await this.#replace(one, { ...changed, content: kept.content }, next, { name, remove }));
    const entry = { kept, ...((isDamaged || !content) && { isDamaged: true as const }) };
    return this.#book.lease(one, entry, {
      done: async () => {
        end(await remove());
        if (parts) await this.#entries.removeParts(parts);
      },
      reschedule: async (dueAt, changed) => {
        try {
          await move(changed, { dueAt, deadLetter: undefined });
        } catch (error) {
          if (!isFull(error) || reply === undefined) throw error;
          // There is no room to write the reason, but the entry can wait without it.
          this.#giveBack(reply, Math.max(1, dueAt - this.context.now()));
        }
      },
      deadLetter: (reason, changed) => move(changed, { dueAt: 0, deadLetter: reason }),
    });
  }
}
