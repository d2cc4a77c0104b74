import { parseUrl } from '@form-relay/base/url';
import { isMap } from '@form-relay/schema/kinds';
import type { DeliverHanded, StoreType } from '../store.ts';

/** A standard queue in Amazon SQS, given by its address with another scheme. A FIFO queue cannot delay single messages. */
export const sqs: StoreType = {
  schemes: ['sqs'],
  example: 'sqs://sqs.eu-central-1.amazonaws.com/123456789012/form-relay',
  platforms: ['node', 'lambda'],
  mostBytes: 1_048_576,
  hidesWaiting: true,
  problem: (address) => {
    const url = parseUrl(address);
    // Check the host as part of an https URL, which allows fewer hosts than an unknown scheme.
    return url && parseUrl(`https://${url.host}/`) && /^sqs:\/\/[^/?#]+\/\d{12}\/[\w-]{1,80}$/i.test(address)
      ? undefined
      : `found ${JSON.stringify(address)}; expected the address of a standard queue of Amazon SQS, not a FIFO one: sqs://sqs.eu-central-1.amazonaws.com/123456789012/form-relay`;
  },
  open: async (address, { filesIn, aws }) => {
    const { openSqs } = await import('./sqs_leases.ts');
    return openSqs(new URL(address), filesIn, await aws());
  },
  takeEvent: (event, current, deliver) =>
    isSqs(event) ? deliverRecords(event, current, deliver) : undefined,
};

/** A batch from Amazon SQS: up to ten messages of one queue, unless the event source is configured for more. */
export interface SqsEvent {
  readonly Records: readonly {
    readonly messageId: string;
    readonly receiptHandle: string;
    readonly body: string;
    readonly eventSource: string;
    /** For example `arn:aws:sqs:eu-central-1:123456789012:name`. */
    readonly eventSourceARN: string;
  }[];
}

const isSqs = (event: unknown): event is SqsEvent =>
  isMap(event) &&
  Array.isArray(event.Records) &&
  event.Records.every((one) => isMap(one) && one.eventSource === 'aws:sqs');

/** Resolves with the messages that SQS must not delete (`ReportBatchItemFailures`). */
async function deliverRecords({ Records }: SqsEvent, current: string | undefined, deliver: DeliverHanded) {
  const [first] = Records;
  if (!first) return { batchItemFailures: [] };
  const messages = Records.map(({ messageId: id, receiptHandle: receipt, body }) => ({ id, receipt, body }));
  const left = await deliver(messages, addressOf(first.eventSourceARN, current));
  return { batchItemFailures: left.map((itemIdentifier) => ({ itemIdentifier })) };
}

/** The address of the messages' own queue, because the config may name another queue by now. */
function addressOf(arn: string, current: string | undefined): string {
  const [, partition, , region, account, queue] = arn.split(':');
  const path = `/${account}/${queue}`;
  if (current !== undefined && new URL(current).pathname === path) return current;
  return `sqs://sqs.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}${path}`;
}
