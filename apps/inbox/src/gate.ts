/** Lets so many in at a time; others wait, and beyond that are turned away. */
export interface Gate {
  /** `false`: too many wait. */
  enter(): Promise<boolean>;
  leave(): void;
}

export function createGate(most: number, mostWaiting: number): Gate {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return {
    async enter() {
      if (inside < most) {
        inside += 1;
        return true;
      }
      if (waiting.length >= mostWaiting) return false;
      // The place of the one that leaves is handed on.
      await new Promise<void>((resolve) => waiting.push(resolve));
      return true;
    },
    leave() {
      const next = waiting.shift();
      if (next) next();
      else inside -= 1;
    },
  };
}

/** The most names remembered; a flood of new ones makes older ones start over. */
const mostNames = 10_000;
const quietMs = 60_000;

/** Says of each event whether it begins something, such as a limit that refuses: nothing of its name came for a minute. */
export function createOnset(now: () => number): (name: string) => boolean {
  const latest = new Map<string, number>();
  return (name) => {
    const last = latest.get(name) ?? -Infinity;
    if (latest.size >= mostNames) latest.clear();
    latest.set(name, now());
    return Math.abs(now() - last) > quietMs;
  };
}
