import { failed } from '../../base/client_error.ts';
import { type Partition, partitions } from './partitions.ts';

/** Where in AWS something is asked. */
export interface AwsPlace {
  readonly region: string;
  /** Of hosts whose cryptography is validated by FIPS 140 (`AWS_USE_FIPS_ENDPOINT`). */
  readonly isFips: boolean;
  /** Of hosts that have an IPv6 address, too (`AWS_USE_DUALSTACK_ENDPOINT`). */
  readonly isDualStack: boolean;
}

/** As AWS's hosts call them. */
export type AwsHost = 'email' | 'sqs' | 'ssm' | 'secretsmanager';

/**
 * A service's own address, as the endpoint rules of the AWS SDK have it. Throws a `ClientError` where there is none.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html
 */
export function awsAddress(host: AwsHost, { region, isFips, isDualStack }: AwsPlace): string {
  const [partition, , suffix, dualStackSuffix] = partitionOf(region, isFips);
  const isGov = partition === 'aws-us-gov';
  // In these parts of AWS, Secrets Manager has both kinds of address under its one name.
  const isBoth = host === 'secretsmanager' && (isGov || /^aws(-cn)?$/.test(partition));
  // GovCloud's usual hosts are validated.
  const isUsualFips = isGov && !isDualStack && (host === 'sqs' || host === 'ssm');
  const name = isFips && !isUsualFips ? `${host}-fips` : host;
  return `https://${name}.${region}.${isDualStack && !isBoth ? dualStackSuffix : suffix}`;
}

/** The host of S3, or of its access points, where a bucket's name may stand before it. */
export function s3Host(kind: 's3' | 's3-accesspoint', { region, isFips, isDualStack }: AwsPlace): string {
  const [, , suffix] = partitionOf(region, isFips);
  return `${kind}${isFips ? '-fips' : ''}${isDualStack ? '.dualstack' : ''}.${region}.${suffix}`;
}

/** The AWS that a region is of. Throws a `ClientError` where it has none of the hosts that are asked for. */
export function partitionOf(region: string, isFips = false): Partition {
  const partition = partitions.find(([, regions]) => new RegExp(regions).test(region)) ?? partitions[0];
  if (isFips && partition[0] === 'aws-cn') throw failed('aws_without_fips', { region });
  return partition;
}
