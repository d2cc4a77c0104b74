/** The memory that all bodies with files share (UPLOAD_BUDGET). */
export type UploadRoom = ReturnType<typeof createUploadRoom>;

/** Half of what a slow mobile line sends in a second. Slower uploads make room for others. */
const slowBytesPerSecond = 65_536;

/** The first bytes take a moment to arrive. */
const graceMs = 1_000;

/** The reservation of a body that is still being read. */
interface Place {
  readonly bytes: number;
  pace(): number;
  pushOut(): void;
}

/**
 * A body keeps its memory while it is read and relayed: if newcomers pushed out older uploads, none would ever finish. Only uploads so
 * slow that they may be an attack lose it, the slowest first, and only if that makes enough room.
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
    for (const place of leaving) place.pushOut();
    return true;
  };

  /** Reserves memory; `undefined` if there is no room. `giveUp` is called after faster uploads have taken the memory over. */
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
      pushOut: () => {
        place.leave();
        giveUp();
      },
      /** Reserves this many bytes in all. `false`: there is no room, and the reservation stays as it is. */
      grow: (wanted: number): boolean => {
        if (!isRoomFor(wanted - held, place)) return false;
        taken += wanted - held;
        held = wanted;
        return true;
      },
      receive: (more: number) => {
        received += more;
      },
      /** The body is complete, so that other uploads can no longer push it out. */
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
