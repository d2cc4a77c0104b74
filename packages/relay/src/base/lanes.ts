/** Work that must not come in crowds, each lane for itself. */
export type Lanes = <T>(lane: string, work: () => Promise<T>) => Promise<T>;

/** At most so many go on in a lane at once. The others wait in line, in the order in which they came. */
export function createLanes(most: number): Lanes {
  const lanes = new Map<string, { busy: number; readonly waiting: (() => void)[] }>();
  return async (name, work) => {
    const lane = lanes.get(name) ?? { busy: 0, waiting: [] };
    lanes.set(name, lane);
    if (lane.busy === most) await new Promise<void>((resolve) => lane.waiting.push(resolve));
    else lane.busy += 1;
    try {
      return await work();
    } finally {
      const next = lane.waiting.shift();
      if (next) next();
      else lane.busy -= 1;
      if (lane.busy === 0) lanes.delete(name);
    }
  };
}
