import type { Open, Tally } from '../base/counts.ts';

/** Longer than a submission takes: who reserved it has died, or its store failed. */
const hiddenAfterSeconds = 60;

const isHidden = ({ at }: Open, now: number): boolean => Math.abs(now / 1_000 - at) > hiddenAfterSeconds;

/** Reservations that a crash left without an outcome. */
export const hiddenIn = ({ open }: Tally, now: number): readonly (readonly [id: string, Open])[] =>
  [...open].filter(([, one]) => isHidden(one, now));

/** Without what is hidden of these keys. */
export function withoutHidden(tally: Tally, keys: readonly string[], now: number): Tally {
  const isOver = (one: Open) => isHidden(one, now) && one.keys.some((key) => keys.includes(key));
  return { ...tally, open: new Map([...tally.open].filter(([, one]) => !isOver(one))) };
}

/** Whether a submission that has reserved one of these keys is still being delivered. */
export const isAwaited = ({ open }: Tally, keys: readonly string[], now: number): boolean =>
  [...open.values()].some((one) => !isHidden(one, now) && one.keys.some((key) => keys.includes(key)));
