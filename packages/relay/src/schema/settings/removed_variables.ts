/** Variables of the environment that an earlier version read. */

/** What was removed: since which version, why in a few words, and what to do instead. */
export interface Removed {
  readonly since: string;
  readonly why: string;
  readonly instead: string;
}

export const sayRemoved = ({ since, why, instead }: Removed): string =>
  `removed in ${since}, because ${why}; ${instead}`;

export const removedVariables: Readonly<Record<string, Removed>> = {
  WORKERS: {
    since: '0.2.0',
    why: 'one process answers more than a site needs',
    instead: 'unset it; for more cores, start several copies (docs/copies.md)',
  },
};
