/** What may become of a submission that is doubted, the mildest first (D71). */
export const doubtActions = ['observe', 'tag', 'aside', 'challenge', 'drop'] as const;
export type DoubtAction = (typeof doubtActions)[number];

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
