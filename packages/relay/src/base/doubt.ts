import type { Values } from './values.ts';

/** The fates of a doubted submission, mildest first (D71). */
export const doubtActions = ['observe', 'tag', 'aside', 'challenge', 'drop'] as const;
export type DoubtAction = (typeof doubtActions)[number];

/** An action and the points from which it applies. */
export interface Threshold {
  readonly action: DoubtAction;
  readonly from: number;
}

/** The signal of a submission sent too fast, for `too_fast: doubt`. */
export const tooFastSignal = 'too_fast';

/** The points of that signal: just enough for `tag`, rounded up to tenths like all points (D176). 0 without a `tag`. */
export const tooFastPoints = (thresholds: readonly Threshold[]): number =>
  Math.ceil((thresholds.find(({ action }) => action === 'tag')?.from ?? 0) * 10 - 1e-6) / 10;

/** A signal's settings. */
export interface SignalWeight {
  /** In points; `undefined`: the signal's default. */
  readonly weight: number | undefined;
  /** The signal's other keys. */
  readonly keys: Readonly<Record<string, unknown>>;
}

/**
 * Names under which a tagged or set-aside submission is marked, beside its values, so that every output gets the mark.
 * Visitors cannot submit them.
 */
export const doubtNames = {
  /** `6.5 (links, offers)` */
  tag: '_doubt',
  /** Present, with any value, if only outputs with `aside` get the submission. */
  aside: '_aside',
} as const;

/** Marks tagged submissions in requests and mails. */
export const doubtHeader = 'X-Form-Doubt';

/**
 * The mark of a tagged submission. Entries in a store can be forged, and the mark becomes a header: a mark that the
 * relay could not have written is ignored.
 */
export function doubtIn(values: Values): string | undefined {
  const mark = values.get(doubtNames.tag)?.[0];
  return mark !== undefined && mark.length <= mostCharacters && isMark.test(mark) ? mark : undefined;
}

const isMark = /^\d+(\.\d)? \([\w, ]*\)$/;
const mostCharacters = 500;
