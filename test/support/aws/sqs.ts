/** An Amazon SQS of our own, with the rules that a store must live with: in memory, on a port of 127.0.0.1. */
import { createHash, randomUUID } from 'node:crypto';
import http from 'node:http';
import type { HandedMessage } from '../../../packages/relay/src/base/kept.ts';
import { listen } from '../listen.ts';
import { signatureProblem } from './signature.ts';

/** By SQS's own names. */
type Attributes = Record<string, string>;

interface StoredMessage {
  readonly id: string;
  body: string;
  readonly sentAt: number;
  /** Nobody gets it before. */
  visibleAt: number;
  receivedAt: number;
  received: number;
  receipt: string;
}

interface Queue {
  readonly name: string;
  readonly attributes: Attributes;
  messages: StoredMessage[];
  /** When a message becomes visible, at the earliest. Large runs have 300,000 that wait, and many who ask. */
  visibleFrom: number;
  /** When old messages were last looked for. */
  sweptAt: number;
}

export interface Sqs {
  readonly origin: string;
  readonly queues: Map<string, Queue>;
  /** Of each request that was answered, such as `SendMessageBatch`. */
  readonly asked: readonly string[];
  makeQueue(name: string, attributes?: Attributes): Queue;
  /** Says what is wrong with an entry of a batch, or with a request, before it is carried out. `undefined`: nothing. */
  refuse:
    | ((action: string, entry: number) => { readonly status: number; readonly code: string } | undefined)
    | undefined;
  /** As somebody sends it who is no relay. */
  put(queue: string, body: string): void;
  /** As SQS hands messages to a function: what is there, whatever its time, for so many seconds. */
  hand(queue: string, most: number, seconds: number): readonly HandedMessage[];
  /** Nobody listens any more; what this gives opens it again. */
  stop(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** One account, one region. It speaks no TLS, and names its queues accordingly. */
const queueUrl = (name: string) => `http://sqs.eu-central-1.amazonaws.com/123456789012/${name}`;
export const queueArn = (name: string) => `arn:aws:sqs:eu-central-1:123456789012:${name}`;

class SqsError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(code: string, status = 400) {
    super(code);
    this.code = code;
    this.status = status;
  }
}

const defaults: Attributes = {
  VisibilityTimeout: '30',
  MaximumMessageSize: '1048576',
  MessageRetentionPeriod: '345600',
  DelaySeconds: '0',
  ReceiveMessageWaitTimeSeconds: '0',
};

const ranges: Readonly<Record<string, readonly [least: number, most: number]>> = {
  VisibilityTimeout: [0, 43_200],
  MaximumMessageSize: [1_024, 1_048_576],
  MessageRetentionPeriod: [60, 1_209_600],
  DelaySeconds: [0, 900],
};

/** In one queue, as a standard one has it. */
const mostInFlight = 120_000;
const mostBatchBytes = 1_048_576;

/** @param secondMs How long it waits for messages where it should wait for a second. */
export async function startSqs(now: () => number = Date.now, secondMs = 100): Promise<Sqs> {
  const queues = new Map<string, Queue>();
  /** Those that somebody has, by what stands for them. */
  const byReceipts = new Map<string, StoredMessage>();
  const asked: string[] = [];
  const invalid = (what: string): never => {
    throw new SqsError(what === '' ? 'InvalidParameterValue' : what);
  };
  const inRange = (found: unknown, least: number, most: number): number =>
    Number.isInteger(found) && (found as number) >= least && (found as number) <= most
      ? (found as number)
      : invalid('');

  const checked = (attributes: Attributes): Attributes => {
    for (const [name, value] of Object.entries(attributes)) {
      const [least, most] = ranges[name] ?? [];
      if (least !== undefined && most !== undefined) inRange(Number(value), least, most);
      else if (name !== 'RedrivePolicy') throw new SqsError('InvalidAttributeName');
    }
    if (attributes.RedrivePolicy !== undefined) {
      const policy = JSON.parse(attributes.RedrivePolicy);
      inRange(Number(policy.maxReceiveCount), 1, 1_000);
      const there = [...queues.keys()].some((name) => queueArn(name) === policy.deadLetterTargetArn);
      if (!there) invalid('');
    }
    return attributes;
  };

  const makeQueue = (name: string, attributes: Attributes = {}): Queue => {
    if (!/^[\w-]{1,80}$/.test(name)) invalid('');
    const queue = {
      name,
      attributes: { ...defaults, ...checked(attributes) },
      messages: [],
      visibleFrom: 0,
      sweptAt: 0,
    };
    queues.set(name, queue);
    return queue;
  };

  const policyOf = ({ attributes }: Queue): { most: number; to: Queue } | undefined => {
    if (!attributes.RedrivePolicy) return undefined;
    const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(attributes.RedrivePolicy);
    const to = [...queues.values()].find(({ name }) => queueArn(name) === deadLetterTargetArn);
    return to && { most: Number(maxReceiveCount), to };
  };

  const isVisible = (one: StoredMessage, at = now()) => one.visibleAt <= at;
  const isFull = ({ messages }: Queue) => {
    const at = now();
    let inFlight = 0;
    for (const one of messages) if (one.receipt !== '' && !isVisible(one, at)) inFlight += 1;
    return inFlight >= mostInFlight;
  };
  const forgetOld = (queue: Queue) => {
    const { attributes, messages } = queue;
    const time = now();
    if (Math.abs(time - queue.sweptAt) < 1_000) return;
    queue.sweptAt = time;
    const oldest = time - Number(attributes.MessageRetentionPeriod) * 1_000;
    const young = messages.filter(({ sentAt }) => sentAt >= oldest);
    if (young.length === messages.length) return;
    for (const { sentAt, receipt } of messages) if (sentAt < oldest) byReceipts.delete(receipt);
    queue.messages = young;
  };

  const show = (queue: Queue, message: StoredMessage, at: number) => {
    message.visibleAt = at;
    queue.visibleFrom = Math.min(queue.visibleFrom, at);
  };

  const take = (queue: Queue, most: number, seconds: number): StoredMessage[] => {
    forgetOld(queue);
    const { messages } = queue;
    const time = now();
    if (time < queue.visibleFrom) return [];
    if (byReceipts.size >= mostInFlight && isFull(queue)) throw new SqsError('OverLimit', 403);
    const redrive = policyOf(queue);
    const taken: StoredMessage[] = [];
    let next = Infinity;
    for (let at = 0; at < messages.length && taken.length < most; at += 1) {
      const message = messages[at] as StoredMessage;
      if (!isVisible(message, time)) {
        next = Math.min(next, message.visibleAt);
        continue;
      }
      if (redrive && message.received >= redrive.most) {
        messages.splice(at, 1);
        at -= 1;
        byReceipts.delete(message.receipt);
        // It stays as old as it was.
        const moved = { ...message, received: 0, receipt: '' };
        redrive.to.messages.push(moved);
        show(redrive.to, moved, message.visibleAt);
        continue;
      }
      message.received += 1;
      byReceipts.delete(message.receipt);
      message.receipt = `${message.id}#${randomUUID()}`;
      byReceipts.set(message.receipt, message);
      message.receivedAt = time;
      message.visibleAt = time + seconds * 1_000;
      taken.push(message);
    }
    // All were looked at.
    if (taken.length === 0) queue.visibleFrom = next;
    return taken;
  };

  const byReceipt = (receipt: unknown): StoredMessage | undefined => {
    if (typeof receipt !== 'string' || !/^[\w-]{36}#[\w-]{36}$/.test(receipt)) {
      throw new SqsError('ReceiptHandleIsInvalid', 404);
    }
    return byReceipts.get(receipt);
  };

  const send = (
    queue: Queue,
    { MessageBody, DelaySeconds }: Attributes & { DelaySeconds?: unknown },
  ): object => {
    const delay = inRange(DelaySeconds ?? Number(queue.attributes.DelaySeconds), 0, 900);
    if (typeof MessageBody !== 'string' || MessageBody === '') throw new SqsError('MissingParameter');
    if (
      /[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/.test(MessageBody.replaceAll(/[\ud800-\udbff][\udc00-\udfff]/g, ''))
    ) {
      throw new SqsError('InvalidMessageContents');
    }
    if (Buffer.byteLength(MessageBody) > Number(queue.attributes.MaximumMessageSize)) invalid('');
    const id = randomUUID();
    const message = {
      id,
      body: MessageBody,
      sentAt: now(),
      visibleAt: 0,
      receivedAt: 0,
      received: 0,
      receipt: '',
    };
    queue.messages.push(message);
    show(queue, message, now() + delay * 1_000);
    return { MessageId: id, MD5OfMessageBody: md5(MessageBody) };
  };

  const hide = (queue: Queue, { ReceiptHandle, VisibilityTimeout }: Record<string, unknown>): object => {
    const seconds = inRange(VisibilityTimeout, 0, 43_200);
    const message = byReceipt(ReceiptHandle);
    if (!message) return invalid('');
    if (isVisible(message)) throw new SqsError('MessageNotInflight');
    if (now() + seconds * 1_000 > message.receivedAt + 43_200_000) invalid('');
    show(queue, message, now() + seconds * 1_000);
    return {};
  };

  const remove = (queue: Queue, { ReceiptHandle }: Record<string, unknown>): object => {
    const message = byReceipt(ReceiptHandle);
    // Of one that came again since, SQS says the same.
    if (!message) return {};
    byReceipts.delete(message.receipt);
    const at = queue.messages.indexOf(message);
    if (at >= 0) queue.messages.splice(at, 1);
    return {};
  };

  const batch = (action: string, entries: unknown, work: (entry: never) => object): object => {
    if (!Array.isArray(entries) || entries.length === 0) throw new SqsError('EmptyBatchRequest');
    if (entries.length > 10) throw new SqsError('TooManyEntriesInBatchRequest');
    if (new Set(entries.map(({ Id }) => Id)).size < entries.length)
      throw new SqsError('BatchEntryIdsNotDistinct');
    const bytes = entries.reduce((sum, { MessageBody = '' }) => sum + Buffer.byteLength(MessageBody), 0);
    if (bytes > mostBatchBytes) throw new SqsError('BatchRequestTooLong');
    const Successful: object[] = [];
    const Failed: object[] = [];
    for (const [at, entry] of entries.entries()) {
      const { Id } = entry;
      try {
        const refused = sqs.refuse?.(action, at);
        if (refused) throw new SqsError(refused.code, refused.status);
        Successful.push({ Id, ...work(entry as never) });
      } catch (error) {
        if (!(error instanceof SqsError)) throw error;
        Failed.push({ Id, Code: error.code, SenderFault: error.status < 500, Message: 'No.' });
      }
    }
    return { Successful, ...(Failed.length > 0 && { Failed }) };
  };

  const actions: Readonly<Record<string, (asked: never, isGone: () => boolean) => object | Promise<object>>> =
    {
      CreateQueue: ({ QueueName, Attributes = {} }: { QueueName: string; Attributes?: Attributes }) => {
        const there = queues.get(QueueName);
        const isOther = Object.entries(Attributes).some(
          ([name, value]) => there && there.attributes[name] !== value,
        );
        if (isOther) throw new SqsError('QueueNameExists');
        if (!there) makeQueue(QueueName, Attributes);
        return { QueueUrl: queueUrl(QueueName) };
      },
      GetQueueAttributes: (about: { QueueUrl: string }) => {
        const queue = named(about);
        forgetOld(queue);
        const { messages, attributes, name } = queue;
        const at = now();
        const count = (which: (one: StoredMessage) => boolean) => String(messages.filter(which).length);
        const isHidden = (one: StoredMessage) => !isVisible(one, at);
        return {
          Attributes: {
            ...attributes,
            QueueArn: queueArn(name),
            ApproximateNumberOfMessages: count((one) => !isHidden(one)),
            ApproximateNumberOfMessagesNotVisible: count((one) => isHidden(one) && one.receipt !== ''),
            ApproximateNumberOfMessagesDelayed: count((one) => isHidden(one) && one.receipt === ''),
          },
        };
      },
      SetQueueAttributes: (about: { QueueUrl: string; Attributes: Attributes }) => {
        Object.assign(named(about).attributes, checked(about.Attributes));
        return {};
      },
      SendMessageBatch: (about: { QueueUrl: string; Entries: unknown }) =>
        batch('SendMessageBatch', about.Entries, (entry) => send(named(about), entry)),
      DeleteMessageBatch: (about: { QueueUrl: string; Entries: unknown }) =>
        batch('DeleteMessageBatch', about.Entries, (entry) => remove(named(about), entry)),
      ChangeMessageVisibilityBatch: (about: { QueueUrl: string; Entries: unknown }) =>
        batch('ChangeMessageVisibilityBatch', about.Entries, (entry) => hide(named(about), entry)),
      ReceiveMessage: async (
        about: Record<'MaxNumberOfMessages' | 'WaitTimeSeconds' | 'VisibilityTimeout', unknown> & {
          QueueUrl: string;
        },
        isGone,
      ) => {
        const queue = named(about);
        const most = inRange(about.MaxNumberOfMessages ?? 1, 1, 10);
        const waitSeconds = inRange(about.WaitTimeSeconds ?? 0, 0, 20);
        const seconds = inRange(
          about.VisibilityTimeout ?? Number(queue.attributes.VisibilityTimeout),
          0,
          43_200,
        );
        const until = performance.now() + waitSeconds * secondMs;
        let taken = take(queue, most, seconds);
        while (taken.length === 0 && performance.now() < until && !isGone()) {
          await new Promise((resolve) => setTimeout(resolve, 10));
          if (!isGone()) taken = take(queue, most, seconds);
        }
        const Messages = taken.map(({ id, receipt, body }) => ({
          MessageId: id,
          ReceiptHandle: receipt,
          Body: body,
          MD5OfBody: md5(body),
        }));
        return taken.length > 0 ? { Messages } : {};
      },
    };

  const named = ({ QueueUrl }: { readonly QueueUrl: string }): Queue => {
    const queue = [...queues.values()].find(({ name }) => queueUrl(name) === QueueUrl);
    if (!queue) throw new SqsError('QueueDoesNotExist');
    return queue;
  };

  const queueNamed = (name: string) => named({ QueueUrl: queueUrl(name) });

  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const answer = (status: number, content: object, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/x-amz-json-1.0', ...headers })
        .end(JSON.stringify(content));
    try {
      const problem = await signatureProblem(request, body, 'sqs', now());
      if (problem !== undefined) throw new SqsError(problem, 403);
      const [, action = ''] = /^AmazonSQS\.(\w+)$/.exec(String(request.headers['x-amz-target'])) ?? [];
      const act = actions[action];
      const isJson = request.headers['content-type'] === 'application/x-amz-json-1.0';
      if (!act || !isJson || request.method !== 'POST' || request.url !== '/')
        throw new SqsError('InvalidAction');
      asked.push(action);
      const refused = sqs.refuse?.(action, -1);
      if (refused) throw new SqsError(refused.code, refused.status);
      answer(200, await act(JSON.parse(body.toString()) as never, () => response.destroyed));
    } catch (error) {
      if (!(error instanceof SqsError)) return void answer(500, { __type: String(error) });
      answer(error.status, { __type: `com.amazonaws.sqs#${error.code}`, message: 'No.' });
    }
  });
  const port = await listen(server);
  const sqs: Sqs = {
    origin: `http://127.0.0.1:${port}`,
    queues,
    asked,
    makeQueue,
    refuse: undefined,
    put: (name, body) => void send(queueNamed(name), { MessageBody: body }),
    hand: (name, most, seconds) => {
      const queue = queueNamed(name);
      for (const message of queue.messages) show(queue, message, now());
      return take(queue, most, seconds).map(({ id, receipt, body }) => ({ id, receipt, body }));
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      return () => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return sqs;
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
