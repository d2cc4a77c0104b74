import { type ClientError, failed } from '../../../base/client_error.ts';
import type { HandedMessage } from '../../../base/kept.ts';
import { type Aws, type AwsPlace, ownAddress, partitionOf } from '../../../transports/aws/account.ts';
import { errorName, retryOf, sendSigned } from '../../../transports/aws/send_signed.ts';
import { inBatches } from './batches.ts';

/** One queue of Amazon SQS, spoken to in its JSON protocol. All methods reject with a `ClientError`. */
export interface Queue {
  /** `https://sqs.eu-central-1.amazonaws.com/123456789012/name` */
  readonly url: string;
  readonly name: string;
  /** Resolves when SQS has it. Nobody receives it for so many seconds, up to 900. */
  send(body: string, delaySeconds: number): Promise<void>;
  /** Up to ten, which nobody else receives for `leaseSeconds`. Waits up to 20 s for the first. */
  receive(most: number, waitSeconds: number): Promise<readonly HandedMessage[]>;
  /** A message has another receipt each time that it comes. Nobody receives it for so many seconds from now; 0: everybody may. Up to 12 hours after it was received. */
  hide(receipt: string, seconds: number): Promise<void>;
  remove(receipt: string): Promise<void>;
  attributes(timeoutMs?: number): Promise<Attributes>;
  setAttributes(attributes: Attributes): Promise<void>;
  create(attributes: Attributes): Promise<void>;
}

/** By SQS's own names, such as `ApproximateNumberOfMessages`. */
export type Attributes = Readonly<Record<string, string>>;

/** How long a message is its receiver's alone, unless that is said again: a process that died had it so long. */
export const leaseSeconds = 120;

/** What one request brings, and how long it may wait for that, in seconds. */
export const mostMessages = 10;
export const mostWait = 20;

/** One request, when nobody says less. */
const requestMs = 5_000;

/** Ten messages of 1 MiB, as JSON within JSON. */
const mostAnswerBytes = 24 * 1_048_576;

export function createQueue(aws: Aws, url: string): Queue {
  const { host, pathname } = new URL(url);
  const name = pathname.slice(pathname.lastIndexOf('/') + 1);
  const region = regionOf(host);

  /** The queue's own host, as the SDK has it, too. What it must not be, nobody overlooks. */
  const address = ({ region, isFips }: AwsPlace): string => {
    const isUsualFips = region.startsWith('us-gov-') && !/\.api\.aws$/.test(host);
    if (isFips && !isUsualFips && !/(?:^|\.)sqs-fips\./.test(host))
      throw failed('sqs_without_fips', { host });
    return `https://${host}/`;
  };

  /** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html */
  const ask = async (action: SqsAction, parameters: object, timeoutMs = requestMs): Promise<object> => {
    const answer = await sendSigned(aws, {
      service: 'sqs',
      region,
      request: (place) => {
        const asked = new URL(
          ownAddress(aws.account, 'SQS', { ...place, isDualStack: false }) ?? address(place),
        );
        // A stand-in without TLS knows its queues under its own scheme.
        const QueueUrl = `${asked.protocol}//${host}${pathname}`;
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
    if (answer.status !== 200) throw refusal(errorName(answer), answer.status, action, retryOf(answer));
    const read = answer.isCut ? undefined : asJson(answer.body.toString());
    if (typeof read !== 'object' || read === null) throw failed('sqs_answer_malformed');
    return read;
  };

  /** SQS answers of each entry of a batch by itself. */
  const askForEach = async (action: SqsAction, entries: readonly object[]) => {
    const Entries = entries.map((entry, at) => ({ Id: String(at), ...entry }));
    const { Successful = [], Failed = [] } = (await ask(action, { Entries })) as BatchAnswer;
    const done = new Set(Successful.map(({ Id }) => Id));
    const problems = new Map(Failed.map((one) => [one.Id, one]));
    return Entries.map(({ Id }) => {
      if (done.has(Id)) return undefined;
      const { Code = '', SenderFault = false } = problems.get(Id) ?? {};
      const code = /^[\w.]{1,80}$/.test(Code) ? Code : '';
      return refusal(code, SenderFault ? 400 : 500, action, SenderFault ? {} : { retryAfterMs: 0 });
    });
  };

  const send = inBatches<Sent>(
    (all) =>
      askForEach(
        'SendMessageBatch',
        all.map(({ body, delaySeconds }) => ({ MessageBody: body, DelaySeconds: delaySeconds })),
      ),
    ({ body }) => body.length,
  );
  const hide = inBatches<{ readonly receipt: string; readonly seconds: number }>((all) =>
    askForEach(
      'ChangeMessageVisibilityBatch',
      all.map(({ receipt, seconds }) => ({ ReceiptHandle: receipt, VisibilityTimeout: seconds })),
    ),
  );
  const remove = inBatches<string>((all) =>
    askForEach(
      'DeleteMessageBatch',
      all.map((receipt) => ({ ReceiptHandle: receipt })),
    ),
  );

  return {
    url,
    name,
    send: (body, delaySeconds) => send({ body, delaySeconds }),
    receive: async (most, waitSeconds) => {
      const parameters = {
        MaxNumberOfMessages: most,
        WaitTimeSeconds: waitSeconds,
        VisibilityTimeout: leaseSeconds,
      };
      const timeoutMs = waitSeconds * 1_000 + requestMs;
      const { Messages = [] } = (await ask('ReceiveMessage', parameters, timeoutMs)) as ReceiveAnswer;
      return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '' }) => ({
        id: MessageId,
        receipt: ReceiptHandle,
        body: Body,
      }));
    },
    hide: (receipt, seconds) => hide({ receipt, seconds }),
    remove,
    attributes: async (timeoutMs) => {
      const wanted = { AttributeNames: ['All'] };
      const { Attributes = {} } = (await ask('GetQueueAttributes', wanted, timeoutMs)) as {
        Attributes?: Attributes;
      };
      return Attributes;
    },
    setAttributes: async (Attributes) => void (await ask('SetQueueAttributes', { Attributes })),
    create: async (Attributes) => void (await ask('CreateQueue', { QueueName: name, Attributes })),
  };

  function refusal(
    code: string,
    status: number,
    action: SqsAction,
    retry: ReturnType<typeof retryOf>,
  ): ClientError {
    if (/^(QueueDoesNotExist|AWS\.SimpleQueueService\.NonExistentQueue)$/.test(code))
      return failed('sqs_no_queue', { queue: name });
    if (/^AccessDenied/.test(code))
      return failed('sqs_access_denied', { action: action.replace('Batch', ''), queue: name });
    if (action === 'SendMessageBatch' && /^(InvalidParameterValue|BatchRequestTooLong)$/.test(code))
      return failed('sqs_message_refused', { name: code });
    if (/Token|Signature|^(RequestExpired|IncompleteSignature)$/.test(code))
      return failed('sqs_credentials_refused', { name: code });
    return failed('sqs_status', { status, name: code }, retry);
  }
}

interface Sent {
  readonly body: string;
  readonly delaySeconds: number;
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
  const [, , ...suffixes] = partitionOf(region);
  return suffixes.includes(end) ? region : undefined;
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of what owns the queue: which queue takes what nobody could settle. */
export function deadLetterQueueOf({ RedrivePolicy = '' }: Attributes): string | undefined {
  const { deadLetterTargetArn } = (asJson(RedrivePolicy) ?? {}) as { deadLetterTargetArn?: unknown };
  return /^arn:[\w-]+:sqs:[^:]*:[^:]*:([\w-]{1,80})$/.exec(String(deadLetterTargetArn))?.[1];
}

/** How many bytes a message may have. */
export const mostIn = ({ MaximumMessageSize }: Attributes): number => Number(MaximumMessageSize) || 262_144;

/** About how many there are, whether somebody has them or not. */
export const messagesIn = (attributes: Attributes): number =>
  ['', 'NotVisible', 'Delayed']
    .map((which) => Number(attributes[`ApproximateNumberOfMessages${which}`]) || 0)
    .reduce((sum, count) => sum + count, 0);
