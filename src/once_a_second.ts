/**
 * For what may happen often, but is told at most once a second: at once the first time, and then with how often it
 * happened since. `tell` gets the count, and what the latest time had to say.
 */
export function onceASecond<T extends readonly unknown[]>(
  now: () => number,
  tell: (count: number, ...latest: T) => void,
): (...latest: T) => void {
  let count = 0;
  let toldAt = -Infinity;
  return (...latest) => {
    count += 1;
    const at = now();
    // A clock that is set back must not silence it.
    if (at >= toldAt && at - toldAt < 1_000) return;
    tell(count, ...latest);
    toldAt = at;
    count = 0;
  };
}
