/** The memory that one body reserves (UPLOAD_BUDGET). */
export interface UploadPlace {
  /** Reserves this many bytes in all. `false`: there is no room, and the reservation stays as it is. */
  grow(bytes: number): boolean;
  receive(bytes: number): void;
  /** The body is complete, so that other uploads can no longer push it out. */
  complete(): void;
  /** Releases the memory. May be called again. */
  leave(): void;
}

export interface UploadRoom {
  /** Reserves memory; `undefined` if there is no room. `giveUp` is called after faster uploads have taken the memory over. */
  enter(bytes: number, giveUp: () => void): UploadPlace | undefined;
  readonly taken: number;
}

/** Half of what a slow mobile line sends in a second. Slower uploads make room for others. */
const slowBytesPerSecond = 65_536;

/** The first bytes take a moment to arrive. */
const graceMs = 1_000;

interface Place extends UploadPlace {
  readonly pace: () => number;
  readonly bytes: number;
  readonly pushOut: () => void;
}

/**
 * A body keeps its memory while it is read and relayed: if newcomers pushed out older uploads, none would ever finish. Only uploads so
 * slow that they may be an attack lose it, the slowest first, and only if that makes enough room.
 */
export function createUploadRoom(limitBytes: number, now: () => number, onLimit: () => void): UploadRoom {
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
    for (const place of leaving) place.pushOut();
    return true;
  };

  const enter: UploadRoom['enter'] = (bytes, giveUp) => {
    if (!isRoomFor(bytes)) return undefined;
    const startedAt = now();
    let held = bytes;
    let received = 0;
    taken += held;
    const place: Place = {
      get bytes() {
        return held;
      },
      pace: () => {
        const ms = now() - startedAt - graceMs;
        return ms > 0 ? (received / ms) * 1_000 : Infinity;
      },
      pushOut: () => {
        place.leave();
        giveUp();
      },
      grow: (wanted) => {
        if (!isRoomFor(wanted - held, place)) return false;
        taken += wanted - held;
        held = wanted;
        return true;
      },
      receive: (more) => {
        received += more;
      },
      complete: () => void unfinished.delete(place),
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
