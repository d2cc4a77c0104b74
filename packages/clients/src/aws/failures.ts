import { failures, inBrackets } from '@form-relay/base/client_error';
import { connectionWords, mailWords } from '../failures.ts';

/** The relay's actions on buckets, by their IAM names, and what also leads to a refusal. */
const alsoDenied = {
  's3:GetObject': 'without s3:ListBucket a missing key looks the same, and ',
  's3:PutObject': 'a bucket that requires another encryption looks the same, and ',
  's3:DeleteObject': 'objects that are locked look the same, and ',
  's3:ListBucket': '',
};

export type S3Action = keyof typeof alsoDenied;

/** Values in a bucket's place that cannot be used. */
const unusedBuckets = {
  arn: 'ARNs are not supported; use the name of the bucket, or the alias of the access point',
  reserved: 'the relay does not support directory buckets (S3 Express One Zone) or S3 on Outposts',
};

export type UnusedBucket = keyof typeof unusedBuckets;

/** The words of a service's status. `name`: what AWS calls the error, such as `MessageRejected`; empty without one. */
export const awsStatus =
  (service: string) =>
  ({ status, name }: { status: number; name: string }) =>
    `${service} answered ${status}${inBrackets(name)}`;

export const awsWords = {
  timed_out: connectionWords.timed_out,
  answered_early: connectionWords.answered_early,
  message_too_large: mailWords.message_too_large,
  aws_without_credentials:
    'no AWS credentials found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or assign a role to the machine',
  aws_profile_without_credentials: ({ profile }: { profile: string }) =>
    `the AWS profile "${profile}" has no credentials; if it uses SSO, run "aws sso login"`,
  aws_credentials_late: ({ timeoutMs }: { timeoutMs: number }) =>
    `the source of the AWS credentials did not respond within ${timeoutMs} ms; the relay will retry`,
  aws_fips:
    'use_fips_endpoint is not supported; remove it from the profile, and set AWS_ENDPOINT_URL_S3 and similar variables to FIPS endpoints',
  aws_without_region: 'no AWS region: set AWS_REGION',
  aws_region_malformed: ({ region }: { region: string }) => `"${region}" is not an AWS region`,
  aws_endpoint_malformed: ({ service }: { service: string }) =>
    `AWS_ENDPOINT_URL_${service} or AWS_ENDPOINT_URL is not the URL of a service, such as https://minio.example.com:9000`,
  ses_status: awsStatus('SES'),
  ses_too_many_recipients: ({ most, found }: { most: number; found: number }) =>
    `SES takes at most ${most} recipients; \`to\` has ${found}`,
  s3_status: awsStatus('S3'),
  s3_no_bucket: ({ bucket }: { bucket: string }) => `there is no bucket "${bucket}" (NoSuchBucket)`,
  s3_no_object: ({ key }: { key: string }) =>
    `there is no object "${key}" in the bucket (NoSuchKey); correct CONFIG_KEY`,
  s3_access_denied: ({ action }: { action: S3Action }) =>
    `access denied (AccessDenied): the role needs ${action}; ${alsoDenied[action]}so do expired credentials`,
  s3_access_key_unknown: 'S3 does not know the access key (InvalidAccessKeyId); check AWS_ACCESS_KEY_ID',
  s3_secret_key_wrong:
    'the secret key does not belong to the access key (SignatureDoesNotMatch); check AWS_SECRET_ACCESS_KEY',
  s3_clock_wrong: "this machine's clock is wrong by more than 15 minutes (RequestTimeTooSkewed)",
  s3_credentials_expired: 'the credentials have expired (ExpiredToken)',
  s3_other_region: ({ region, variable }: { region: string; variable: string }) =>
    `the bucket is in another region; set ${variable}${region && `=${region}`}`,
  s3_object_too_large: ({ mostMb }: { mostMb: number }) => `the object is over ${mostMb} MB`,
  s3_object_compressed:
    'the object has the Content-Encoding gzip; store it uncompressed and without this header',
  s3_object_not_text: ({ reason }: { reason: string }) => reason,
  s3_key_unspeakable: ({ key }: { key: string }) =>
    `CONFIG_KEY is "${key}": a URL cannot have "." or ".." between slashes`,
  s3_bucket_unused: ({ bucket, why }: { bucket: string; why: UnusedBucket }) =>
    `${bucket} cannot be used as a bucket: ${unusedBuckets[why]}`,
};

export const failed = failures(awsWords);
