import type { IncomingMessage } from 'node:http';
import { Bytes } from '../../bytes.ts';
import type { Refused } from '../held_upload.ts';
import type { Connection } from './connections.ts';

/** How much of a refused body is still read: a client that is answered while it sends sees a reset connection (D2). */
export const drainBytes = 1_048_576;

/** A body that is too long. It is not held. */
export const tooLong = 'too_long';

/** `undefined` when nobody wants it. */
export type Body = Uint8Array | Refused | undefined;

export interface BodyRequest {
  readonly incoming: IncomingMessage;
  readonly connection: Connection;
  /** How large it may be, in bytes. */
  readonly mostBytes: number;
  /** Whether the answer depends on it. */
  readonly isWanted: boolean;
  /** Whether the answer goes out before it is read. */
  readonly isAnsweredFirst: boolean;
  /** Gives the sender permission to send it; `undefined` where it does not wait for that. */
  readonly permit: (() => void) | undefined;
  /** Reads no more of it, and ends the connection after the answer. */
  readonly stop: () => void;
}

/**
 * Calls `done` once, or never for a client that goes away: then there is nobody to answer and nothing to relay. Call
 * `release` when the body is no longer needed.
 */
export type ReadBody = (request: BodyRequest, done: (body: Body, release: () => void) => void) => void;

/** Its length in bytes, where its sender says it. */
export function declaredLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/**
 * Reads bodies into a bounded piece of memory. When that is full, the body that has been read for longest is given up:
 * it is the slowest (D62). Bodies that are not kept are still read, to their end or up to a limit.
 */
export function createBodyReader(
  limitBytes: number,
  onLimit: () => void,
): { readonly readBody: ReadBody; readonly heldBytes: () => number } {
  /** Of all bodies, from their first byte until their requests are answered. */
  let heldBytes = 0;
  /** What gives up each body that is being read, the oldest first. */
  const unfinished = new Set<() => void>();

  const readBody: ReadBody = (
    { incoming, connection, mostBytes, isWanted, isAnsweredFirst, permit, stop },
    done,
  ) => {
    let kept: Bytes | undefined = isWanted ? new Bytes() : undefined;
    let size = 0;
    let isDone = false;

    const release = () => {
      heldBytes -= kept?.length ?? 0;
      kept = undefined;
      unfinished.delete(giveUp);
    };
    const finish = (body: Body) => {
      if (isDone) return;
      isDone = true;
      connection.giveUp = undefined;
      unfinished.delete(giveUp);
      done(body, release);
    };
    const giveUp = () => {
      release();
      finish('no_room');
    };
    const keep = (bytes: Bytes, chunk: Buffer) => {
      // Most bodies come whole.
      const isWhole = chunk.length === Number(incoming.headers['content-length']);
      if (bytes.length === 0 && !isWhole) unfinished.add(giveUp);
      bytes.add(chunk);
      heldBytes += chunk.length;
      if (heldBytes <= limitBytes) return;
      onLimit();
      for (const giveUpSlowest of unfinished) {
        giveUpSlowest();
        if (heldBytes <= limitBytes) break;
      }
    };
    connection.giveUp = giveUp;

    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > mostBytes) release();
      if (kept) keep(kept, chunk);
      else if (size > drainBytes) {
        finish(isWanted ? tooLong : undefined);
        stop();
      }
    });
    incoming.on('end', () => {
      finish(isWanted && size > mostBytes ? tooLong : kept?.all);
    });
    incoming.on('error', release);
    if (isAnsweredFirst) finish(undefined);
    if (!isWanted || !permit) return;
    if ((declaredLength(incoming) ?? 0) <= mostBytes) permit();
    // Without permission it may never come.
    else finish(tooLong);
  };
  return { readBody, heldBytes: () => heldBytes };
}
