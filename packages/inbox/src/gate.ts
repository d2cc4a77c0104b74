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
