/**
 * Connections that a worker was handed and had not taken when it died. node:cluster waits for ever for its answer, and so
 * would the client: the primary's copy of the connection stays open. They go to another worker instead.
 */
import type { Worker } from 'node:cluster';

/** What node:cluster sends with a connection, and gets as the answer. Messages of another shape are left alone. */
interface ClusterMessage {
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
}

interface Handle {
  close(): void;
}

/** Watches what a worker is handed. Gives what passes on the rest, once the worker is gone: or ends it, with nobody left. */
export function watchHandover({ process: child }: Worker): (isAnybodyLeft: boolean) => void {
  const untaken = new Map<number, Handle>();
  const send = child.send.bind(child) as (...given: unknown[]) => boolean;
  child.send = (...given: unknown[]) => {
    const [message, handle] = given as [ClusterMessage | undefined, Handle | undefined];
    if (handle && message?.act === 'newconn' && typeof message.seq === 'number')
      untaken.set(message.seq, handle);
    return send(...given);
  };
  child.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (typeof ack === 'number') untaken.delete(ack);
  });
  return (isAnybodyLeft) => {
    for (const [ack, handle] of untaken) {
      // What a worker answers that does not listen any more.
      if (isAnybodyLeft) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
      else handle.close();
    }
    untaken.clear();
  };
}
