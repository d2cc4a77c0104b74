/**
 * The marks of files that this process works with. They are counted: a file that goes back may be claimed again before the
 * one who had it has noticed that it is gone.
 */
export interface Marks {
  add(mark: string): void;
  /** Once for each time that it was added. */
  remove(mark: string): void;
  has(mark: string): boolean;
}

export function createMarks(): Marks {
  const counts = new Map<string, number>();
  return {
    add: (mark) => void counts.set(mark, (counts.get(mark) ?? 0) + 1),
    remove: (mark) => {
      const left = (counts.get(mark) ?? 0) - 1;
      if (left > 0) counts.set(mark, left);
      else counts.delete(mark);
    },
    has: (mark) => counts.has(mark),
  };
}
