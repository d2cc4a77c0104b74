/** Batches of messages that a platform hands over: there, no process waits for what is due. */
import type { Log } from '@form-relay/core/index';
import { isMap } from '@form-relay/schema/schema';
import type { HandedMessage, QueueConfig } from '@form-relay/stores/store';
import type { Queue } from './queue.ts';

/** A batch of Amazon SQS: up to ten messages of one queue, unless the event source says more. */
export interface SqsEvent {
  readonly Records: readonly {
    readonly messageId: string;
    readonly receiptHandle: string;
    readonly body: string;
    readonly eventSource: string;
    /** `arn:aws:sqs:eu-central-1:123456789012:name` */
    readonly eventSourceARN: string;
  }[];
}

interface MessageBatch {
  readonly messages: readonly {
    readonly id: string;
    readonly body: unknown;
    ack(): void;
    retry(options: { readonly delaySeconds: number }): void;
  }[];
}

interface EventContext {
  readonly keep: QueueConfig | undefined;
  readonly queue: () => Promise<Queue>;
  /** Whether there are forms to deliver for. */
  readonly isLoaded: boolean;
  readonly log: Log;
  /** In milliseconds, when the event came. */
  readonly timeLeftMs: number;
}

interface Work extends EventContext {
  /** Whether there is time for another try. */
  mayBegin(): boolean;
}

/** Begin no more tries with less time left: a try may take 24 s, and settling it some more. */
const tryMs = 27_000;
/** How soon a message of Cloudflare comes again that could not be settled, in seconds. */
const againDelay = 60;

/** `undefined`: the event is for another plug-in. */
export function takeEvent(event: unknown, context: EventContext): Promise<unknown> | undefined {
  if (!isMap(event)) return undefined;
  const until = performance.now() + context.timeLeftMs - tryMs;
  const work = { ...context, mayBegin: () => context.isLoaded && performance.now() < until };
  if (isSqs(event)) return trySqs(event, work);
  return isBatch(event) ? tryBatch(event, work) : undefined;
}

const isSqs = (event: object): event is SqsEvent =>
  'Records' in event &&
  Array.isArray(event.Records) &&
  event.Records.every((one) => isMap(one) && one.eventSource === 'aws:sqs');

const isBatch = (event: object): event is MessageBatch =>
  'messages' in event &&
  Array.isArray(event.messages) &&
  event.messages.every((one) => isMap(one) && typeof one.ack === 'function');

/** Resolves with the ids of messages that are still in the queue. */
async function tryAll(keep: QueueConfig, messages: readonly HandedMessage[], { queue, mayBegin }: Work) {
  const { stores, tries } = await queue();
  const store = await stores.get(keep);
  const left = await store.handed?.(messages, (lease) => tries.attempts.run(lease, { mayBegin }), mayBegin);
  return left ?? messages.map(({ id }) => id);
}

/** Resolves with the messages that SQS must not delete (`ReportBatchItemFailures`). */
async function trySqs({ Records }: SqsEvent, work: Work) {
  const [first] = Records;
  if (!first) return { batchItemFailures: [] };
  const messages = Records.map(({ messageId: id, receiptHandle: receipt, body }) => ({ id, receipt, body }));
  const left = await tryAll(queueOf(first.eventSourceARN, work.keep), messages, work);
  return { batchItemFailures: left.map((itemIdentifier) => ({ itemIdentifier })) };
}

/** The messages' own queue: the config may name another one by now. */
function queueOf(arn: string, keep: QueueConfig | undefined): QueueConfig {
  const [, partition, , region, account, queue] = arn.split(':');
  const path = `/${account}/${queue}`;
  if (keep?.in.kind === 'sqs' && keep.in.url.pathname === path) return keep;
  const name = `sqs://sqs.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}${path}`;
  const place = { kind: 'sqs', name, url: new URL(name) } as const;
  return { forMs: Infinity, filesIn: undefined, ...keep, in: place };
}

/** Acknowledges what was delivered, or waits in a new message; all others come again. */
async function tryBatch({ messages }: MessageBatch, work: Work) {
  let left: readonly string[] = messages.map(({ id }) => id);
  try {
    if (work.keep?.in.kind === 'queue') {
      const handed = messages.map(({ id, body }) => ({
        id,
        receipt: id,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }));
      left = await tryAll(work.keep, handed, work);
    } else {
      const reason = 'the config does not load, or its keep names no queue of Cloudflare';
      work.log('error', 'keep_unavailable', { deliveries: messages.length, reason });
    }
  } finally {
    for (const one of messages) {
      if (left.includes(one.id)) one.retry({ delaySeconds: againDelay });
      else one.ack();
    }
  }
}
