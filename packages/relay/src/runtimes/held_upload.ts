import { maxBodyBytes } from '../base/http.ts';
import type { UploadRoom } from '../street/upload_room.ts';

/** Why a body is not held. */
export type Refused = 'too_long' | 'no_room';

/** A body with files that is being read, in one piece of memory which has its place in the room (D92). */
export interface HeldUpload {
  /** Keeps a piece, or says why not: it has left then. */
  add(piece: Uint8Array): Refused | undefined;
  /** All that came. Nobody pushes it out any more. */
  complete(): Uint8Array;
  /** Gives its place back. May be called again. */
  leave(): void;
}

export interface UploadSize {
  /** Its length in bytes, where its sender says it. */
  readonly declared: number | undefined;
  readonly mostBytes: number;
}

/** So much more than arrived, so that it grows seldom. */
const bytesAhead = 262_144;

/** `pushOut` is called when faster ones need the place: it has left then. */
export function holdUpload(
  room: UploadRoom,
  { declared, mostBytes }: UploadSize,
  pushOut: () => void,
): HeldUpload | Refused {
  let capacity = declared ?? maxBodyBytes;
  if (capacity > mostBytes) return 'too_long';
  const place = room.enter(capacity, pushOut);
  if (!place) return 'no_room';
  // It grows with what arrives: to give it back, V8 writes over all of it.
  const memory = new ArrayBuffer(0, { maxByteLength: mostBytes });
  const bytes = new Uint8Array(memory);
  let size = 0;

  const leave = () => {
    place.leave();
    memory.resize(0);
  };
  const growTo = (least: number): Refused | undefined => {
    if (least > mostBytes) return 'too_long';
    const larger = Math.min(Math.max(least, capacity * 2), mostBytes);
    if (!place.grow(larger)) return 'no_room';
    capacity = larger;
    return undefined;
  };
  return {
    add: (piece) => {
      const refused = size + piece.length > capacity ? growTo(size + piece.length) : undefined;
      if (refused) {
        leave();
        return refused;
      }
      const end = size + piece.length;
      if (end > memory.byteLength) memory.resize(Math.min(end + bytesAhead, capacity));
      bytes.set(piece, size);
      size = end;
      place.receive(piece.length);
      return undefined;
    },
    complete: () => {
      place.complete();
      return Buffer.from(memory, 0, size);
    },
    leave,
  };
}
