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
    why: 'one core answers more than a site needs',
    instead: 'unset it; for more cores, start several copies (docs/copies.md)',
  },
  AWS_USE_FIPS_ENDPOINT: {
    since: '0.2.0',
    why: 'it was hardly used',
    instead: 'unset it; for FIPS endpoints, set AWS_ENDPOINT_URL_S3 and its siblings',
  },
  AWS_USE_DUALSTACK_ENDPOINT: {
    since: '0.2.0',
    why: 'it was hardly used',
    instead: 'unset it; for endpoints with IPv6, set AWS_ENDPOINT_URL_S3 and its siblings',
  },
};

/** Switches that are off say nothing. */
export const isRemovedSet = (value: string | undefined): boolean => Boolean(value) && value !== 'false';
