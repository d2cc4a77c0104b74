import { maxBodyBytes } from '@form-relay/core/http/request';
import type { UploadRoom } from './upload_room.ts';

/** Why a body is refused. */
export type Refused = 'too_long' | 'no_room';

/** A body with files that is being read into memory reserved in the upload room. */
export interface HeldUpload {
  /** Keeps a piece, or releases all and returns why. */
  add(piece: Uint8Array): Refused | undefined;
  /** Returns the whole body, which can't be pushed out any more. */
  complete(): Uint8Array;
  /** Releases the memory. May be called again. */
  leave(): void;
}

export interface UploadSize {
  /** The declared length in bytes. */
  readonly declared: number | undefined;
  readonly mostBytes: number;
}

/** The memory grows by so much more than needed, so that it grows seldom. */
const bytesAhead = 262_144;

/** @param pushOut Called when faster uploads have taken the memory, which is released then. */
export function holdUpload(
  room: UploadRoom,
  { declared, mostBytes }: UploadSize,
  pushOut: () => void,
): HeldUpload | Refused {
  let capacity = declared ?? maxBodyBytes;
  if (capacity > mostBytes) return 'too_long';
  const place = room.enter(capacity, pushOut);
  if (!place) return 'no_room';
  // Grows with the body: V8 overwrites all of it on release.
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
