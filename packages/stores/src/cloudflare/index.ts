import { isMap } from '@form-relay/schema/kinds';
import type { DeliverHanded, StoreType } from '../store.ts';

const queuesAddress = /^queue:\/\/(\w{1,100})\/(\w{1,100})$/i;

/** Addresses such as `queue://KEPT/ASIDE`: the bindings of two Cloudflare queues. */
export const queues: StoreType = {
  schemes: ['queue'],
  example: 'queue://KEPT/ASIDE',
  platforms: ['workers'],
  mostBytes: 127_000,
  hidesWaiting: true,
  problem: (address) => {
    const [, retries = '', deadLetters = ''] = queuesAddress.exec(address) ?? [];
    return retries === deadLetters
      ? `found ${JSON.stringify(address)}; expected the bindings of two Cloudflare queues, for retries and for dead letters, such as queue://KEPT/ASIDE`
      : undefined;
  },
  open: async (address, context) => {
    const [, retries = '', deadLetters = ''] = queuesAddress.exec(address) ?? [];
    const { openQueues } = await import('./queues.ts');
    return openQueues({ retries, deadLetters }, context, await context.aws());
  },
  takeEvent: (event, current, deliver) =>
    isBatch(event) ? deliverBatch(event, current, deliver) : undefined,
};

const objectAddress = /^durable-object:\/\/(\w{1,100})$/;

/** Addresses such as `durable-object://COUNTS`: the binding of a class of Durable Objects. */
export const durableObjects: StoreType = {
  schemes: ['durable-object'],
  example: 'durable-object://BINDING',
  holds: ['counts'],
  platforms: ['workers'],
  problem: (address) =>
    objectAddress.test(address)
      ? undefined
      : `found ${JSON.stringify(address)}; expected durable-object:// and the name of a Cloudflare binding`,
  open: async (address, { binding }) => {
    const { openObjects } = await import('./durable_object.ts');
    return openObjects(objectAddress.exec(address)?.[1] ?? '', binding);
  },
};

interface MessageBatch {
  readonly messages: readonly {
    readonly id: string;
    readonly body: unknown;
    ack(): void;
    retry(options: { readonly delaySeconds: number }): void;
  }[];
}

const isBatch = (event: unknown): event is MessageBatch =>
  isMap(event) &&
  Array.isArray(event.messages) &&
  event.messages.every((one) => isMap(one) && typeof one.ack === 'function');

/** When a message that could not be settled is delivered again, in seconds. */
const againDelay = 60;

/** Acknowledges messages that were delivered or wait as new messages; all others are redelivered. */
async function deliverBatch(
  { messages }: MessageBatch,
  current: string | undefined,
  deliver: DeliverHanded,
): Promise<void> {
  let left: readonly string[] = messages.map(({ id }) => id);
  try {
    const handed = messages.map(({ id, body }) => ({
      id,
      receipt: id,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }));
    left = await deliver(handed, current);
  } finally {
    for (const one of messages) {
      if (left.includes(one.id)) one.retry({ delaySeconds: againDelay });
      else one.ack();
    }
  }
}
