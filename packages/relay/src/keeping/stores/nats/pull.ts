import { failed } from '../../../base/client_error.ts';
import type { Line } from './link.ts';

/** A message that a consumer has handed out. */
export interface Handed {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Its place in the stream. */
  readonly seq: number;
  /** Where to say what became of it. */
  readonly reply: string;
}

export interface Consumer {
  readonly stream: string;
  readonly name: string;
}

/** What a server may take to answer. */
const graceMs = 5_000;

/** Without a time a server may never say that there is nothing, where it has miscounted what it has. */
const leastWaitMs = 200;

/**
 * What a consumer has, at most so many. Waits for the first for up to so long, or until `stop`; then the rest comes at
 * once, and after it a message without a reply address, which says that this is all.
 */
export async function pull(
  { nc, jsm }: Line,
  { stream, name }: Consumer,
  most: number,
  waitMs: number,
  stop?: AbortSignal,
): Promise<readonly Handed[]> {
  const { createInbox } = await import('@nats-io/transport-node');
  if (stop?.aborted) return [];
  return new Promise((resolve, reject) => {
    const handed: Handed[] = [];
    const inbox = createInbox();
    const end = (error?: Error) => {
      clearTimeout(timer);
      stop?.removeEventListener('abort', stopped);
      subscription.unsubscribe();
      if (error && handed.length === 0) reject(error);
      else resolve(handed);
    };
    const stopped = () => end();
    const late = failed('timed_out', { timeoutMs: waitMs + graceMs }, { retryAfterMs: 0 });
    // No server answers for a consumer that is not there.
    const unanswered = () => void jsm.consumers.info(stream, name).then(() => end(late), end);
    const timer = setTimeout(unanswered, waitMs + graceMs);
    const subscription = nc.subscribe(inbox, {
      callback: (error, { subject, data, reply, headers }) => {
        if (error) end(error);
        else if (!reply) {
          if (/deleted/i.test(headers?.description ?? '')) unanswered();
          else end();
        } else {
          handed.push({ subject, data, seq: seqOf(reply), reply });
          if (handed.length === most) end();
        }
      },
    });
    stop?.addEventListener('abort', stopped);
    const wanted = { batch: most, no_wait: true, expires: Math.max(waitMs, leastWaitMs) * 1_000_000 };
    nc.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`, JSON.stringify(wanted), { reply: inbox });
  });
}

/** `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.…`, with a domain and an account before the stream since 2.10. */
function seqOf(reply: string): number {
  const parts = reply.split('.');
  return Number(parts[parts.length === 9 ? 5 : 7]);
}
