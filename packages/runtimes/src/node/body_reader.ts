import { Bytes } from '@form-relay/base/bytes';
import type { Refused } from '../upload_room.ts';
import type { Serving } from './serving.ts';

/** How many bytes of a refused body are still read. Without that, the client sees a reset connection, not the answer. */
export const drainBytes = 1_048_576;

/** Replaces a body that is too long, which is not stored. */
export const tooLong = 'too_long';

/** `undefined` for a body that is not needed or incomplete; a submission without a body is refused. */
export type Body = Uint8Array | Refused | undefined;

/** A body that is being read, or is held until its request is answered. */
export interface BodyReading {
  /** Releases the body's memory. May be called again. */
  release(): void;
  /** Refuses the request, because others need its memory or connection. */
  giveUp(): void;
}

export const isWhole = ({ incoming, declaredBytes }: Serving, size: number): boolean =>
  incoming.complete && size === (declaredBytes ?? size);

/**
 * The memory that all bodies share. When it is full, gives up the body that has been read for longest,
 * because it is the slowest.
 */
export class BodyRoom {
  /** The bytes of all bodies, until their requests are answered. */
  heldBytes = 0;
  /** The bodies that arrive in pieces, oldest first. */
  readonly unfinished = new Set<BodyReading>();

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

/** Reads a body into the shared memory. A body that is not stored is still read, to its end or up to a limit. */
export class Reading implements BodyReading, WorkAtEnd {
  nextAtEnd: WorkAtEnd | undefined;
  /** `undefined` if the body is not stored, or came in one piece. */
  #pieces: Bytes | undefined;
  /** How much of the shared memory this body takes. */
  #heldBytes = 0;
  #size = 0;
  #isDone = false;

  constructor(
    private readonly request: Serving,
    private readonly room: BodyRoom,
  ) {}

  begin(): void {
    const { connection, isWanted, isAnsweredFirst } = this.request;
    connection.reading = this;
    if (isWanted) return void atEndOfTurn(this);
    this.#listen();
    if (isAnsweredFirst) this.#finish(undefined);
  }

  /** By now most bodies have arrived in one piece, and reading that is cheaper than listening for pieces. */
  doAtEnd(): void {
    const { incoming, mostBytes, isAsking, declaredBytes } = this.request;
    const mayCome = (declaredBytes ?? 0) <= mostBytes;
    // Permits the body even if it has already arrived. Otherwise Node ends the connection after the answer.
    if (isAsking && mayCome) this.request.permit();
    if (!incoming.complete) {
      this.#pieces = new Bytes();
      this.#listen();
      // Without permission, the body may never be sent.
      if (isAsking && !mayCome) this.#finish(tooLong);
      return;
    }
    const body: Buffer | null = incoming.read();
    if (body === null || body.length !== declaredBytes || !mayCome) return void this.#readRest(body);
    this.#heldBytes = body.length;
    this.room.take(body.length);
    this.#finish(body);
  }

  /** A read may return only one piece of the data that has arrived. */
  #readRest(first: Buffer | null): void {
    const { incoming, declaredBytes } = this.request;
    this.#pieces = new Bytes();
    for (let piece = first; piece !== null; piece = incoming.read()) {
      this.#add(piece);
      if (this.#size === declaredBytes) break;
    }
    this.#end();
  }

  #listen(): void {
    const { incoming } = this.request;
    incoming.on('data', (chunk: Buffer) => this.#add(chunk));
    incoming.on('end', () => this.#end());
    incoming.on('error', () => this.release());
  }

  release(): void {
    this.room.heldBytes -= this.#heldBytes;
    this.#heldBytes = 0;
    this.#pieces = undefined;
    this.room.unfinished.delete(this);
  }

  giveUp(): void {
    this.release();
    this.#finish('no_room');
  }

  #add(chunk: Buffer): void {
    const { mostBytes, isWanted, declaredBytes } = this.request;
    this.#size += chunk.length;
    if (this.#size > mostBytes) this.release();
    if (this.#pieces) {
      // Other bodies may be given up for a body that arrives in one piece, because it is complete.
      if (this.#size !== declaredBytes) this.room.unfinished.add(this);
      this.#pieces.add(chunk);
      this.#heldBytes += chunk.length;
      this.room.take(chunk.length);
    } else if (this.#size > drainBytes) {
      this.#finish(isWanted ? tooLong : undefined);
      this.request.stop();
    }
  }

  #end(): void {
    const { mostBytes, isWanted } = this.request;
    if (isWanted && this.#size > mostBytes) this.#finish(tooLong);
    else this.#finish(isWhole(this.request, this.#size) ? this.#pieces?.all : undefined);
  }

  #finish(body: Body): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.request.connection.reading = undefined;
    this.room.unfinished.delete(this);
    this.request.take(body, this);
  }
}

/** Work for the end of a turn of the event loop, as a linked list: an array per turn would take more memory. */
export interface WorkAtEnd {
  doAtEnd(): void;
  nextAtEnd: WorkAtEnd | undefined;
}

let first: WorkAtEnd | undefined;
let last: WorkAtEnd | undefined;

/**
 * Does work at the end of this turn of the event loop, together with other such work. When answers are
 * written in a row, the first wakes the receiver, and the rest have arrived by then: waking it for each
 * answer costs more than the writes.
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
