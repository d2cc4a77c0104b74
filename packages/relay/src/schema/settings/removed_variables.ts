/** Variables of the environment that an earlier version read. */

/** What was removed: since which version, why in a few words, and what to do instead. */
export interface Removed {
  readonly since: string;
  readonly why: string;
  readonly instead: string;
}

export const sayRemoved = ({ since, why, instead }: Removed): string =>
  `removed in ${since}, because ${why}; ${instead}`;

export const removedVariables: Readonly<Record<string, Removed>> = {};
