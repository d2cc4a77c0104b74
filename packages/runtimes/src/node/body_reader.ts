import type { IncomingMessage } from 'node:http';
import { Bytes } from '@form-relay/base/bytes';
import type { Refused } from '../held_upload.ts';
import type { Serving } from './serving.ts';

/** How much of a refused body is still read: otherwise the client sees a reset connection, not the answer. */
export const drainBytes = 1_048_576;

/** Stands for a body that is too long, which is not kept. */
export const tooLong = 'too_long';

/** `undefined` for a body that is not wanted, or not whole: a submission without a body is refused. */
export type Body = Uint8Array | Refused | undefined;

/** A body that is being read, or is kept until its request is answered. */
export interface BodyReading {
  /** Releases the body's memory. May be called again. */
  release(): void;
  /** Refuses the request, whose memory or connection others need. */
  giveUp(): void;
}

export type ReadBody = (request: Serving) => void;

export function declaredLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

export const isWhole = (incoming: IncomingMessage, size: number): boolean =>
  incoming.complete && size === (declaredLength(incoming) ?? size);

/**
 * Reads bodies into bounded memory. When that is full, the body that has been read for longest is given up, since it is the
 * slowest. Bodies that are not kept are still read, to their end or up to a limit.
 */
export function createBodyReader(
  limitBytes: number,
  onLimit: () => void,
): { readonly readBody: ReadBody; readonly heldBytes: () => number } {
  const room = new Room(limitBytes, onLimit);
  return {
    readBody: (request) => new Reading(request, room).begin(),
    heldBytes: () => room.heldBytes,
  };
}

/** The memory that all bodies share. */
class Room {
  /** The bytes of all bodies, until their requests are answered. */
  heldBytes = 0;
  /** The bodies that are being read, the oldest first. */
  readonly unfinished = new Set<Reading>();

  constructor(
    private readonly limitBytes: number,
    private readonly onLimit: () => void,
  ) {}

  take(bytes: number): void {
    this.heldBytes += bytes;
    if (this.heldBytes <= this.limitBytes) return;
    this.onLimit();
    for (const slowest of this.unfinished) {
      slowest.giveUp();
      if (this.heldBytes <= this.limitBytes) break;
    }
  }
}

class Reading implements BodyReading, WorkAtEnd {
  nextAtEnd: WorkAtEnd | undefined;
  #kept: Bytes | undefined;
  #size = 0;
  #isDone = false;

  constructor(
    private readonly request: Serving,
    private readonly room: Room,
  ) {
    this.#kept = request.isWanted ? new Bytes() : undefined;
  }

  begin(): void {
    const { connection, isWanted, isAnsweredFirst } = this.request;
    connection.reading = this;
    if (isWanted) return void atEndOfTurn(this);
    this.#listen();
    if (isAnsweredFirst) this.#finish(undefined);
  }

  /** Most bodies have come whole by now: reading them is cheaper than listening to their pieces. */
  doAtEnd(): void {
    const { incoming, mostBytes, isAsking } = this.request;
    const mayCome = (declaredLength(incoming) ?? 0) <= mostBytes;
    // Also if the body has come: without permission first, Node ends the connection after the answer.
    if (isAsking && mayCome) this.request.permit();
    if (incoming.complete) {
      this.#readArrived();
      this.#end();
      return;
    }
    this.#listen();
    // Without permission it may never come.
    if (isAsking && !mayCome) this.#finish(tooLong);
  }

  /** A read may give one piece of what has come. The last one, which gives nothing, costs more than comparing lengths. */
  #readArrived(): void {
    const { incoming } = this.request;
    const declared = declaredLength(incoming);
    while (this.#size !== declared) {
      const piece: Buffer | null = incoming.read();
      if (piece === null) return;
      this.#add(piece);
    }
  }

  #listen(): void {
    const { incoming } = this.request;
    incoming.on('data', (chunk: Buffer) => this.#add(chunk));
    incoming.on('end', () => this.#end());
    incoming.on('error', () => this.release());
  }

  release(): void {
    this.room.heldBytes -= this.#kept?.length ?? 0;
    this.#kept = undefined;
    this.room.unfinished.delete(this);
  }

  giveUp(): void {
    this.release();
    this.#finish('no_room');
  }

  #add(chunk: Buffer): void {
    const { mostBytes, isWanted } = this.request;
    this.#size += chunk.length;
    if (this.#size > mostBytes) this.release();
    if (this.#kept) this.#keep(this.#kept, chunk);
    else if (this.#size > drainBytes) {
      this.#finish(isWanted ? tooLong : undefined);
      this.request.stop();
    }
  }

  #keep(bytes: Bytes, chunk: Buffer): void {
    // Most bodies come whole.
    const isAll = chunk.length === declaredLength(this.request.incoming);
    if (bytes.length === 0 && !isAll) this.room.unfinished.add(this);
    bytes.add(chunk);
    this.room.take(chunk.length);
  }

  #end(): void {
    const { incoming, mostBytes, isWanted } = this.request;
    if (isWanted && this.#size > mostBytes) this.#finish(tooLong);
    else this.#finish(isWhole(incoming, this.#size) ? this.#kept?.all : undefined);
  }

  #finish(body: Body): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.request.connection.reading = undefined;
    this.room.unfinished.delete(this);
    this.request.take(body, this);
  }
}

/** Work for the end of a turn of the event loop, a link in the list of all of it: an array a turn would take more memory. */
export interface WorkAtEnd {
  doAtEnd(): void;
  nextAtEnd: WorkAtEnd | undefined;
}

let first: WorkAtEnd | undefined;
let last: WorkAtEnd | undefined;

/**
 * Does work at the end of this turn of the event loop, together with other such work. When answers are written in a row, the
 * first wakes the other side, and the rest have arrived by then: waking it for each costs more than the writes.
 */
export function atEndOfTurn(work: WorkAtEnd): void {
  if (last) last.nextAtEnd = work;
  else {
    first = work;
    setImmediate(doAll);
  }
  last = work;
}

function doAll(): void {
  let work = first;
  first = undefined;
  last = undefined;
  for (; work; work = work.nextAtEnd) work.doAtEnd();
}
