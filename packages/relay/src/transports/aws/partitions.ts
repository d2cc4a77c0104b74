/** Its name, what its regions are called as a regular expression, and how hosts end: of IPv4 alone, and of both. */
export type Partition = readonly [name: string, regions: string, suffix: string, dualStackSuffix: string];

/** Each is an AWS of its own, with accounts of its own. The first stands in for one that is not known. */
export const partitions: readonly [Partition, ...Partition[]] = [
  ['aws', '^(us|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-[0-9]+$', 'amazonaws.com', 'api.aws'],
  ['aws-cn', '^cn-[a-z]+-[0-9]+$', 'amazonaws.com.cn', 'api.amazonwebservices.com.cn'],
  ['aws-eusc', '^eusc-(de)-[a-z]+-[0-9]+$', 'amazonaws.eu', 'api.amazonwebservices.eu'],
  ['aws-iso', '^us-iso-[a-z]+-[0-9]+$', 'c2s.ic.gov', 'api.aws.ic.gov'],
  ['aws-iso-b', '^us-isob-[a-z]+-[0-9]+$', 'sc2s.sgov.gov', 'api.aws.scloud'],
  ['aws-iso-e', '^eu-isoe-[a-z]+-[0-9]+$', 'cloud.adc-e.uk', 'api.cloud-aws.adc-e.uk'],
  ['aws-iso-f', '^us-isof-[a-z]+-[0-9]+$', 'csp.hci.ic.gov', 'api.aws.hci.ic.gov'],
  ['aws-us-gov', '^us-gov-[a-z]+-[0-9]+$', 'amazonaws.com', 'api.aws'],
];
