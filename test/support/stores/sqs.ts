import type { Store } from '../../../src/kept.ts';
import { openStore } from '../../../src/stores/index.ts';
import { awsAccount } from '../../../src/transports/aws/account.ts';
import { createNodeHttp } from '../../../src/transports/http/node_client.ts';
import { startBucket } from '../aws/s3.ts';
import { account } from '../aws/signature.ts';
import { queueArn, type Sqs, startSqs } from '../aws/sqs.ts';
import type { Subject } from './place.ts';

/** So long, and a little more, a process has what it has received. */
const leaseMs = 121_000;

/** A queue, its dead-letter queue and a bucket, all of our own. */
export const sqs: Subject = {
  laterMs: 60_000,
  hidesWaiting: true,
  countsTogether: true,
  create: async () => {
    let aheadMs = 0;
    const now = () => Date.now() + aheadMs;
    const bucket = await startBucket(now);
    const queue = await startSqs(now);
    makeQueues(queue);
    return {
      now,
      pass: async (ms) => {
        aheadMs += ms;
      },
      open: () => openQueue(queue, now, bucket.origin),
      crash: async () => {
        aheadMs += leaseMs;
      },
      fail: () => queue.stop(),
      damage: async () => {
        const [message] = queue.queues.get('kept')?.messages ?? [];
        if (!message) throw new Error('nothing waits');
        message.body = message.body.replace(
          /("content":")(.)/,
          (_, before, first) => `${before}${first === 'Y' ? 'Z' : 'Y'}`,
        );
      },
      remove: async () => {
        await queue.close();
        await bucket.close();
      },
    };
  },
};

export function makeQueues(queue: Sqs, more: Readonly<Record<string, string>> = {}): void {
  const retention = { MessageRetentionPeriod: '1209600' };
  queue.makeQueue('kept-aside', retention);
  const policy = { deadLetterTargetArn: queueArn('kept-aside'), maxReceiveCount: 20 };
  queue.makeQueue('kept', { ...retention, RedrivePolicy: JSON.stringify(policy), ...more });
}

/** @param bucket Where what is too large for a message goes; nowhere without it. */
export function openQueue(queue: Pick<Sqs, 'origin'>, now: () => number, bucket?: string): Promise<Store> {
  const env: Readonly<Record<string, string>> = {
    ...account,
    AWS_ENDPOINT_URL_SQS: queue.origin,
    ...(bucket !== undefined && { AWS_ENDPOINT_URL_S3: bucket }),
  };
  const readEnv = (name: string) => env[name];
  const name = 'sqs://sqs.eu-central-1.amazonaws.com/123456789012/kept';
  const keep = {
    in: { kind: 'sqs', name, url: new URL(name) },
    forMs: 14 * 86_400_000,
    // biome-ignore lint/suspicious/noThenProperty: the config's own word.
    then: 'aside',
    sealTo: [],
    filesIn: bucket === undefined ? undefined : { bucket: 'files', prefix: 'kept/' },
  } as const;
  return openStore(keep, {
    readEnv,
    aws: { account: awsAccount(readEnv), http: createNodeHttp(now), now },
    now,
  });
}
