import type { Aws } from '@form-relay/core/index';
import { failed } from '../../failures.ts';
import type { StoreFinding } from '../../store.ts';
import { type Attributes, deadLetterQueueOf, mostIn, SqsQueue } from './queue.ts';

const day = 86_400;
/** The longest retention of SQS. */
const mostRetention = 14 * day;

/** In bytes. */
const mostMessage = 1_048_576;

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
    ...(mostIn(found) < mostMessage
      ? [
          {
            says: `${queue.name} takes messages of ${Math.floor(mostIn(found) / 1_024)} KB at most`,
            remedy: `Set its MaximumMessageSize to ${mostMessage}.`,
          },
        ]
      : []),
  ];
}

const daysIn = ({ MessageRetentionPeriod }: Attributes): number =>
  Math.floor((Number(MessageRetentionPeriod) || 0) / day);
