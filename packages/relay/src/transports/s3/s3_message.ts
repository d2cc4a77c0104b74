import type { Archived, SealFor } from '../archive/archive_message.ts';
import type { AnyMessage, AnyTarget } from '../transport.ts';

/** One entry for an archive in a bucket. */
export interface S3Message extends AnyMessage, Archived {
  readonly via: 's3';
  readonly bucket: string;
  /** What the keys of the archive begin with: empty, or with a slash at its end. */
  readonly prefix: string;
}

export interface S3Target extends AnyTarget {
  readonly via: 's3';
  readonly bucket: string;
  readonly prefix: string;
  readonly sealFor: SealFor | undefined;
}

export const s3Target = (target: Omit<S3Target, 'via' | 'name'>): S3Target => ({
  ...target,
  via: 's3',
  name: `s3://${target.bucket}/${target.prefix}`,
});
