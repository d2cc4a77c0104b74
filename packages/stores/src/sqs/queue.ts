import type { ClientError } from '@form-relay/base/client_error';
import { parseJson } from '@form-relay/base/json';
import { createTurns } from '@form-relay/base/turns';
import { suffixOf } from '@form-relay/clients/aws/account';
import { errorName, retryOf, sendSigned } from '@form-relay/clients/aws/sign';
import type { Finding } from '@form-relay/core/command';
import type { Aws, BytesAnswer } from '@form-relay/core/index';
import { failed } from '../failures.ts';
import type { HandedMessage } from '../store.ts';

/** Attributes by SQS's own names, such as `ApproximateNumberOfMessages`. */
export type Attributes = Readonly<Record<string, string>>;

/** How long a received message is hidden from others, unless its lease is renewed. */
export const leaseSeconds = 120;

/** The limits of one receive request: messages, and seconds to wait. */
export const mostMessages = 10;
export const mostWait = 20;

/** How many messages are sent, hidden and removed at the same time. */
const mostAtOnce = 32;

/** The default timeout of a request. */
const requestMs = 5_000;

/** Enough for ten messages of 1 MiB, as JSON in JSON. */
const mostAnswerBytes = 24 * 1_048_576;

/** A client for one SQS queue, using the JSON protocol. All methods reject with a `ClientError`. */
export class SqsQueue {
  readonly name: string;
  /** A burst of requests waits here, before their timeouts start. */
  readonly #inTurn = createTurns(mostAtOnce);

  /** @param url For example `https://sqs.eu-central-1.amazonaws.com/123456789012/name`. */
  constructor(
    private readonly aws: Aws,
    readonly url: URL,
  ) {
    this.name = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
  }

  /** Sends a message. SQS hides it for the first `DelaySeconds`, up to 900. */
  async send(MessageBody: string, DelaySeconds: number): Promise<void> {
    const answer = await this.#inTurn(() => this.#ask('SendMessage', { MessageBody, DelaySeconds }));
    if (!('MessageId' in answer)) throw failed('sqs_answer_malformed');
  }

  /** Receives up to ten messages and hides them for `leaseSeconds`. Waits up to 20 s for the first one. */
  async receive(most: number, waitSeconds: number): Promise<readonly HandedMessage[]> {
    const parameters = {
      MaxNumberOfMessages: most,
      WaitTimeSeconds: waitSeconds,
      VisibilityTimeout: leaseSeconds,
    };
    const timeoutMs = waitSeconds * 1_000 + requestMs;
    const { Messages = [] } = (await this.#ask('ReceiveMessage', parameters, timeoutMs)) as ReceiveAnswer;
    return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '' }) => ({
      id: MessageId,
      receipt: ReceiptHandle,
      body: Body,
    }));
  }

  /**
   * Hides a received message for this many seconds from now, up to 12 hours after it was received.
   *
   * @param ReceiptHandle A new one each time the message is received.
   */
  async hide(ReceiptHandle: string, VisibilityTimeout: number): Promise<void> {
    await this.#inTurn(() => this.#ask('ChangeMessageVisibility', { ReceiptHandle, VisibilityTimeout }));
  }

  async remove(ReceiptHandle: string): Promise<void> {
    await this.#inTurn(() => this.#ask('DeleteMessage', { ReceiptHandle }));
  }

  async attributes(timeoutMs?: number): Promise<Attributes> {
    const wanted = { AttributeNames: ['All'] };
    const answer = await this.#ask('GetQueueAttributes', wanted, timeoutMs);
    return (answer as { Attributes?: Attributes }).Attributes ?? {};
  }

  /** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html */
  async #ask(action: SqsAction, parameters: object, timeoutMs = requestMs): Promise<object> {
    const { host, pathname } = this.url;
    const answer = await sendSigned(this.aws, {
      service: 'sqs',
      region: regionOf(host),
      request: () => {
        // Use the queue's own host, like the SDK.
        const endpoint = new URL(this.aws.account.endpoint('SQS') ?? `https://${host}/`);
        // A fake SQS without TLS has queues under its own scheme.
        const QueueUrl = `${endpoint.protocol}//${host}${pathname}`;
        return {
          method: 'POST',
          url: endpoint,
          headers: {
            'content-type': 'application/x-amz-json-1.0',
            'x-amz-target': `AmazonSQS.${action}`,
          },
          body: JSON.stringify({ QueueUrl, ...parameters }),
        };
      },
      timeoutMs,
      limitBytes: mostAnswerBytes,
    });
    if (answer.status !== 200) throw this.#refusal(answer, action);
    // Actions without a result have an empty response.
    const read = answer.isCut ? undefined : parseJson(answer.body.toString() || '{}');
    if (typeof read !== 'object' || read === null) throw failed('sqs_answer_malformed');
    return read;
  }

  #refusal(answer: BytesAnswer, action: SqsAction): ClientError {
    const code = errorName(answer);
    if (/^(QueueDoesNotExist|AWS\.SimpleQueueService\.NonExistentQueue)$/.test(code))
      return failed('sqs_no_queue', { queue: this.name });
    if (/^AccessDenied/.test(code)) return failed('sqs_access_denied', { action, queue: this.name });
    if (action === 'SendMessage' && /^InvalidParameterValue/.test(code))
      return failed('sqs_message_refused', { name: code });
    if (/Token|Signature|^(RequestExpired|IncompleteSignature)$/.test(code))
      return failed('sqs_credentials_refused', { name: code });
    return failed('sqs_status', { status: answer.status, name: code }, retryOf(answer));
  }
}

type SqsAction =
  | 'SendMessage'
  | 'ReceiveMessage'
  | 'ChangeMessageVisibility'
  | 'DeleteMessage'
  | 'GetQueueAttributes';

interface ReceiveAnswer {
  readonly Messages?: readonly {
    readonly MessageId?: string;
    readonly ReceiptHandle?: string;
    readonly Body?: string;
  }[];
}

/**
 * The region of an SQS host; `undefined` if only the environment has it. `sqs.eu-central-1.amazonaws.com`,
 * `sqs-fips.us-east-1.api.aws`, `vpce-….sqs.us-east-1.vpce.amazonaws.com`
 */
function regionOf(host: string): string | undefined {
  const [, region = '', end = ''] =
    /(?:^|\.)sqs(?:-fips)?\.([a-z\d-]+)\.(?:vpce\.)?([a-z\d.-]+)$/.exec(host) ?? [];
  return end === suffixOf(region) || end === 'api.aws' ? region : undefined;
}

export function deadLetterQueueOf({ RedrivePolicy = '' }: Attributes): string | undefined {
  const { deadLetterTargetArn } = (parseJson(RedrivePolicy) ?? {}) as { deadLetterTargetArn?: unknown };
  return /^arn:[\w-]+:sqs:[^:]*:[^:]*:([\w-]{1,80})$/.exec(String(deadLetterTargetArn))?.[1];
}

export const mostIn = ({ MaximumMessageSize }: Attributes): number => Number(MaximumMessageSize) || 262_144;

/** The approximate number of messages, including hidden ones. */
export const messagesIn = (attributes: Attributes): number =>
  ['', 'NotVisible', 'Delayed']
    .map((which) => Number(attributes[`ApproximateNumberOfMessages${which}`]) || 0)
    .reduce((sum, count) => sum + count, 0);

const day = 86_400;
/** The longest retention time in SQS. */
const mostRetention = 14 * day;

/** The largest message, in bytes. */
const mostMessage = 1_048_576;

/** Checks whether the queues can be used, and reports what may lose queued deliveries. */
export async function probeQueue(queue: SqsQueue, aws: Aws): Promise<readonly Finding[]> {
  const found = await queue.attributes();
  const name = deadLetterQueueOf(found);
  if (name === undefined) throw failed('sqs_without_dead_letter_queue', { queue: queue.name });
  const deadLetters = new SqsQueue(aws, new URL(name, queue.url));
  const its = await deadLetters.attributes();
  return [
    {
      level: 'ok',
      says: `${queue.name} exists, with the dead-letter queue ${name}, where SQS deletes messages after ${inDays(daysIn(its))}`,
    },
    ...[[queue, found] as const, [deadLetters, its] as const].flatMap(([{ name }, attributes]) =>
      daysIn(attributes) < 14
        ? [
            {
              level: 'warning' as const,
              says: `${name} keeps messages for at most ${inDays(daysIn(attributes))}`,
              remedy: `Set its MessageRetentionPeriod to ${mostRetention} (14 days).`,
            },
          ]
        : [],
    ),
    ...(mostIn(found) < mostMessage
      ? [
          {
            level: 'warning' as const,
            says: `${queue.name} accepts messages of ${Math.floor(mostIn(found) / 1_024)} KB at most`,
            remedy: `Set its MaximumMessageSize to ${mostMessage}.`,
          },
        ]
      : []),
  ];
}

const inDays = (days: number) => (days === 1 ? '1 day' : `${days} days`);

const daysIn = ({ MessageRetentionPeriod }: Attributes): number =>
  Math.floor((Number(MessageRetentionPeriod) || 0) / day);
