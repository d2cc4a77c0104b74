import { ClientError } from '@form-relay/base/client_error';
import type { Aws } from '@form-relay/core/index';
import { failed, inTime } from '../failures.ts';
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
  Queued,
  Store,
  StoreContext,
} from '../store.ts';

/** The part of a queue's binding that is used. @see https://developers.cloudflare.com/queues/configuration/javascript-apis/ */
interface Queue {
  send(body: string, options: { contentType: 'text'; delaySeconds: number }): Promise<unknown>;
}

/** The longest delay of a message, in seconds. */
const mostDelay = 43_200;
/** The largest message: 128 KB, minus what Cloudflare adds to it. */
const mostBytes = 127_000;
/** Room for a longer reason in later versions of the message. */
const growth = 4_096;
const settleMs = 10_000;
/** When a dead letter that was handed out and is still one is handed out again, in seconds. */
const deadLetterDelay = 3_600;

export function openQueues(bindings: Bindings, context: StoreContext, aws: Aws): Store {
  const says = `the bindings ${bindings.retries} and ${bindings.deadLetters} work only in a Worker on Cloudflare`;
  return {
    leases: new QueueLeases(bindings, context.filesIn, context, aws),
    probe: async () => [{ level: 'ok', says }],
    close: async () => {},
  };
}

/** The names of the bindings of the two queues. */
interface Bindings {
  readonly retries: string;
  readonly deadLetters: string;
}

/**
 * Keeps entries in a Cloudflare queue, one message each; the queue hands them to the Worker when they are
 * due. For each wait, sends a new message before acknowledging the old one, because Cloudflare counts how
 * often a message was delivered and finally deletes it. Dead letters go into another queue.
 */
class QueueLeases implements Leases {
  /** Cloudflare redelivers a message automatically, after the time set in wrangler.jsonc. */
  readonly leaseMs = 0;
  readonly #objects: Objects | undefined;

  constructor(
    private readonly queues: Bindings,
    filesIn: Bucket | undefined,
    private readonly context: StoreContext,
    aws: Aws,
  ) {
    this.#objects = filesIn && createObjects(aws, filesIn);
  }

  async keep(entries: readonly Queued[], { dueAt, timeoutMs }: KeepOptions): Promise<never[]> {
    const sent = entries.map((kept) =>
      this.#send({ kept, object: undefined, dueAt, deadLetter: undefined }, timeoutMs),
    );
    await Promise.all(sent);
    return [];
  }

  async handed(
    messages: readonly HandedMessage[],
    turn: (lease: Lease) => Promise<void>,
    mayBegin: () => boolean,
  ): Promise<readonly string[]> {
    const gone = new Set<string>();
    const take = async ({ id, body }: HandedMessage) => {
      const entry = readEntry(body);
      const settle = async (resend: () => Promise<void>) => {
        if (gone.has(id)) return;
        await resend();
        gone.add(id);
      };
      // Back-off can exceed Cloudflare's maximum delay; re-enqueue until due.
      if (entry && entry.deadLetter === undefined && secondsUntil(entry.dueAt, this.context.now()) > 0)
        return settle(() => this.#send(entry)).catch(onlyClientErrors);
      const lease = entry ? await this.#leaseOf(entry, settle) : this.#unknown(id, body, settle);
      if (lease) await turn(lease);
    };
    // Contents in a bucket are large, so load one at a time.
    for (const one of messages) if (mayBegin()) await take(one);
    return messages.flatMap(({ id }) => (gone.has(id) ? [] : id));
  }

  readonly lease = unseen;
  readonly count = unseen;
  readonly list = noneSeen;
  readonly leaseMatching = noneSeen;

  #queue(name: string): Queue {
    const queue = this.context.binding?.(name) as Queue | undefined;
    if (typeof queue?.send !== 'function') throw failed('binding_missing', { name, kind: 'queue' });
    return queue;
  }

  async #send(
    entry: Entry,
    timeoutMs = settleMs,
    delaySeconds = secondsUntil(entry.dueAt, this.context.now()),
  ) {
    const { kept } = entry;
    let body = writeEntry(entry);
    if (!entry.object && body.length + growth > mostBytes) {
      if (!this.#objects) throw failed('sqs_too_large', { size: body.length, most: mostBytes });
      body = writeEntry({ ...entry, object: await this.#objects.put(kept.id, kept.content, timeoutMs) });
    }
    const { retries, deadLetters } = this.queues;
    await this.#sendBody(
      entry.deadLetter === undefined ? retries : deadLetters,
      body,
      delaySeconds,
      timeoutMs,
    );
  }

  async #sendBody(name: string, body: string, delaySeconds: number, timeoutMs = settleMs): Promise<void> {
    const options = { contentType: 'text', delaySeconds: Math.min(mostDelay, delaySeconds) } as const;
    const sent = this.#queue(name)
      .send(body, options)
      .catch(() => {
        throw failed('queue_refused', { name }, { retryAfterMs: 0 });
      });
    await inTime(timeoutMs, sent);
  }

  /** The lease of an entry; `undefined` if its content cannot be read now, so that the message is redelivered. */
  async #leaseOf(entry: Entry, settle: Settle): Promise<Lease | undefined> {
    const isForOwner = entry.deadLetter !== undefined;
    return leaseOf(entry, this.#objects, (next) =>
      settle(async () => {
        if (!next) return;
        const delay = next.deadLetter === undefined ? undefined : isForOwner ? deadLetterDelay : 0;
        await this.#send({ ...entry, ...next }, settleMs, delay);
      }),
    ).catch(onlyClientErrors);
  }

  #unknown = (id: string, body: string, settle: Settle): Lease =>
    unknownLease(unknownEntry(id, body, this.context.now()), (passOn) =>
      settle(async () => {
        if (passOn) await this.#sendBody(this.queues.deadLetters, body, deadLetterDelay);
      }),
    );
}

/** A queue cannot be read. */
const unseen = async (): Promise<never> => {
  throw failed('queue_unseen');
};

// biome-ignore lint/correctness/useYield: a queue cannot be read.
async function* noneSeen(): AsyncGenerator<never> {
  throw failed('queue_unseen');
}

/** Acknowledges the message after `resend` has resolved. */
type Settle = (resend: () => Promise<void>) => Promise<void>;

function onlyClientErrors(error: unknown): undefined {
  if (!(error instanceof ClientError)) throw error;
}
