import { suffixOf } from '@form-relay/clients/aws/account';
import { errorName, retryOf, sendSigned } from '@form-relay/clients/aws/send_signed';
import type { ClientError } from '@form-relay/core/kit';
import { parseJson } from '@form-relay/core/kit';
import type { Aws } from '@form-relay/core/services';
import { Batches } from '../../batches.ts';
import { failed } from '../../failures.ts';
import type { HandedMessage } from '../../store.ts';

/** By SQS's own names, such as `ApproximateNumberOfMessages`. */
export type Attributes = Readonly<Record<string, string>>;

/** How long a received message is hidden from others, unless that is renewed. */
export const leaseSeconds = 120;

/** Limits of one receive request: messages, and seconds of waiting. */
export const mostMessages = 10;
export const mostWait = 20;

/** Of one request, whatever the queue. */
const batchLimits = { items: 10, bytes: 262_144, atOnce: 8, beside: 10 };

/** The default timeout of a request. */
const requestMs = 5_000;

/** Ten messages of 1 MiB, as JSON within JSON. */
const mostAnswerBytes = 24 * 1_048_576;

/** A client of one SQS queue, by the JSON protocol. All methods reject with a `ClientError`. */
export class SqsQueue {
  readonly name: string;
  readonly #host: string;
  readonly #pathname: string;
  readonly #region: string | undefined;
  readonly #send = this.#batchesOf<{ readonly MessageBody: string; readonly DelaySeconds: number }>(
    'SendMessageBatch',
    ({ MessageBody }) => MessageBody.length,
  );
  readonly #hide = this.#batchesOf<object>('ChangeMessageVisibilityBatch');
  readonly #remove = this.#batchesOf<object>('DeleteMessageBatch');

  /** @param url `https://sqs.eu-central-1.amazonaws.com/123456789012/name` */
  constructor(
    private readonly aws: Aws,
    readonly url: string,
  ) {
    const { host, pathname } = new URL(url);
    this.#host = host;
    this.#pathname = pathname;
    this.name = pathname.slice(pathname.lastIndexOf('/') + 1);
    this.#region = regionOf(host);
  }

  /** Resolves when SQS has it. It is hidden for the first `DelaySeconds`, up to 900. */
  send(MessageBody: string, DelaySeconds: number): Promise<void> {
    return this.#send.add({ MessageBody, DelaySeconds });
  }

  /** Receives up to ten messages and hides them for `leaseSeconds`. Waits up to 20 s for the first. */
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
   * Hides a received message for so many seconds from now, up to 12 hours after it was received.
   *
   * @param ReceiptHandle Another one each time that the message comes.
   */
  hide(ReceiptHandle: string, VisibilityTimeout: number): Promise<void> {
    return this.#hide.add({ ReceiptHandle, VisibilityTimeout });
  }

  remove(ReceiptHandle: string): Promise<void> {
    return this.#remove.add({ ReceiptHandle });
  }

  async attributes(timeoutMs?: number): Promise<Attributes> {
    const wanted = { AttributeNames: ['All'] };
    const answer = await this.#ask('GetQueueAttributes', wanted, timeoutMs);
    return (answer as { Attributes?: Attributes }).Attributes ?? {};
  }

  async setAttributes(Attributes: Attributes): Promise<void> {
    await this.#ask('SetQueueAttributes', { Attributes });
  }

  async create(Attributes: Attributes): Promise<void> {
    await this.#ask('CreateQueue', { QueueName: this.name, Attributes });
  }

  /** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html */
  async #ask(action: SqsAction, parameters: object, timeoutMs = requestMs): Promise<object> {
    const answer = await sendSigned(this.aws, {
      service: 'sqs',
      region: this.#region,
      request: () => {
        // The queue's own host, as in the SDK.
        const asked = new URL(this.aws.account.endpoint('SQS') ?? `https://${this.#host}/`);
        // A stand-in without TLS has queues under its own scheme.
        const QueueUrl = `${asked.protocol}//${this.#host}${this.#pathname}`;
        return {
          method: 'POST',
          url: asked,
          headers: {
            'content-type': 'application/x-amz-json-1.0',
            'x-amz-target': `AmazonSQS.${action}`,
          },
          body: JSON.stringify(action === 'CreateQueue' ? parameters : { QueueUrl, ...parameters }),
        };
      },
      timeoutMs,
      limitBytes: mostAnswerBytes,
    });
    if (answer.status !== 200) throw this.#refusal(errorName(answer), answer.status, action, retryOf(answer));
    const read = answer.isCut ? undefined : parseJson(answer.body.toString());
    if (typeof read !== 'object' || read === null) throw failed('sqs_answer_malformed');
    return read;
  }

  /** Batches of requests that each succeed or fail. While one is under way, the next gathers until it is full. */
  #batchesOf<T extends object>(action: SqsAction, bytesOf?: (item: T) => number): Batches<T, void> {
    const handle = (items: readonly T[]) => {
      const Entries = items.map((item, at) => ({ Id: String(at), ...item }));
      const answered = this.#ask(action, { Entries }) as Promise<BatchAnswer>;
      return Entries.map(async ({ Id }) => {
        const { Successful = [], Failed = [] } = await answered;
        if (Successful.some((one) => one.Id === Id)) return;
        const { Code = '', SenderFault = false } = Failed.find((one) => one.Id === Id) ?? {};
        const code = /^[\w.]{1,80}$/.test(Code) ? Code : '';
        throw this.#refusal(code, SenderFault ? 400 : 500, action, SenderFault ? {} : { retryAfterMs: 0 });
      });
    };
    return new Batches(batchLimits, handle, bytesOf);
  }

  #refusal(code: string, status: number, action: SqsAction, retry: ReturnType<typeof retryOf>): ClientError {
    if (/^(QueueDoesNotExist|AWS\.SimpleQueueService\.NonExistentQueue)$/.test(code))
      return failed('sqs_no_queue', { queue: this.name });
    if (/^AccessDenied/.test(code))
      return failed('sqs_access_denied', { action: action.replace('Batch', ''), queue: this.name });
    if (action === 'SendMessageBatch' && /^(InvalidParameterValue|BatchRequestTooLong)$/.test(code))
      return failed('sqs_message_refused', { name: code });
    if (/Token|Signature|^(RequestExpired|IncompleteSignature)$/.test(code))
      return failed('sqs_credentials_refused', { name: code });
    return failed('sqs_status', { status, name: code }, retry);
  }
}

type SqsAction =
  | 'SendMessageBatch'
  | 'ReceiveMessage'
  | 'ChangeMessageVisibilityBatch'
  | 'DeleteMessageBatch'
  | 'GetQueueAttributes'
  | 'SetQueueAttributes'
  | 'CreateQueue';

interface BatchAnswer {
  readonly Successful?: readonly { readonly Id: string }[];
  readonly Failed?: readonly {
    readonly Id: string;
    readonly Code?: string;
    readonly SenderFault?: boolean;
  }[];
}

interface ReceiveAnswer {
  readonly Messages?: readonly {
    readonly MessageId?: string;
    readonly ReceiptHandle?: string;
    readonly Body?: string;
  }[];
}

/**
 * The region that a host of SQS stands for; `undefined` where only the environment can say it.
 * `sqs.eu-central-1.amazonaws.com`, `sqs-fips.us-east-1.api.aws`, `vpce-….sqs.us-east-1.vpce.amazonaws.com`
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

/** About how many messages there are, hidden ones included. */
export const messagesIn = (attributes: Attributes): number =>
  ['', 'NotVisible', 'Delayed']
    .map((which) => Number(attributes[`ApproximateNumberOfMessages${which}`]) || 0)
    .reduce((sum, count) => sum + count, 0);
