import { randomBytes } from 'node:crypto';
import type { Services } from '@form-relay/core/index';
import { foreignIn, heldAt } from '../entry.ts';
import { failed } from '../failures.ts';
import type { Listed, QueueCounts, Queued } from '../store.ts';
import { codeOf, isFull, type StreamConnection } from './connection.ts';
import { consumerName } from './stream.ts';
import {
  type Mark,
  type Message,
  type Parts,
  readMessage,
  readSubject,
  writeMessage,
} from './stream_message.ts';

/** Long enough for a server's restart. */
export const timeoutMs = 10_000;

/** Larger contents are split into parts, because a consumer hands out many entries at once. */
const mostInMessage = 128 * 1_024;

/** By default, a server accepts messages of 1 MB, and returns them a third larger. */
const partBytes = 512 * 1_024;

/** The maximum size of a submission without its files, in bytes. */
const mostAround = 4_000_000;

/** Parts younger than this may still get their entry. */
const youngMs = 3_600_000;

/** JetStream's code for "no message found". */
const noSuchMessage = 10_057;

/** An entry and its sequence number. */
export interface Found {
  readonly seq: number;
  readonly message: Message;
}

interface FormSum {
  due: number;
  held: number;
  deadLetters: number;
  /** The subject of the oldest entry that is not held, and its minute. */
  oldest: string;
  keptMinute: number;
}

/** The messages of a stream, as entries. */
export class Entries {
  readonly #mostParts: number;

  /** @param mostKept The largest queued submission, in bytes. An entry with more parts was planted, and is not read. */
  constructor(
    private readonly connection: StreamConnection,
    mostKept: number,
  ) {
    this.#mostParts = Math.ceil((mostKept + mostAround) / partBytes);
  }

  removeParts({ id }: Pick<Parts, 'id'>) {
    return this.#purge(this.connection.subjects.part(id));
  }

  /**
   * Writes an entry and resolves with its sequence number.
   *
   * @param again For an entry that is replaced: its name, the same for each retry; its existing parts; and its content
   * if it is unreadable, to be copied unchanged.
   */
  async put(
    kept: Queued,
    mark: Omit<Mark, 'parts'>,
    timeoutMs: number,
    again?: {
      readonly name: string;
      readonly parts: Parts | undefined;
      readonly unread: Uint8Array | undefined;
    },
  ): Promise<number> {
    const until = performance.now() + timeoutMs;
    const restMs = () => Math.max(1, until - performance.now());
    const isLarge = !again?.parts && !again?.unread && kept.content.length > mostInMessage;
    const id = isLarge ? randomName() : undefined;
    try {
      const parts = id === undefined ? again?.parts : await this.#putParts(id, kept.content, restMs);
      const subject = this.connection.subjects.entry(mark.deadLetter === undefined ? 'due' : 'aside', kept);
      const message = again?.unread ?? writeMessage(kept, { ...mark, parts });
      // The same id for each request, so that the server writes the message once.
      const msgID = `${kept.id}-${again?.name ?? randomName()}`;
      return (await this.connection.publish(restMs(), subject, message, msgID)).seq;
    } catch (error) {
      // Free the room of the parts, but not after a timeout, because the entry may exist.
      if (id !== undefined && isFull(error)) void this.removeParts({ id }).catch(() => {});
      throw error;
    }
  }

  /** Removes an entry. Resolves with whether it existed, or may have existed. */
  remove(seq: number): Promise<boolean> {
    let tries = 0;
    return this.connection.ask(timeoutMs, async ({ jsm }) => {
      tries += 1;
      try {
        return await jsm.streams.deleteMessage(this.connection.stream, seq, false);
      } catch (error) {
        // An earlier request may have removed it.
        if (codeOf(error) === noSuchMessage) return tries > 1;
        throw error;
      }
    });
  }

  async isThere(seq: number): Promise<boolean> {
    return (await this.#get({ seq })) !== null;
  }

  /** The content; `undefined` if a part is missing, or there are more parts than the relay writes. */
  async content({ id, at }: Parts): Promise<Uint8Array | undefined> {
    if (at.length > this.#mostParts) return undefined;
    const pieces: Uint8Array[] = [];
    for (const seq of at) {
      const found = await this.#get({ seq });
      if (found?.subject !== this.connection.subjects.part(id) || found.data.length > partBytes)
        return undefined;
      pieces.push(found.data);
    }
    return Buffer.concat(pieces);
  }

  /** All entries that exist when the iteration starts. */
  async *all(): AsyncGenerator<Found> {
    const last = await this.connection.ask(
      timeoutMs,
      async ({ jsm }) => (await jsm.streams.info(this.connection.stream)).state.last_seq,
    );
    for (const filter of [this.connection.subjects.due, this.connection.subjects.deadLetters])
      yield* this.#matching(filter, last);
  }

  async count(): Promise<QueueCounts> {
    const forms = new Map<string, FormSum>();
    for (const [subject, count] of await this.#subjectCounts(this.connection.subjects.all)) {
      const said = readSubject(subject);
      if (!said) continue;
      const { kind, form, keptMinute } = said;
      const sum = forms.get(form) ?? { due: 0, held: 0, deadLetters: 0, keptMinute: heldAt, oldest: '' };
      forms.set(form, sum);
      const isHeld = kind === 'due' && keptMinute === heldAt;
      sum[isHeld ? 'held' : kind === 'due' ? 'due' : 'deadLetters'] += count;
      if (keptMinute < sum.keptMinute) Object.assign(sum, { keptMinute, oldest: subject });
    }
    const all = [...forms].map(async ([form, { due, held, deadLetters, oldest }]) => {
      const found = oldest === '' ? null : await this.#get({ last_by_subj: oldest });
      const kept = found && readMessage(oldest, found.seq, found.data).kept;
      return [form, { due, held, deadLetters, oldestKeptAt: kept?.keptAt }] as const;
    });
    return { forms: new Map(await Promise.all(all)) };
  }

  /** Whether the stream has entries that its consumer does not know about. */
  async hasForgotten(): Promise<boolean> {
    const counts = await this.#subjectCounts(this.connection.subjects.due);
    const there = counts.reduce((sum, [, count]) => sum + count, 0);
    const { num_pending, num_ack_pending } = await this.connection.ask(timeoutMs, ({ jsm }) =>
      jsm.consumers.info(this.connection.stream, consumerName),
    );
    return there > num_pending + num_ack_pending;
  }

  /** Removes parts whose entry was never written. Resolves with what was done, in words. */
  async tidyUp(now: number): Promise<readonly string[]> {
    const parts = await this.#subjectCounts(this.connection.subjects.parts);
    if (parts.length === 0) return [];
    const used = new Set<string>();
    for await (const { message } of this.all()) {
      // This version does not know which parts the entry has.
      if (foreignIn(message.kept)) return [message.kept.why?.words ?? ''];
      if (message.mark.parts) used.add(this.connection.subjects.part(message.mark.parts.id));
    }
    let removed = 0;
    for (const [subject] of parts.filter(([subject]) => !used.has(subject))) {
      const found = await this.#get({ last_by_subj: subject });
      // The entry may still follow.
      if (!found || now - found.time.getTime() < youngMs) continue;
      await this.#purge(subject);
      removed += 1;
    }
    return removed === 0 ? [] : [`removed the files of ${removed} incomplete submissions`];
  }

  #get(query: { readonly seq: number; readonly next_by_subj?: string } | { readonly last_by_subj: string }) {
    return this.connection.ask(timeoutMs, ({ jsm }) => jsm.streams.getMessage(this.connection.stream, query));
  }

  #subjectCounts(filter: string) {
    return this.connection.ask(timeoutMs, async ({ jsm }) => {
      const { state } = await jsm.streams.info(this.connection.stream, { subjects_filter: filter });
      return Object.entries(state.subjects ?? {});
    });
  }

  #purge(filter: string) {
    return this.connection.purge(timeoutMs, { filter });
  }

  async #putParts(id: string, content: Uint8Array, restMs: () => number): Promise<Parts> {
    const at: number[] = [];
    for (let from = 0; from < content.length; from += partBytes) {
      const part = content.subarray(from, from + partBytes);
      at.push(
        (await this.connection.publish(restMs(), this.connection.subjects.part(id), part, `${id}-${from}`))
          .seq,
      );
    }
    return { id, at, bytes: content.length };
  }

  async *#matching(filter: string, last: number): AsyncGenerator<Found> {
    for (let seq = 1; ; seq += 1) {
      const found = await this.#get({ seq, next_by_subj: filter });
      if (!found || found.seq > last) return;
      seq = found.seq;
      yield { seq, message: readMessage(found.subject, seq, found.data) };
    }
  }
}

export const listedOf = (
  { kept, mark: { dueAt, deadLetter, parts } }: Message,
  entries: Entries,
): Listed => ({
  kept,
  deadLetter,
  dueAt: deadLetter === undefined ? dueAt : undefined,
  ...(parts && {
    content: async () => {
      const found = await entries.content(parts);
      if (!found) throw failed('nats_part_missing');
      return found;
    },
  }),
});

export const randomName = () => randomBytes(12).toString('hex');

/** If the consumer does not hand out an entry this long after its due time, it has lost the entry, because its server crashed. */
const forgottenMs = 600_000;

/** How often to look for lost entries. */
const searchMs = 600_000;

/** How many lost entries are rewritten at once. */
const mostRewritten = 64;

/** A larger jump of the clock is not drift. */
const clockJumpMs = 30_000;

/** Finds entries that the consumer has lost, and has them rewritten, so that the consumer hands them out. */
export class LostEntries {
  /** Whether a search has found more entries than were rewritten. */
  isSearching = false;
  #searchAt = 0;
  /** The difference between the clock and the monotonic clock. */
  #aheadMs: number;

  /** @param rewrite Makes entries due at this time. Resolves with whether any of them was free. */
  constructor(
    private readonly entries: Entries,
    private readonly now: Services['now'],
    private readonly rewrite: (some: readonly Found[], dueAt: number) => Promise<boolean>,
  ) {
    this.#aheadMs = now() - performance.now();
  }

  async search(stop?: AbortSignal): Promise<void> {
    const aheadMs = this.now() - performance.now();
    const isSet = Math.abs(aheadMs - this.#aheadMs) > clockJumpMs;
    if (!isSet && performance.now() < this.#searchAt) return;
    if (isSet || (await this.entries.hasForgotten())) {
      const since = this.now() - (isSet ? 0 : forgottenMs);
      let some: Found[] = [];
      for await (const one of this.entries.all()) {
        if (stop?.aborted) return;
        const { kept, mark } = one.message;
        if (mark.deadLetter === undefined && mark.dueAt < since && !foreignIn(kept)) some.push(one);
        if (some.length < mostRewritten) continue;
        // Deliver entries before rewriting more, because rewriting thousands takes long.
        this.isSearching = await this.rewrite(some, since);
        if (this.isSearching) return;
        some = [];
      }
      if (some.length > 0) await this.rewrite(some, since);
    }
    this.isSearching = false;
    this.#aheadMs = aheadMs;
    this.#searchAt = performance.now() + searchMs;
  }
}
