import type { Open, Tally } from '../base/counts.ts';

/** Longer than a submission takes: who reserved it has died, or its store failed. */
const hiddenAfterSeconds = 60;

/** What was reserved, with an outcome that nobody will tell. It stays taken. */
export const hiddenIn = ({ open }: Tally, now: number): readonly (readonly [id: string, Open])[] =>
  [...open].filter(([, { at }]) => Math.abs(now / 1_000 - at) > hiddenAfterSeconds);
