/**
 * Limits the reports of something that may happen often to one a second. The first time is reported at once, later
 * ones with how often it happened since the last report. `tell` gets this count, and the arguments of the latest call.
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
