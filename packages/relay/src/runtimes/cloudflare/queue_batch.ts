import type { Relay } from '../../relay.ts';
import type { QueueBatch } from './worker_options.ts';

/** A consumer may take 15 minutes, and a try 24 s. */
const mostMs = 10 * 60_000;
/** How soon a message comes again that could not be settled, in seconds. */
const againDelay = 60;

/**
 * Retries the deliveries of a batch. Each message is acknowledged when it was delivered, or a new one waits in its place; all
 * others come again.
 */
export async function tryBatch(relay: Relay, { messages }: QueueBatch): Promise<void> {
  let left: readonly string[] = messages.map(({ id }) => id);
  try {
    const keep = (await relay.config.get())?.keep;
    if (keep?.in.kind !== 'queue') {
      const reason = 'the config does not load, or its keep names no queue of Cloudflare';
      relay.effects.log('error', 'keep_unavailable', { deliveries: messages.length, reason });
      return;
    }
    const keeping = await relay.keeping();
    const store = await keeping.store(keep);
    const until = relay.effects.now() + mostMs;
    const mayBegin = () => relay.effects.now() < until;
    const handed = messages.map(({ id, body }) => ({
      id,
      receipt: id,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }));
    left = (await store.handed?.(handed, (claim) => keeping.attempt(claim, mayBegin), mayBegin)) ?? left;
  } finally {
    for (const one of messages) {
      if (left.includes(one.id)) one.retry({ delaySeconds: againDelay });
      else one.ack();
    }
  }
}
