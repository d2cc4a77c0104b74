/**
 * A token bucket (SPEC: Limits): `burst` requests at once, then `rate` a second. Each process has its own. Returns `undefined` when
 * the request may pass; otherwise how many seconds to wait before the next try.
 */
export function createThrottle(rate: number, burst: number, now: () => number): () => number | undefined {
  // In thousandths of a request: milliseconds times requests a second, which add up without rounding.
  const full = burst * 1000;
  let left = full;
  let filledAt = now();
  return () => {
    const at = now();
    // A clock that was set back must not stop the refill.
    left = Math.min(full, left + Math.max(0, at - filledAt) * rate);
    filledAt = at;
    if (left >= 1000) {
      left -= 1000;
      return undefined;
    }
    return Math.ceil((1000 - left) / rate / 1000);
  };
}
