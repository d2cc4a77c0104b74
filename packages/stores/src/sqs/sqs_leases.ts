import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from '@form-relay/base/client_error';
import { withRetries } from '@form-relay/base/retries';
import { unlessStopped } from '@form-relay/base/with_timeout';
import type { Aws } from '@form-relay/core/index';
import { failed, inTime } from '../failures.ts';
import { Leasing } from '../lease_book.ts';
import {
  createObjects,
  type Entry,
  leaseOf,
  type Objects,
  readEntry,
  secondsUntil,
  unknownEntry,
  unknownLease,
  writeEntry,
} from '../queue_message.ts';
import type {
  Bucket,
  HandedMessage,
  KeepOptions,
  Lease,
  Leases,
  Listed,
  QueueCounts,
  Queued,
  Store,
} from '../store.ts';
import {
  deadLetterQueueOf,
  leaseSeconds,
  messagesIn,
  mostIn,
  mostMessages,
  mostWait,
  probeQueue,
  SqsQueue,
} from './queue.ts';

/** How long SQS can delay a message and hide a received one, in seconds, the latter minus some time for the request. */
const mostDelay = 900;
const mostHidden = 43_000;

/** The limit of any queue, unless its owner has lowered it. */
const usualMost = 262_144;
/** Room for a longer reason in later versions of the message. */
const growth = 4_096;

const settleMs = 10_000;
/** When unreadable content is read again, in milliseconds. */
const unreadRestMs = 60_000;

/** More than enough: an attempt takes 24 s, and settling it a little more. */
const usualMostMs = 15 * 60_000;

/** A received message. */
interface Received {
  readonly queue: SqsQueue;
  readonly receipt: string;
  readonly id: string;
  readonly body: string;
  /** The entry; `undefined` for an unknown message. */
  readonly entry: Entry | undefined;
  /** Whether the message was removed from the queue. */
  isGone?: true;
}

/** The size of a message in memory. */
const sizeOf = ({ entry, body }: Received) =>
  entry?.object?.size ?? entry?.kept.content.length ?? body.length;

export function openSqs(url: URL, filesIn: Bucket | undefined, aws: Aws): Store {
  const leases = new SqsLeases(url, filesIn, aws);
  return {
    leases,
    probe: () => leases.probe(),
    remedies: {
      other:
        'Check the address of the queue, the region, the credentials, and the rights of the role (docs/keep-stores.md).',
    },
    close: () => leases.close(),
  };
}

/**
 * Keeps entries in an Amazon SQS queue, one message each. To reschedule an entry, sends a new message before
 * removing the old one, because SQS deletes old messages and counts how often they were received, and a new
 * message starts over. Dead letters are in the dead-letter queue.
 */
export class SqsLeases implements Leases {
  readonly leaseMs = leaseSeconds * 1_000;
  readonly #aws: Aws;
  readonly #main: SqsQueue;
  readonly #objects: Objects | undefined;
  readonly #book = new Leasing<Received>({
    leaseMs: leaseSeconds * 1_000,
    renewMs: (leaseSeconds * 1_000) / 3,
    renew: async (all) => {
      const renewed = all.map(({ queue, receipt }) => queue.hide(receipt, leaseSeconds));
      const answers = await Promise.allSettled(renewed);
      return all.filter((_, at) => answers[at]?.status === 'fulfilled');
    },
    giveBack: ({ queue, receipt }, afterMs) =>
      queue.hide(receipt, Math.min(mostHidden, Math.ceil(afterMs / 1_000))),
  });
  /** Received messages that are not yet leased. */
  readonly #stock: Received[] = [];
  #isClosed = false;
  /** The dead-letter queue, if it is already known. */
  #knownDeadLetters: SqsQueue | undefined;
  readonly notes = [
    'SQS hides deliveries until their next retry: they are counted, but listed only when due.',
  ];

  constructor({ host, pathname }: URL, filesIn: Bucket | undefined, aws: Aws) {
    this.#aws = aws;
    this.#main = new SqsQueue(aws, new URL(`https://${host}${pathname}`));
    this.#objects = filesIn && createObjects(aws, filesIn);
  }

  async keep(entries: readonly Queued[], { dueAt, timeoutMs }: KeepOptions): Promise<never[]> {
    const sent = entries.map((kept) => {
      const entry = { kept, object: undefined, dueAt, deadLetter: undefined };
      return this.#persistently(() => this.#send(entry), timeoutMs);
    });
    await inTime(timeoutMs, Promise.all(sent));
    return [];
  }

  async lease(
    most: number,
    waitMs: number,
    mostBytes = Infinity,
    stop?: AbortSignal,
  ): Promise<readonly Lease[]> {
    const until = Date.now() + waitMs;
    const leases: Lease[] = [];
    let bytes = 0;
    let problem: ClientError | undefined;
    let goesOn = true;
    while (goesOn && leases.length < most && !stop?.aborted) {
      let isFull = false;
      if (this.#stock.length === 0) {
        const wanted = Math.min(mostMessages, most - leases.length);
        const leftMs = leases.length > 0 ? 0 : Math.max(0, until - Date.now());
        const came = this.#receive(wanted, Math.min(mostWait, Math.ceil(leftMs / 1_000)));
        // A failure must not lose the leases obtained so far.
        const counted = leases.length > 0 ? came.catch(() => 0) : came;
        // Messages that arrive after the stop are kept in stock or returned to the queue.
        isFull = (await unlessStopped(counted, stop)) === wanted;
      }
      while (leases.length < most && this.#stock[0]) {
        bytes += sizeOf(this.#stock[0]);
        if (leases.length > 0 && bytes > mostBytes) return leases;
        const opened = await this.#open(this.#stock.shift() as Received);
        if (opened instanceof ClientError) problem = opened;
        else if (opened) leases.push(opened);
      }
      goesOn = leases.length > 0 ? isFull : Date.now() < until;
    }
    if (leases.length === 0 && problem) throw problem;
    return leases;
  }

  async handed(
    messages: readonly HandedMessage[],
    turn: (lease: Lease) => Promise<void>,
    mayBegin: () => boolean,
  ): Promise<readonly string[]> {
    const received = messages.map((message) => this.#receivedFrom(this.#main, message));
    const haveTurn = async (one: Received) => {
      const lease = mayBegin() && (await this.#isDue(one)) && (await this.#open(one));
      if (lease && !(lease instanceof ClientError)) await turn(lease);
    };
    // Contents in a bucket are large, so load one at a time.
    await Promise.all(received.map((one) => one.entry?.object === undefined && haveTurn(one)));
    for (const one of received) if (one.entry?.object) await haveTurn(one);
    for (const one of received) this.#book.drop(one);
    return received.filter(({ isGone }) => !isGone).map(({ id }) => id);
  }

  async count(): Promise<QueueCounts> {
    const queue = await this.#findDeadLetters();
    const [due, waiting] = await Promise.all([this.#main.attributes(), queue?.attributes() ?? {}]);
    const all = { due: messagesIn(due), deadLetters: messagesIn(waiting), oldestKeptAt: undefined };
    return { forms: new Map([['', all]]) };
  }

  async *list(): AsyncGenerator<Listed> {
    for await (const one of this.#shown()) yield this.#listedOf(one);
  }

  async *leaseMatching(
    wanted: (one: Listed) => boolean,
  ): AsyncGenerator<Lease & { readonly listed: Listed }> {
    const taken = new Set<Received>();
    // A rescheduled entry is a new message, which may arrive in the same pass.
    const seen = new Set<string>();
    let problem: ClientError | undefined;
    for await (const one of this.#shown(taken)) {
      const listed = this.#listedOf(one);
      if (seen.has(listed.kept.id) || !wanted(listed)) continue;
      seen.add(listed.kept.id);
      const opened = await this.#open(one);
      // A message that cannot be read now must not hold up the others.
      if (opened instanceof ClientError) problem ??= opened;
      if (!opened || opened instanceof ClientError) continue;
      // Keep the message leased: the caller may settle it after reading the whole list.
      taken.add(one);
      yield { ...opened, listed };
    }
    if (problem) throw problem;
  }

  probe() {
    return probeQueue(this.#main, this.#aws);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stock.length = 0;
    await this.#book.close();
  }

  async #findDeadLetters(): Promise<SqsQueue | undefined> {
    if (this.#knownDeadLetters) return this.#knownDeadLetters;
    const name = deadLetterQueueOf(await this.#main.attributes());
    if (name !== undefined) this.#knownDeadLetters = new SqsQueue(this.#aws, new URL(name, this.#main.url));
    return this.#knownDeadLetters;
  }

  async #deadLetters(): Promise<SqsQueue> {
    const queue = await this.#findDeadLetters();
    if (!queue) throw failed('sqs_without_dead_letter_queue', { queue: this.#main.name });
    return queue;
  }

  #persistently(work: () => Promise<void>, timeoutMs = settleMs) {
    const rule = { retries: 3, timeoutMs, firstWaitMs: 100 };
    return withRetries(work, rule, { now: this.#aws.now, sleep, random: Math.random });
  }

  /** Sends an entry to its queue. */
  async #send(entry: Entry): Promise<void> {
    const isForOwner = entry.deadLetter !== undefined;
    const queue = isForOwner ? await this.#deadLetters() : this.#main;
    const delay = isForOwner ? 0 : Math.min(mostDelay, secondsUntil(entry.dueAt, this.#aws.now()));
    try {
      await queue.send(await this.#written(entry, usualMost), delay);
    } catch (error) {
      const code = error instanceof ClientError ? error.code : undefined;
      // The dead-letter queue may have changed.
      if (code === 'sqs_no_queue') this.#knownDeadLetters = undefined;
      if (code !== 'sqs_message_refused') throw error;
      // The owner of the queue has lowered its limit.
      await queue.send(await this.#written(entry, mostIn(await queue.attributes())), delay);
    }
  }

  /** The body of a message, with at most `most` bytes. If it would be larger, the content goes into the bucket. */
  async #written(entry: Entry, most: number): Promise<string> {
    const body = writeEntry(entry);
    if (entry.object || body.length + growth <= most) return body;
    const { id, content } = entry.kept;
    if (this.#objects)
      return writeEntry({ ...entry, object: await this.#objects.put(id, content, settleMs) });
    const allowed = mostIn(await this.#main.attributes());
    if (body.length + growth > allowed) throw failed('sqs_too_large', { size: body.length, most: allowed });
    return body;
  }

  /** The lease of a message. Rejects with a `ClientError` if the content cannot be read now. */
  async #leaseOf(one: Received): Promise<Lease> {
    const { id, body, entry } = one;
    let isResent = false;
    /** Sends the new message before it removes the old one, so that the entry always exists. */
    const settle = async (resend?: () => Promise<void>) => {
      if (resend && !isResent) {
        // Another process may have the entry and send it, too.
        if (this.#book.isLapsed(one)) throw failed('claim_lost');
        await this.#persistently(resend);
        isResent = true;
      }
      await this.#persistently(() => one.queue.remove(one.receipt));
      one.isGone = true;
    };
    const lease = entry
      ? await leaseOf(entry, this.#objects, (next) =>
          settle(next && (() => this.#send({ ...entry, dueAt: this.#aws.now(), ...next }))),
        )
      : unknownLease(unknownEntry(id, body, this.#aws.now()), (passOn) => {
          const queue = async () => (passOn === 'main' ? this.#main : this.#deadLetters());
          return settle(passOn && (async () => (await queue()).send(body, 0)));
        });
    return this.#book.lease(one, lease, lease);
  }

  /**
   * The lease of a message, or the reason why there is none, and the message will be received again.
   * `undefined` if another process may have it.
   */
  async #open(received: Received): Promise<Lease | ClientError | undefined> {
    try {
      if (!this.#book.isLapsed(received)) return await this.#leaseOf(received);
      this.#book.drop(received);
      return undefined;
    } catch (error) {
      await this.#book.giveBack(received, unreadRestMs);
      if (error instanceof ClientError) return error;
      throw error;
    }
  }

  #receivedFrom(queue: SqsQueue, { id, receipt, body }: HandedMessage, mostMs = usualMostMs): Received {
    const received: Received = { queue, receipt, id, body, entry: readEntry(body) };
    this.#book.hold(received, mostMs);
    return received;
  }

  /** Whether a message is due; if not, hides it until then. */
  async #isDue(received: Received): Promise<boolean> {
    const { entry } = received;
    const seconds = entry ? secondsUntil(entry.dueAt, this.#aws.now()) : 0;
    if (seconds > 0) await this.#book.giveBack(received, seconds * 1_000);
    return seconds === 0;
  }

  /** Receives messages and puts the due ones in stock. Resolves with how many were received. */
  async #receive(most: number, seconds: number): Promise<number> {
    const messages = await this.#main.receive(most, seconds);
    const handle = async (received: Received) => {
      if (this.#isClosed) await this.#book.giveBack(received);
      else if (await this.#isDue(received)) this.#stock.push(received);
    };
    await Promise.all(messages.map((message) => handle(this.#receivedFrom(this.#main, message))));
    return messages.length;
  }

  /** All messages that a queue shows. Finally returns all except those taken. */
  async *#shownIn(queue: SqsQueue, taken: ReadonlySet<Received>): AsyncGenerator<Received> {
    const leased: Received[] = [];
    try {
      for (;;) {
        const received = (await queue.receive(mostMessages, 1)).map((one) =>
          this.#receivedFrom(queue, one, Infinity),
        );
        if (received.length === 0) return;
        leased.push(...received);
        yield* received;
      }
    } finally {
      await Promise.all(leased.map((one) => taken.has(one) || this.#book.giveBack(one)));
    }
  }

  async *#shown(taken: ReadonlySet<Received> = new Set()): AsyncGenerator<Received> {
    yield* this.#shownIn(this.#main, taken);
    const queue = await this.#findDeadLetters();
    if (queue) yield* this.#shownIn(queue, taken);
  }

  #listedOf({ entry, id, body, queue }: Received): Listed {
    if (!entry) return { kept: unknownEntry(id, body, this.#aws.now()), deadLetter: 'unreadable' };
    const { kept, object, dueAt, deadLetter } = entry;
    const read = object && {
      content: async () => (await this.#objects?.read(object, kept.id)) ?? new Uint8Array(),
    };
    if (queue === this.#main) return { kept, deadLetter: undefined, dueAt, ...read };
    // Without a reason of its own, SQS has moved the message here, because it was received over and over but never settled.
    return { kept, deadLetter: deadLetter ?? 'refused', ...read };
  }
}
