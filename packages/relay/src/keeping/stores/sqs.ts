import { ClientError, failed } from '../../base/client_error.ts';
import { inTime } from '../../base/in_time.ts';
import type { Aside, Claim, HandedMessage, Keep, Kept, Listed, Store } from '../../base/kept.ts';
import { withRetries } from '../../base/retries.ts';
import type { Aws } from '../../transports/aws/account.ts';
import { isSealed } from './content.ts';
import { type Entry, readEntry, unknownKept, writeEntry } from './sqs/entry.ts';
import { createLeases, type Lease } from './sqs/leases.ts';
import { createObjects } from './sqs/objects.ts';
import {
  createQueue,
  deadLetterQueueOf,
  messagesIn,
  mostIn,
  mostMessages,
  mostWait,
  type Queue,
} from './sqs/queue.ts';

/** In seconds, so long SQS delays a message, and hides a received one: a little less, for the way there. */
const mostDelay = 900;
const mostHidden = 43_000;

/** No try is further away (`keeping/schedule.ts`): what says so was written by a clock that was wrong. */
const longestWaitMs = 27 * 3_600_000;

/** What every queue takes in a message, unless its owner said less. */
const usualMost = 262_144;
/** What a message may grow by as long as it waits: its reason gets other words. */
const growth = 4_096;

const settleMs = 10_000;
/** In seconds, until what could not be read is read again. */
const unreadRest = 60;

/**
 * Keeps in a queue of Amazon SQS, a message an entry. What is put off is sent anew, with what is known by then, and
 * removed after that: SQS deletes what is old, and counts how often a message came, and so it is young again (D102). What
 * waits for its owner lies in the queue's dead-letter queue.
 */
export async function openQueue(keep: Keep, { aws }: { readonly aws: Aws }): Promise<Store> {
  if (keep.in.kind !== 'sqs') throw new Error('this is no queue of SQS');
  const { now } = aws;
  const { host, pathname } = keep.in.url;
  const main = createQueue(aws, `https://${host}${pathname}`);
  const objects = keep.filesIn && createObjects(aws, keep.filesIn);
  const leases = createLeases();
  /** Received, and not handed out yet. */
  const stock: Received[] = [];
  let isClosed = false;

  /** Asked for until there is one. */
  let knownAside: Queue | undefined;
  const findAside = async (): Promise<Queue | undefined> => {
    if (knownAside) return knownAside;
    const name = deadLetterQueueOf(await main.attributes());
    if (name !== undefined) knownAside = createQueue(aws, new URL(name, main.url).href);
    return knownAside;
  };
  const aside = async (): Promise<Queue> => {
    const queue = await findAside();
    if (!queue) throw failed('sqs_without_dead_letter_queue', { queue: main.name });
    return queue;
  };

  const persistently = (work: () => Promise<void>, timeoutMs = settleMs) =>
    withRetries(work, { retries: 3, timeoutMs, firstWaitMs: 100 }, { now, sleep, random: Math.random });

  const secondsUntil = (dueAt: number, most: number): number => {
    const waitMs = dueAt - now();
    return waitMs > longestWaitMs ? 0 : Math.max(0, Math.min(most, Math.ceil(waitMs / 1_000)));
  };

  /** Sends it to where it belongs. What is sealed waits for its owner from the beginning. */
  async function send(entry: Entry): Promise<void> {
    const isForOwner = entry.aside !== undefined || entry.isSealed;
    const queue = isForOwner ? await aside() : main;
    const delay = isForOwner ? 0 : secondsUntil(entry.dueAt, mostDelay);
    try {
      await queue.send(await written(entry, usualMost), delay);
    } catch (error) {
      const code = error instanceof ClientError ? error.code : undefined;
      // There may be another one by now.
      if (code === 'sqs_no_queue') knownAside = undefined;
      if (code !== 'sqs_message_refused') throw error;
      // Its owner said that it takes less than others do.
      await queue.send(await written(entry, mostIn(await queue.attributes())), delay);
    }
  }

  /** A message's body of at most so many bytes. A content that makes it larger goes into the bucket. */
  async function written(entry: Entry, most: number): Promise<string> {
    const body = writeEntry(entry);
    if (entry.object || body.length + growth <= most) return body;
    const { id, content } = entry.kept;
    if (objects) return writeEntry({ ...entry, object: await objects.put(id, content, settleMs) });
    const allowed = mostIn(await main.attributes());
    if (body.length + growth > allowed) throw failed('sqs_too_large', { size: body.length, most: allowed });
    return body;
  }

  /** Rejects with a `ClientError` where its content cannot be read now. */
  async function claimOf({ lease, id, body, entry }: Received): Promise<Claim> {
    let isSentAnew = false;
    /** Sent anew, before it is removed: at no time it is nowhere. */
    const settle = async (sendAnew?: () => Promise<void>) => {
      if (sendAnew && !isSentAnew) {
        // Somebody else tries it by now, and would send it, too.
        if (lease.isLost()) {
          lease.end();
          throw failed('claim_lost');
        }
        await persistently(sendAnew);
        isSentAnew = true;
      }
      await persistently(lease.remove);
    };
    if (!entry) {
      // It goes on as it came: nobody here knows what it is.
      return {
        kept: unknownKept(id, now()),
        isDamaged: true,
        done: () => settle(),
        putOff: () => settle(() => main.send(body, 0)),
        setAside: () => settle(async () => (await aside()).send(body, 0)),
      };
    }
    const { object } = entry;
    const content = object ? await objects?.read(object, entry.kept.id) : entry.kept.content;
    const again = (kept: Kept, dueAt: number, why?: Aside) =>
      settle(() => send({ ...entry, kept, dueAt, aside: why }));
    return {
      kept: { ...entry.kept, content: content ?? new Uint8Array() },
      ...(!content && { isDamaged: true }),
      done: async () => {
        await settle();
        // What stays there is nobody's, and no reason to deliver anything again.
        if (object) await objects?.remove(object, entry.kept.id).catch(() => undefined);
      },
      putOff: (dueAt, kept) => again(kept, dueAt),
      setAside: (why, kept) => again(kept, now(), why),
    };
  }

  /** A claim, or why there is none: then it comes again. `undefined`: somebody else has it by now. */
  async function open(received: Received): Promise<Claim | ClientError | undefined> {
    try {
      if (!received.lease.isLost()) return await claimOf(received);
      received.lease.end();
      return undefined;
    } catch (error) {
      await received.lease.giveBack(unreadRest);
      if (error instanceof ClientError) return error;
      throw error;
    }
  }

  const receivedFrom = (queue: Queue, { id, receipt, body }: HandedMessage, mostMs?: number): Received => ({
    lease: leases.hold(queue, receipt, mostMs),
    id,
    body,
    entry: readEntry(body),
  });

  /** Hides what is not due, until it is. */
  async function isDue({ entry, lease }: Received): Promise<boolean> {
    const seconds = entry ? secondsUntil(entry.dueAt, mostHidden) : 0;
    if (seconds > 0) await lease.giveBack(seconds);
    return seconds === 0;
  }

  /** Waits for messages, and puts those into stock that are due. Gives how many came. */
  async function receive(most: number, seconds: number): Promise<number> {
    const messages = await main.receive(most, seconds);
    const handle = async (received: Received) => {
      if (isClosed) await received.lease.giveBack();
      else if (await isDue(received)) stock.push(received);
    };
    await Promise.all(messages.map((message) => handle(receivedFrom(main, message))));
    return messages.length;
  }

  /** Every message that a queue shows. They are given back at the end, but for those that were taken. */
  async function* shownIn(queue: Queue, taken: ReadonlySet<Lease>): AsyncGenerator<Received> {
    const leased: Lease[] = [];
    try {
      for (;;) {
        const received = (await queue.receive(mostMessages, 1)).map((one) =>
          receivedFrom(queue, one, Infinity),
        );
        if (received.length === 0) return;
        leased.push(...received.map(({ lease }) => lease));
        yield* received;
      }
    } finally {
      await Promise.all(leased.map((lease) => taken.has(lease) || lease.giveBack()));
    }
  }

  async function* shown(taken: ReadonlySet<Lease> = new Set()): AsyncGenerator<Received> {
    yield* shownIn(main, taken);
    const queue = await findAside();
    if (queue) yield* shownIn(queue, taken);
  }

  function listedOf({ entry, id, lease }: Received): Listed {
    if (!entry) return { kept: unknownKept(id, now()), aside: 'unreadable', isSealed: false };
    const { kept, object, dueAt, aside, isSealed } = entry;
    const read = object && {
      content: async () => (await objects?.read(object, kept.id)) ?? new Uint8Array(),
    };
    if (lease.queue === main) return { kept, aside: undefined, isSealed, dueAt, ...read };
    // SQS itself brings there what came again and again, and was never settled.
    return { kept, aside: aside ?? (isSealed ? undefined : 'refused'), isSealed, ...read };
  }

  return {
    notes: [
      'SQS hides what waits for its next try: that is counted, and can be seen when its time has come.',
    ],
    keep: async (entries, { dueAt, timeoutMs }) => {
      const sent = entries.map((kept) => {
        const entry = { kept, object: undefined, dueAt, aside: undefined, isSealed: isSealed(kept.content) };
        return persistently(() => send(entry), timeoutMs);
      });
      await inTime(timeoutMs, Promise.all(sent), () => {
        throw failed('timed_out', { timeoutMs });
      });
      return [];
    },
    claim: async (most, waitMs, mostBytes = Infinity, stop) => {
      const until = Date.now() + waitMs;
      const claims: Claim[] = [];
      let bytes = 0;
      let problem: ClientError | undefined;
      let goesOn = true;
      while (goesOn && claims.length < most && !stop?.aborted) {
        let isFull = false;
        if (stock.length === 0) {
          const asked = Math.min(mostMessages, most - claims.length);
          const leftMs = claims.length > 0 ? 0 : Math.max(0, until - Date.now());
          const came = receive(asked, Math.min(mostWait, Math.ceil(leftMs / 1_000)));
          // What is claimed already is not to be forgotten for that.
          const counted = claims.length > 0 ? came.catch(() => 0) : came;
          isFull = (await unlessStopped(counted, stop)) === asked;
        }
        while (claims.length < most && stock[0]) {
          bytes += sizeOf(stock[0]);
          if (claims.length > 0 && bytes > mostBytes) return claims;
          const opened = await open(stock.shift() as Received);
          if (opened instanceof ClientError) problem = opened;
          else if (opened) claims.push(opened);
        }
        goesOn = claims.length > 0 ? isFull : Date.now() < until;
      }
      if (claims.length === 0 && problem) throw problem;
      return claims;
    },
    handed: async (messages, turn, mayBegin) => {
      const received = messages.map((message) => receivedFrom(main, message));
      const haveTurn = async (one: Received) => {
        const claim = mayBegin() && (await isDue(one)) && (await open(one));
        if (claim && !(claim instanceof ClientError)) await turn(claim);
      };
      // Of those whose content lies elsewhere, one at a time is in memory.
      await Promise.all(received.map((one) => one.entry?.object === undefined && haveTurn(one)));
      for (const one of received) if (one.entry?.object) await haveTurn(one);
      for (const { lease } of received) lease.end();
      return received.filter(({ lease }) => !lease.isGone()).map(({ id }) => id);
    },
    count: async () => {
      const queue = await findAside();
      const [due, waiting] = await Promise.all([main.attributes(), queue?.attributes() ?? {}]);
      const all = { due: messagesIn(due), aside: messagesIn(waiting), oldestKeptAt: undefined };
      return { forms: new Map([['', all]]) };
    },
    async *list() {
      for await (const one of shown()) yield listedOf(one);
    },
    async *take(wanted) {
      const taken = new Set<Lease>();
      let problem: ClientError | undefined;
      for await (const one of shown(taken)) {
        const listed = listedOf(one);
        if (!wanted(listed)) continue;
        const opened = await open(one);
        // What cannot be read now keeps nobody from the others.
        if (opened instanceof ClientError) problem ??= opened;
        if (!opened || opened instanceof ClientError) continue;
        // It may be settled when all have been seen.
        taken.add(one.lease);
        yield { ...opened, listed };
      }
      if (problem) throw problem;
    },
    setUp: async () => (await import('./sqs/set_up.ts')).setUpQueue(main, aws),
    look: async (timeoutMs) => (await import('./sqs/set_up.ts')).lookAtQueue(main, aws, timeoutMs),
    close: async () => {
      isClosed = true;
      stock.length = 0;
      await leases.close();
    },
  };
}

interface Received {
  readonly lease: Lease;
  readonly id: string;
  readonly body: string;
  /** `undefined`: nobody here wrote it so. */
  readonly entry: Entry | undefined;
}

/** What it takes in memory. */
const sizeOf = ({ entry, body }: Received) =>
  entry?.object?.size ?? entry?.kept.content.length ?? body.length;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** What comes after that is nobody's loss: it is stock, or given back. */
async function unlessStopped<T>(work: Promise<T>, stop: AbortSignal | undefined): Promise<T | undefined> {
  if (!stop) return work;
  let onStop: () => void = () => {};
  const stopped = new Promise<undefined>((resolve) => {
    onStop = () => resolve(undefined);
    stop.addEventListener('abort', onStop);
  });
  return Promise.race([work, stopped]).finally(() => stop.removeEventListener('abort', onStop));
}
