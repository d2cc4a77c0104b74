/** Batches of messages that a platform hands over: there, no process waits for what is due. */
import type { Log } from '@form-relay/core/index';
import type { DeliverHanded, StoreType } from '@form-relay/stores/store';
import type { QueueConfig } from './open_stores.ts';
import type { Queue } from './queue.ts';

interface EventContext {
  readonly types: Iterable<StoreType>;
  readonly keep: QueueConfig | undefined;
  readonly queue: () => Promise<Queue>;
  /** Whether there are forms to deliver for. */
  readonly isLoaded: boolean;
  readonly log: Log;
  /** In milliseconds, when the event came. */
  readonly timeLeftMs: number;
}

/** Begin no more tries with less time left: a try may take 24 s, and settling it some more. */
const tryMs = 27_000;

/** `undefined`: the event is for another plug-in. */
export function takeEvent(event: unknown, context: EventContext): Promise<unknown> | undefined {
  const until = performance.now() + context.timeLeftMs - tryMs;
  const mayBegin = () => context.isLoaded && performance.now() < until;
  const { types, keep, queue, log } = context;
  for (const type of types) {
    const current = keep?.in.type === type ? keep : undefined;
    const deliver: DeliverHanded = async (messages, address) => {
      const asked = address === undefined ? undefined : queueAt(address, type, keep);
      if (!asked) {
        const reason = 'the config does not load, or its keep names another kind of store';
        log('error', 'keep_unavailable', { deliveries: messages.length, reason });
        return messages.map(({ id }) => id);
      }
      const { stores, tries } = await queue();
      const leases = await stores.leases(asked);
      const left = await leases.handed?.(
        messages,
        (lease) => tries.attempts.run(lease, { mayBegin }),
        mayBegin,
      );
      return left ?? messages.map(({ id }) => id);
    };
    const answer = type.takeEvent?.(event, current?.in.name, deliver);
    if (answer) return answer;
  }
  return undefined;
}

/** The store of the messages, which may be another than that of the config. */
const queueAt = (name: string, type: StoreType, keep: QueueConfig | undefined): QueueConfig =>
  keep?.in.name === name ? keep : { forMs: Infinity, filesIn: undefined, ...keep, in: { name, type } };
