import type { UploadRoom } from '../upload_room.ts';
import { type HeldUpload, holdUpload, type Refused } from '../upload_room.ts';
import { type Body, type BodyReading, drainBytes, isWhole } from './body_reader.ts';
import type { Serving } from './serving.ts';

/** How many bytes of a refused upload with a declared length are still read: enough for a phone's video. */
const declaredDrainBytes = 128 * 1_048_576;

/** Slower uploads are cut. */
const leastBytesPerSecond = 20_480;

/** 10 MB take two thirds of this time at 1 Mbit/s. */
const longestMs = 120_000;

export interface UploadContext {
  readonly room: UploadRoom;
  readonly collect: Collect;
  readonly now: () => number;
  /** How long an upload may pause. Other bodies must be complete by then. */
  readonly silentMs: () => number;
  /** Ends a request whose body arrives too slowly. */
  readonly cut: (request: Serving) => void;
}

export type ReadUpload = (request: Serving) => void;

/**
 * Reads bodies with files. A refused upload is answered at once, and then read to its end, because browsers
 * read no answer before they have sent everything. The closures share the state of one body.
 */
export function createUploadReader({ room, collect, now, silentMs, cut }: UploadContext): ReadUpload {
  return (request) => {
    const { incoming, connection, mostBytes, isAnsweredFirst, isAsking, declaredBytes: declared } = request;
    let size = 0;
    let held: HeldUpload | undefined;
    let isDone = false;
    /** How many bytes of a refused body are read. */
    let drained = declared !== undefined && declared <= declaredDrainBytes ? declared : drainBytes;

    const release = () => {
      held?.leave();
      held = undefined;
    };
    const finish = (body: Body) => {
      if (isDone) return;
      isDone = true;
      connection.reading = undefined;
      request.take(body, reading);
    };
    const refuse = (why: Refused) => {
      release();
      drained = Math.max(drained, size + drainBytes);
      finish(why);
    };
    const reading: BodyReading = {
      release,
      giveUp: () => {
        refuse('no_room');
        // Reads little more, because others need the connection.
        drained = size + drainBytes;
      },
    };
    connection.reading = reading;

    const startedAt = now();
    let receivedAt = startedAt;
    let watching: NodeJS.Timeout | undefined;
    const isLate = () => {
      const ms = now() - startedAt;
      const isSilent = now() - receivedAt > silentMs();
      return isSilent || ms > longestMs || size < (leastBytesPerSecond * ms) / 1_000;
    };
    connection.mayGoOn = () => {
      if (isLate()) return false;
      watching = setInterval(() => {
        if (!isLate()) return;
        // Node does not report the end of a body after an early answer.
        end();
        cut(request);
      }, 1_000);
      return true;
    };
    const end = () => {
      clearInterval(watching);
      connection.mayGoOn = undefined;
    };

    incoming.on('data', (chunk: Buffer) => {
      receivedAt = now();
      size += chunk.length;
      collect(chunk.length);
      const refused = held?.add(chunk);
      if (refused) refuse(refused);
      else if (!held && size > drained) request.stop();
    });
    incoming.on('end', () => {
      end();
      if (!isDone && !isWhole(request, size)) release();
      finish(held?.complete());
    });
    incoming.on('error', () => {
      end();
      // A submission that is being relayed still needs its files.
      if (!isDone) release();
    });

    if (isAnsweredFirst) return finish(undefined);
    const holding = holdUpload(room, { declared, mostBytes }, () => refuse('no_room'));
    if (typeof holding === 'string') return refuse(holding);
    held = holding;
    if (isAsking) request.permit();
  };
}

/** From this size on, a garbage collection is worth a millisecond. */
const worthBytes = 4 * 1_048_576;

/** Counts bytes that arrived in pieces and are garbage now. */
export type Collect = (bytes: number) => void;

/**
 * Triggers the garbage collection of upload pieces early enough. V8 underestimates memory outside its heap
 * and leaves 64 MB and more uncollected, as much again as all uploads may take.
 */
export function createCollector(): Collect {
  let collectNow: NodeJS.GCFunction | undefined;
  let passedBytes = 0;
  return (bytes) => {
    passedBytes += bytes;
    if (passedBytes < worthBytes) return;
    passedBytes = 0;
    collectNow ??= exposed();
    collectNow({ type: 'minor' });
  };
}

/** A new context has `gc`, even if the process was started without `--expose-gc`. Other engines collect by themselves. */
function exposed(): NodeJS.GCFunction {
  // Loaded on demand, because these modules would add 7 ms to a start without uploads.
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc');
  return process.getBuiltinModule('node:vm').runInNewContext('globalThis.gc') ?? (() => undefined);
}
