/** A body's share of the memory for files (UPLOAD_BUDGET). */
export interface UploadPlace {
  /** Makes it so many bytes in all. `false` where there is no room for them; it keeps what it has. */
  grow(bytes: number): boolean;
  /** Notes that so many more bytes came. */
  receive(bytes: number): void;
  /** Its body came whole: nobody can push it out any more. */
  complete(): void;
  /** Gives it back. May be called again. */
  leave(): void;
}

export interface UploadRoom {
  /**
   * A place of so many bytes, or `undefined` where there is no room. `giveUp` is called when faster ones need it: it has
   * left then.
   */
  enter(bytes: number, giveUp: () => void): UploadPlace | undefined;
  /** How many bytes are promised now. */
  readonly taken: number;
}

/** Half of what a slow mobile line sends in a second. Slower senders make room for others if there is none. */
const slowBytesPerSecond = 65_536;

/** The first bytes take a moment to arrive. */
const graceMs = 1_000;

interface Place extends UploadPlace {
  readonly pace: () => number;
  readonly bytes: number;
  readonly pushOut: () => void;
}

/**
 * A body has its place for as long as it is read and relayed. What is promised to one is taken from no other: of more
 * bodies than fit, some end, where each would otherwise push out the next before it is done. Only those who send so
 * slowly that they seem to want the place alone lose it, the slowest first, and only where that makes enough room.
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
