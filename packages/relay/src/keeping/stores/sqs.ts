import { ClientError, failed } from '../../base/client_error.ts';
import { inTime } from '../../base/in_time.ts';
import type {
  Aside,
  Claim,
  HandedMessage,
  Keep,
  KeepOptions,
  Kept,
  Listed,
  Looked,
  Store,
  Waiting,
} from '../../base/kept.ts';
import { withRetries } from '../../base/retries.ts';
import type { Aws } from '../../transports/aws/account.ts';
import { isSealed, unreadableKept } from './entry.ts';
import { createLeases, type Lease } from './sqs/message_leases.ts';
import { deadLetterQueueOf, messagesIn, mostIn, mostMessages, mostWait, SqsQueue } from './sqs/queue.ts';
import { createObjects, type Entry, readEntry, writeEntry } from './sqs/queue_message.ts';

/** In seconds, so long SQS delays a message, and hides a received one: a little less, for the way there. */
const mostDelay = 900;
const mostHidden = 43_000;

/** No try is further away (`keeping/retry_policy.ts`): what says so was written by a clock that was wrong. */
const longestWaitMs = 27 * 3_600_000;

/** The limit of every queue, unless its owner lowered it. */
const usualMost = 262_144;
/** Room for a longer reason while a message waits. */
const growth = 4_096;

const settleMs = 10_000;
/** In seconds, until what could not be read is read again. */
const unreadRest = 60;

/**
 * Keeps in a queue of Amazon SQS, a message an entry. What is put off is sent anew, with what is known by then, and
 * removed after that: SQS deletes what is old, and counts how often a message came, and so it is young again (D102). What
 * waits for its owner lies in the queue's dead-letter queue.
 */
export class SqsStore implements Store {
  readonly #world: { readonly aws: Aws };
  readonly #now: () => number;
  readonly #main: SqsQueue;
  readonly #objects: ReturnType<typeof createObjects> | undefined;
  readonly #leases = createLeases();
  /** Received, and not handed out yet. */
  readonly #stock: Received[] = [];
  #isClosed = false;
  /** Asked for until there is one. */
  #knownAside: SqsQueue | undefined;
  readonly notes = [
    'SQS hides what waits for its next try: that is counted, and can be seen when its time has come.',
  ];

  constructor(keep: Keep, world: { readonly aws: Aws }) {
    this.#world = world;
    if (keep.in.kind !== 'sqs') throw new Error('this is no queue of SQS');
    const { now } = world.aws;
    this.#now = now;
    const { host, pathname } = keep.in.url;
    this.#main = new SqsQueue(world.aws, `https://${host}${pathname}`);
    this.#objects = keep.filesIn && createObjects(world.aws, keep.filesIn);
  }

  async keep(entries: readonly Kept[], { dueAt, timeoutMs }: KeepOptions): Promise<never[]> {
    const sent = entries.map((kept) => {
      const entry = { kept, object: undefined, dueAt, aside: undefined, isSealed: isSealed(kept.content) };
      return this.#persistently(() => this.#send(entry), timeoutMs);
    });
    await inTime(timeoutMs, Promise.all(sent), () => {
      throw failed('timed_out', { timeoutMs });
    });
    return [];
  }

  async claim(
    most: number,
    waitMs: number,
    mostBytes = Infinity,
    stop?: AbortSignal,
  ): Promise<readonly Claim[]> {
    const until = Date.now() + waitMs;
    const claims: Claim[] = [];
    let bytes = 0;
    let problem: ClientError | undefined;
    let goesOn = true;
    while (goesOn && claims.length < most && !stop?.aborted) {
      let isFull = false;
      if (this.#stock.length === 0) {
        const asked = Math.min(mostMessages, most - claims.length);
        const leftMs = claims.length > 0 ? 0 : Math.max(0, until - Date.now());
        const came = this.#receive(asked, Math.min(mostWait, Math.ceil(leftMs / 1_000)));
        // What is claimed already is not to be forgotten for that.
        const counted = claims.length > 0 ? came.catch(() => 0) : came;
        isFull = (await unlessStopped(counted, stop)) === asked;
      }
      while (claims.length < most && this.#stock[0]) {
        bytes += sizeOf(this.#stock[0]);
        if (claims.length > 0 && bytes > mostBytes) return claims;
        const opened = await this.#open(this.#stock.shift() as Received);
        if (opened instanceof ClientError) problem = opened;
        else if (opened) claims.push(opened);
      }
      goesOn = claims.length > 0 ? isFull : Date.now() < until;
    }
    if (claims.length === 0 && problem) throw problem;
    return claims;
  }

  async handed(
    messages: readonly HandedMessage[],
    turn: (claim: Claim) => Promise<void>,
    mayBegin: () => boolean,
  ): Promise<readonly string[]> {
    const received = messages.map((message) => this.#receivedFrom(this.#main, message));
    const haveTurn = async (one: Received) => {
      const claim = mayBegin() && (await this.#isDue(one)) && (await this.#open(one));
      if (claim && !(claim instanceof ClientError)) await turn(claim);
    };
    // Of those whose content lies elsewhere, one at a time is in memory.
    await Promise.all(received.map((one) => one.entry?.object === undefined && haveTurn(one)));
    for (const one of received) if (one.entry?.object) await haveTurn(one);
    for (const { lease } of received) lease.end();
    return received.filter(({ lease }) => !lease.isGone()).map(({ id }) => id);
  }

  async count(): Promise<Waiting> {
    const queue = await this.#findAside();
    const [due, waiting] = await Promise.all([this.#main.attributes(), queue?.attributes() ?? {}]);
    const all = { due: messagesIn(due), aside: messagesIn(waiting), oldestKeptAt: undefined };
    return { forms: new Map([['', all]]) };
  }

  async *list(): AsyncGenerator<Listed> {
    for await (const one of this.#shown()) yield this.#listedOf(one);
  }

  async *take(wanted: (one: Listed) => boolean): AsyncGenerator<Claim & { readonly listed: Listed }> {
    const taken = new Set<Lease>();
    let problem: ClientError | undefined;
    for await (const one of this.#shown(taken)) {
      const listed = this.#listedOf(one);
      if (!wanted(listed)) continue;
      const opened = await this.#open(one);
      // What cannot be read now keeps nobody from the others.
      if (opened instanceof ClientError) problem ??= opened;
      if (!opened || opened instanceof ClientError) continue;
      // It may be settled when all have been seen.
      taken.add(one.lease);
      yield { ...opened, listed };
    }
    if (problem) throw problem;
  }

  async setUp(): Promise<readonly string[]> {
    return (await import('./sqs/set_up.ts')).setUpQueue(this.#main, this.#world.aws);
  }

  async look(timeoutMs: number): Promise<readonly Looked[]> {
    return (await import('./sqs/set_up.ts')).lookAtQueue(this.#main, this.#world.aws, timeoutMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stock.length = 0;
    await this.#leases.close();
  }

  async #findAside(): Promise<SqsQueue | undefined> {
    if (this.#knownAside) return this.#knownAside;
    const name = deadLetterQueueOf(await this.#main.attributes());
    if (name !== undefined)
      this.#knownAside = new SqsQueue(this.#world.aws, new URL(name, this.#main.url).href);
    return this.#knownAside;
  }

  async #aside(): Promise<SqsQueue> {
    const queue = await this.#findAside();
    if (!queue) throw failed('sqs_without_dead_letter_queue', { queue: this.#main.name });
    return queue;
  }

  #persistently(work: () => Promise<void>, timeoutMs = settleMs) {
    return withRetries(
      work,
      { retries: 3, timeoutMs, firstWaitMs: 100 },
      { now: this.#now, sleep, random: Math.random },
    );
  }

  #secondsUntil(dueAt: number, most: number): number {
    const waitMs = dueAt - this.#now();
    return waitMs > longestWaitMs ? 0 : Math.max(0, Math.min(most, Math.ceil(waitMs / 1_000)));
  }

  /** Sends it to where it belongs. What is sealed waits for its owner from the beginning. */
  async #send(entry: Entry): Promise<void> {
    const isForOwner = entry.aside !== undefined || entry.isSealed;
    const queue = isForOwner ? await this.#aside() : this.#main;
    const delay = isForOwner ? 0 : this.#secondsUntil(entry.dueAt, mostDelay);
    try {
      await queue.send(await this.#written(entry, usualMost), delay);
    } catch (error) {
      const code = error instanceof ClientError ? error.code : undefined;
      // There may be another one by now.
      if (code === 'sqs_no_queue') this.#knownAside = undefined;
      if (code !== 'sqs_message_refused') throw error;
      // Its owner said that it takes less than others do.
      await queue.send(await this.#written(entry, mostIn(await queue.attributes())), delay);
    }
  }

  /** A message's body of at most so many bytes. A content that makes it larger goes into the bucket. */
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

  /** Rejects with a `ClientError` where its content cannot be read now. */
  async #claimOf({ lease, id, body, entry }: Received): Promise<Claim> {
    let isSentAnew = false;
    /** Sent anew, before it is removed: at no time it is nowhere. */
    const settle = async (sendAnew?: () => Promise<void>) => {
      if (sendAnew && !isSentAnew) {
        // Somebody else tries it by now, and would send it, too.
        if (lease.isLost()) {
          lease.end();
          throw failed('claim_lost');
        }
        await this.#persistently(sendAnew);
        isSentAnew = true;
      }
      await this.#persistently(lease.remove);
    };
    if (!entry) {
      // It goes on as it came: nobody here knows what it is.
      return {
        kept: unreadableKept({ id, form: '', keptAt: this.#now() }),
        isDamaged: true,
        done: () => settle(),
        putOff: () => settle(() => this.#main.send(body, 0)),
        setAside: () => settle(async () => (await this.#aside()).send(body, 0)),
      };
    }
    const { object } = entry;
    const content = object ? await this.#objects?.read(object, entry.kept.id) : entry.kept.content;
    const again = (kept: Kept, dueAt: number, why?: Aside) =>
      settle(() => this.#send({ ...entry, kept, dueAt, aside: why }));
    return {
      kept: { ...entry.kept, content: content ?? new Uint8Array() },
      ...(!content && { isDamaged: true }),
      done: async () => {
        await settle();
        // What stays there is nobody's, and no reason to deliver anything again.
        if (object) await this.#objects?.remove(object, entry.kept.id).catch(() => undefined);
      },
      putOff: (dueAt, kept) => again(kept, dueAt),
      setAside: (why, kept) => again(kept, this.#now(), why),
    };
  }

  /** A claim, or why there is none: then it comes again. `undefined`: somebody else has it by now. */
  async #open(received: Received): Promise<Claim | ClientError | undefined> {
    try {
      if (!received.lease.isLost()) return await this.#claimOf(received);
      received.lease.end();
      return undefined;
    } catch (error) {
      await received.lease.giveBack(unreadRest);
      if (error instanceof ClientError) return error;
      throw error;
    }
  }

  #receivedFrom(queue: SqsQueue, { id, receipt, body }: HandedMessage, mostMs?: number): Received {
    return {
      lease: this.#leases.hold(queue, receipt, mostMs),
      id,
      body,
      entry: readEntry(body),
    };
  }

  /** Hides what is not due, until it is. */
  async #isDue({ entry, lease }: Received): Promise<boolean> {
    const seconds = entry ? this.#secondsUntil(entry.dueAt, mostHidden) : 0;
    if (seconds > 0) await lease.giveBack(seconds);
    return seconds === 0;
  }

  /** Waits for messages, and puts those into stock that are due. Gives how many came. */
  async #receive(most: number, seconds: number): Promise<number> {
    const messages = await this.#main.receive(most, seconds);
    const handle = async (received: Received) => {
      if (this.#isClosed) await received.lease.giveBack();
      else if (await this.#isDue(received)) this.#stock.push(received);
    };
    await Promise.all(messages.map((message) => handle(this.#receivedFrom(this.#main, message))));
    return messages.length;
  }

  /** Every message that a queue shows. They are given back at the end, but for those that were taken. */
  async *#shownIn(queue: SqsQueue, taken: ReadonlySet<Lease>): AsyncGenerator<Received> {
    const leased: Lease[] = [];
    try {
      for (;;) {
        const received = (await queue.receive(mostMessages, 1)).map((one) =>
          this.#receivedFrom(queue, one, Infinity),
        );
        if (received.length === 0) return;
        leased.push(...received.map(({ lease }) => lease));
        yield* received;
      }
    } finally {
      await Promise.all(leased.map((lease) => taken.has(lease) || lease.giveBack()));
    }
  }

  async *#shown(taken: ReadonlySet<Lease> = new Set()): AsyncGenerator<Received> {
    yield* this.#shownIn(this.#main, taken);
    const queue = await this.#findAside();
    if (queue) yield* this.#shownIn(queue, taken);
  }

  #listedOf({ entry, id, lease }: Received): Listed {
    if (!entry)
      return {
        kept: unreadableKept({ id, form: '', keptAt: this.#now() }),
        aside: 'unreadable',
        isSealed: false,
      };
    const { kept, object, dueAt, aside, isSealed } = entry;
    const read = object && {
      content: async () => (await this.#objects?.read(object, kept.id)) ?? new Uint8Array(),
    };
    if (lease.queue === this.#main) return { kept, aside: undefined, isSealed, dueAt, ...read };
    // SQS itself brings there what came again and again, and was never settled.
    return { kept, aside: aside ?? (isSealed ? undefined : 'refused'), isSealed, ...read };
  }
}

interface Received {
  readonly lease: Lease;
  readonly id: string;
  readonly body: string;
  /** `undefined`: nobody here wrote it so. */
  readonly entry: Entry | undefined;
}

/** Its size in memory. */
const sizeOf = ({ entry, body }: Received) =>
  entry?.object?.size ?? entry?.kept.content.length ?? body.length;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Messages that arrive after the stop go into stock or back to the queue. */
async function unlessStopped<T>(work: Promise<T>, stop: AbortSignal | undefined): Promise<T | undefined> {
  if (!stop) return work;
  let onStop: () => void = () => {};
  const stopped = new Promise<undefined>((resolve) => {
    onStop = () => resolve(undefined);
    stop.addEventListener('abort', onStop);
  });
  return Promise.race([work, stopped]).finally(() => stop.removeEventListener('abort', onStop));
}
