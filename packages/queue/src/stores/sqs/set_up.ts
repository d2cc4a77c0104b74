import type { Aws } from '@form-relay/core/index';
import { ClientError } from '@form-relay/core/kit';
import { failed } from '../../failures.ts';
import type { StoreFinding } from '../../store.ts';
import { type Attributes, deadLetterQueueOf, mostIn, SqsQueue } from './queue.ts';

const day = 86_400;
/** The longest retention of SQS. */
const mostRetention = 14 * day;

/** How often a message may come unsettled before SQS moves it to the dead-letter queue. */
const mostReceived = 20;

const wanted: Attributes = {
  MessageRetentionPeriod: String(mostRetention),
  MaximumMessageSize: '1048576',
};

/** Makes the queue and its dead-letter queue if they are missing, and joins them. Resolves with what it did, in words. */
export async function setUpQueue(queue: SqsQueue, aws: Aws): Promise<readonly string[]> {
  const found = await attributesOf(queue);
  const known = found && deadLetterQueueOf(found);
  if (known !== undefined) return [`${queue.name} is there, and so is its dead-letter queue ${known}`];
  const aside = new SqsQueue(aws, `${queue.url}-aside`);
  const isThere = (await attributesOf(aside)) !== undefined;
  if (!isThere) await aside.create(wanted);
  const { QueueArn = '' } = await onceKnown(() => aside.attributes());
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: QueueArn, maxReceiveCount: mostReceived });
  await onceKnown(() =>
    found
      ? queue.setAttributes({ RedrivePolicy })
      : queue.create({ ...wanted, VisibilityTimeout: '360', RedrivePolicy }),
  );
  await onceKnown(() => queue.attributes());
  return [
    isThere ? `${aside.name} is there` : `made ${aside.name}, for what waits for you`,
    found ? `${queue.name} is there; made ${aside.name} its dead-letter queue` : `made ${queue.name}`,
  ];
}

/** A second or more passes until all servers of SQS know a new queue. */
const knownAfterMs = 15_000;
const askAgainMs = 500;

/** Repeats the request while SQS doesn't know a new queue. */
async function onceKnown<T>(ask: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + knownAfterMs; ; ) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnknown(error) || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, askAgainMs));
    }
  }
}

/** SQS calls a redrive policy with an unknown queue an invalid value. */
const isUnknown = (error: unknown) =>
  error instanceof ClientError &&
  (error.code === 'sqs_no_queue' ||
    (error.code === 'sqs_status' &&
      /^InvalidParameterValue|^InvalidAttributeValue/.test(
        String((error.params as { name?: unknown }).name),
      )));

async function attributesOf(queue: SqsQueue): Promise<Attributes | undefined> {
  try {
    return await queue.attributes();
  } catch (error) {
    if (error instanceof ClientError && error.code === 'sqs_no_queue') return undefined;
    throw error;
  }
}

/** Checks whether the queues can be used, and what may lose kept deliveries. */
export async function lookAtQueue(
  queue: SqsQueue,
  aws: Aws,
  timeoutMs: number,
): Promise<readonly StoreFinding[]> {
  const found = await queue.attributes(timeoutMs);
  const name = deadLetterQueueOf(found);
  if (name === undefined) throw failed('sqs_without_dead_letter_queue', { queue: queue.name });
  const aside = new SqsQueue(aws, new URL(name, queue.url).href);
  const its = await aside.attributes(timeoutMs);
  return [
    `${queue.name} is there, and its dead-letter queue ${name}, where SQS deletes what has waited ${daysIn(its)} days for you`,
    ...[[queue, found] as const, [aside, its] as const].flatMap(([{ name }, attributes]) =>
      daysIn(attributes) < 14
        ? [
            {
              says: `${name} holds a message for ${daysIn(attributes)} days at most`,
              remedy: `Set its MessageRetentionPeriod to ${mostRetention} (14 days).`,
            },
          ]
        : [],
    ),
    ...(mostIn(found) < Number(wanted.MaximumMessageSize)
      ? [
          {
            says: `${queue.name} takes messages of ${Math.floor(mostIn(found) / 1_024)} KB at most`,
            remedy: `Set its MaximumMessageSize to ${wanted.MaximumMessageSize}.`,
          },
        ]
      : []),
  ];
}

const daysIn = ({ MessageRetentionPeriod }: Attributes): number =>
  Math.floor((Number(MessageRetentionPeriod) || 0) / day);
