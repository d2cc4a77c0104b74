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
  let bytes: Buffer | undefined;
  let size = 0;

  const leave = () => {
    place.leave();
    bytes = undefined;
  };
  const growTo = (least: number): Refused | undefined => {
    if (least > mostBytes) return 'too_long';
    // Nobody said how long it is. Doubled, its bytes are copied once on average.
    const larger = Math.min(Math.max(least, capacity * 2), mostBytes);
    if (!place.grow(larger)) return 'no_room';
    capacity = larger;
    const copy = Buffer.allocUnsafeSlow(capacity);
    bytes?.copy(copy, 0, 0, size);
    bytes = copy;
    return undefined;
  };
  return {
    add: (piece) => {
      const refused = size + piece.length > capacity ? growTo(size + piece.length) : undefined;
      if (refused) {
        leave();
        return refused;
      }
      // Only what is written takes memory: a length that was made up costs nothing.
      bytes ??= Buffer.allocUnsafeSlow(capacity);
      bytes.set(piece, size);
      size += piece.length;
      place.receive(piece.length);
      return undefined;
    },
    complete: () => {
      place.complete();
      return bytes?.subarray(0, size) ?? new Uint8Array();
    },
    leave,
  };
}
