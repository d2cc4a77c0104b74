import type { Values } from './values.ts';

/** What may become of a submission that is doubted, the mildest first (D71). */
export const doubtActions = ['observe', 'tag', 'aside', 'challenge', 'drop'] as const;
export type DoubtAction = (typeof doubtActions)[number];

/** The action that holds from so many points. */
export interface Threshold {
  readonly action: DoubtAction;
  readonly from: number;
}

/** The signal of a submission that was filled in too fast, with `too_fast: doubt`. */
export const tooFastSignal = 'too_fast';

/** Its points: those that reach `tag`, rounded up to tenths, as points are (D176). None without a `tag`. */
export const tooFastPoints = (thresholds: readonly Threshold[]): number =>
  Math.ceil((thresholds.find(({ action }) => action === 'tag')?.from ?? 0) * 10 - 1e-6) / 10;

/** What a config says of one signal. */
export interface SignalWeight {
  /** In points; `undefined`: the signal's own. */
  readonly weight: number | undefined;
  /** What else it says. */
  readonly keys: Readonly<Record<string, unknown>>;
}

/**
 * Where a submission that was tagged, or set aside, says so: beside its values, so that it goes wherever they go. No
 * visitor can send them.
 */
export const doubtNames = {
  /** `6.5 (links, offers)` */
  tag: '_doubt',
  /** There, with whatever value, where only outputs with `aside` get it. */
  aside: '_aside',
} as const;

/** Where requests and mails with a submission that was tagged say so. */
export const doubtHeader = 'X-Form-Doubt';

/**
 * What a submission that was tagged, or set aside, says of that; mostly nothing. Who can write into a store can make entries
 * up, and this becomes a header: so it is as the relay writes it, or it is not there.
 */
export function doubtIn(values: Values): string | undefined {
  const mark = values.get(doubtNames.tag)?.[0];
  return mark !== undefined && mark.length <= mostCharacters && isMark.test(mark) ? mark : undefined;
}

const isMark = /^\d+(\.\d)? \([\w, ]*\)$/;
const mostCharacters = 500;
