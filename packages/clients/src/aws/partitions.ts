/** The names of its regions, as a regular expression, and the end of its hosts. */
export type Partition = readonly [regions: string, suffix: string];

/** Each partition has its own accounts. An unknown region counts as one of the first. */
export const partitions: readonly [Partition, ...Partition[]] = [
  ['^(us|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-[0-9]+$', 'amazonaws.com'],
  ['^cn-[a-z]+-[0-9]+$', 'amazonaws.com.cn'],
  ['^eusc-(de)-[a-z]+-[0-9]+$', 'amazonaws.eu'],
  ['^us-iso-[a-z]+-[0-9]+$', 'c2s.ic.gov'],
  ['^us-isob-[a-z]+-[0-9]+$', 'sc2s.sgov.gov'],
  ['^eu-isoe-[a-z]+-[0-9]+$', 'cloud.adc-e.uk'],
  ['^us-isof-[a-z]+-[0-9]+$', 'csp.hci.ic.gov'],
  ['^us-gov-[a-z]+-[0-9]+$', 'amazonaws.com'],
];
