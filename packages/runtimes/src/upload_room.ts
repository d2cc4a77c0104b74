import { maxBodyBytes } from '@form-relay/core/http/request';

/** The memory that all bodies with files share (UPLOAD_BUDGET). */
export type UploadRoom = ReturnType<typeof createUploadRoom>;

/** Half the speed of a slow mobile connection. Slower uploads make room for others. */
const slowBytesPerSecond = 65_536;

/** The first bytes take a moment to arrive. */
const graceMs = 1_000;

/** The reservation for a body that is still being read. */
interface Place {
  readonly bytes: number;
  pace(): number;
  evict(): void;
}

/**
 * A body keeps its memory while it is read and relayed: if new uploads evicted older ones, none would ever finish.
 * Only uploads that are slow enough to be an attack lose their memory, slowest first, and only if that frees enough.
 */
export function createUploadRoom(limitBytes: number, now: () => number, onLimit: () => void) {
  let taken = 0;
  const unfinished = new Set<Place>();

  const isRoomFor = (bytes: number, asking?: Place): boolean => {
    if (taken + bytes <= limitBytes) return true;
    onLimit();
    const slow = [...unfinished]
      .filter((place) => place !== asking && place.pace() < slowBytesPerSecond)
      .sort((a, b) => a.pace() - b.pace());
    let free = limitBytes - taken;
    const leaving = slow.filter((place) => {
      if (free >= bytes) return false;
      free += place.bytes;
      return true;
    });
    if (free < bytes) return false;
    for (const place of leaving) place.evict();
    return true;
  };

  /** Reserves memory; `undefined` if there is not enough. Calls `giveUp` when faster uploads have taken the memory. */
  const enter = (bytes: number, giveUp: () => void) => {
    if (!isRoomFor(bytes)) return undefined;
    const startedAt = now();
    let held = bytes;
    let received = 0;
    taken += held;
    const place = {
      get bytes() {
        return held;
      },
      pace: () => {
        const ms = now() - startedAt - graceMs;
        return ms > 0 ? (received / ms) * 1_000 : Infinity;
      },
      evict: () => {
        place.leave();
        giveUp();
      },
      /** Extends the reservation to this many bytes. Returns `false` and changes nothing if there is no room. */
      grow: (wanted: number): boolean => {
        if (!isRoomFor(wanted - held, place)) return false;
        taken += wanted - held;
        held = wanted;
        return true;
      },
      receive: (more: number) => {
        received += more;
      },
      /** The body is complete, so other uploads can no longer evict it. */
      complete: () => {
        unfinished.delete(place);
      },
      /** Releases the memory. May be called again. */
      leave: () => {
        unfinished.delete(place);
        taken -= held;
        held = 0;
      },
    };
    unfinished.add(place);
    return place;
  };
  return {
    enter,
    get taken() {
      return taken;
    },
  };
}

/** Why a body is refused. */
export type Refused = 'too_long' | 'no_room';

/** A body with files that is being read into memory reserved in the upload room. */
export interface HeldUpload {
  /** Stores a piece, or releases all memory and returns why. */
  add(piece: Uint8Array): Refused | undefined;
  /** Returns the whole body, which can no longer be evicted. */
  complete(): Uint8Array;
  /** Releases the memory. May be called again. */
  leave(): void;
}

export interface UploadSize {
  /** The declared length in bytes. */
  readonly declared: number | undefined;
  readonly mostBytes: number;
}

/** Grows by this much more than needed, so that it grows rarely. */
const bytesAhead = 262_144;

/** @param onEvicted Called when faster uploads have taken the memory, which is then released. */
export function holdUpload(
  room: UploadRoom,
  { declared, mostBytes }: UploadSize,
  onEvicted: () => void,
): HeldUpload | Refused {
  let capacity = declared ?? maxBodyBytes;
  if (capacity > mostBytes) return 'too_long';
  const place = room.enter(capacity, onEvicted);
  if (!place) return 'no_room';
  // Grows with the body, because V8 overwrites the whole buffer on release.
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
