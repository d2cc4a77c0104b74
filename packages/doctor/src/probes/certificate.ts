/** Certificates are usually renewed 30 days before their end: with less than this left, somebody forgot. */
const soonMs = 14 * 86_400_000;

/** @param certificateUntil Milliseconds since the epoch; `undefined`: there is none. */
export const endsSoon = (certificateUntil: number | undefined, now: number): boolean =>
  certificateUntil !== undefined && certificateUntil - now < soonMs;

/** `2031-01-31`. */
export const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
