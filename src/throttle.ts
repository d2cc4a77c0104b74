/** `undefined` when the request may pass; otherwise how many seconds to wait before the next try. */
export type Throttle = () => number | undefined;

/**
 * A token bucket for the whole HTTP API (SPEC: Limits, D19): `burst` requests at once, then `rate` a second. It is
 * this process's own; several copies of the relay have a bucket each.
 */
export function createThrottle(rate: number, burst: number, now: () => number): Throttle {
  let tokens = burst;
  let filledAt = now();
  return () => {
    const at = now();
    // A clock that was set back must not stop the refill.
    tokens = Math.min(burst, tokens + (Math.max(0, at - filledAt) / 1000) * rate);
    filledAt = at;
    if (tokens >= 1) {
      tokens -= 1;
      return undefined;
    }
    return Math.ceil((1 - tokens) / rate);
  };
}
