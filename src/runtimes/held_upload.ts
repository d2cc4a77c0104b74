import { maxBodyBytes } from '../http.ts';
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
  const memory = new ArrayBuffer(capacity, { maxByteLength: mostBytes });
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
    memory.resize(capacity);
    return undefined;
  };
  return {
    add: (piece) => {
      const refused = size + piece.length > capacity ? growTo(size + piece.length) : undefined;
      if (refused) {
        leave();
        return refused;
      }
      bytes.set(piece, size);
      size += piece.length;
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
