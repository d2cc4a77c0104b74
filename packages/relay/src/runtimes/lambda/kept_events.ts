import type { Keep } from '../../base/kept.ts';
import type { KeptDeliveries } from '../../keeping/kept_deliveries.ts';
import type { Relay } from '../../relay.ts';

/** Up to ten messages of one queue, unless the event source says more. */
export interface SqsEvent {
  readonly Records: readonly SqsRecord[];
}

interface SqsRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly eventSource: string;
  /** `arn:aws:sqs:eu-central-1:123456789012:name` */
  readonly eventSourceARN: string;
}

/** The event of a rule or a schedule of EventBridge. */
export interface ScheduledEvent {
  readonly 'detail-type': string;
}

/** Messages that SQS must not delete (`ReportBatchItemFailures`). */
export interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

export type KeptHandler = (
  event: SqsEvent | ScheduledEvent,
  context: { getRemainingTimeInMillis(): number },
) => Promise<BatchResponse>;

/** Begin no more tries with less time left: a try may take 24 s, and settling it some more. */
const tryMs = 27_000;

/** The limits of one claim. */
const mostClaimed = { entries: 10, bytes: 16_000_000 };

/** Retries kept deliveries: due messages that SQS passes to the function, or, called by a schedule, all that are due. */
export function keptHandler({
  config,
  keeping,
  flush,
}: Pick<Relay, 'config' | 'keeping' | 'flush'>): KeptHandler {
  return async (event, context) => {
    const hasTime = () => context.getRemainingTimeInMillis() > tryMs;
    try {
      const loaded = await config.get();
      if (isHanded(event)) {
        const mayBegin = () => loaded !== undefined && hasTime();
        const left = await tryMessages(event, loaded?.keep, await keeping(), mayBegin);
        return { batchItemFailures: left.map((itemIdentifier) => ({ itemIdentifier })) };
      }
      if (event?.['detail-type'] !== 'Scheduled Event') {
        throw new Error('this is neither an event of SQS nor a scheduled one');
      }
      if (loaded?.keep) await drain(loaded.keep, await keeping(), hasTime);
      return { batchItemFailures: [] };
    } finally {
      await flush();
    }
  };
}

const isHanded = (event: SqsEvent | ScheduledEvent): event is SqsEvent =>
  Array.isArray((event as Partial<SqsEvent> | null)?.Records) &&
  (event as SqsEvent).Records.every(({ eventSource }) => eventSource === 'aws:sqs');

/** Resolves with the ids of the messages that are still in the queue. */
async function tryMessages(
  { Records }: SqsEvent,
  keep: Keep | undefined,
  keeping: KeptDeliveries,
  mayBegin: () => boolean,
): Promise<readonly string[]> {
  const [first] = Records;
  if (!first) return [];
  const store = await keeping.store(keepIn(first.eventSourceARN, keep));
  const messages = Records.map(({ messageId: id, receiptHandle: receipt, body }) => ({ id, receipt, body }));
  const left = await store.handed?.(messages, (claim) => keeping.attempt(claim, mayBegin), mayBegin);
  return left ?? messages.map(({ id }) => id);
}

/** The messages' own queue: the config may name another one by now. */
function keepIn(arn: string, keep: Keep | undefined): Keep {
  const [, partition, , region, account, queue] = arn.split(':');
  const path = `/${account}/${queue}`;
  if (keep?.in.kind === 'sqs' && keep.in.url.pathname === path) return keep;
  const name = `sqs://sqs.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}${path}`;
  const place = { kind: 'sqs', name, url: new URL(name) } as const;
  // biome-ignore lint/suspicious/noThenProperty: the config's own word.
  return { forMs: Infinity, then: 'aside', filesIn: undefined, ...keep, in: place };
}

/** Delivers everything that is due, until time runs out. */
async function drain(keep: Keep, keeping: KeptDeliveries, mayBegin: () => boolean): Promise<void> {
  const store = await keeping.store(keep);
  while (mayBegin()) {
    const claims = await store.claim(mostClaimed.entries, 1_000, mostClaimed.bytes);
    if (claims.length === 0) return;
    await Promise.all(claims.map((claim) => keeping.attempt(claim, mayBegin)));
  }
}
