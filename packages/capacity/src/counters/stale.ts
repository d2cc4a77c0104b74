import type { Open, Tally } from './types.ts';

/** Longer than a submission takes: its process has died, or the store failed. */
const staleAfterSeconds = 60;

const isStale = ({ at }: Open, now: number): boolean => Math.abs(now / 1_000 - at) > staleAfterSeconds;

/** Reservations that a crash left without an outcome. */
export const staleIn = ({ open }: Tally, now: number): readonly (readonly [id: string, Open])[] =>
  [...open].filter(([, one]) => isStale(one, now));

/** Without stale reservations of these keys. */
export function withoutStale(tally: Tally, keys: readonly string[], now: number): Tally {
  const isOver = (one: Open) => isStale(one, now) && one.keys.some((key) => keys.includes(key));
  return { ...tally, open: new Map([...tally.open].filter(([, one]) => !isOver(one))) };
}

/** Whether a submission that has reserved one of these keys is still being delivered. */
export const isAwaited = ({ open }: Tally, keys: readonly string[], now: number): boolean =>
  [...open.values()].some((one) => !isStale(one, now) && one.keys.some((key) => keys.includes(key)));
