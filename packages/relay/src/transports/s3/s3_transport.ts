import { failed } from '../../base/client_error.ts';
import type { Effects } from '../../base/effects.ts';
import type { Archived, SealFor } from '../archive/archive_entry.ts';
import { type AnyMessage, type AnyTarget, refused, slow, type Transport } from '../transport.ts';

/** The first entry loads the modules that store and show entries. */
export const s3Transport = (
  effects: Pick<Effects, 'putObject' | 'readFile' | 'now'>,
): Transport<S3Message, string> => ({
  send: async (message, timeoutMs) => {
    const { storeEntry } = await import('../archive/store_entry.ts');
    const { bucket, prefix } = message;
    return storeEntry(message, timeoutMs, effects, (object, timeoutMs) =>
      effects.putObject({ bucket, key: prefix + object.path, object, timeoutMs }),
    );
  },
  show: async (message, mask) => {
    const { showEntry } = await import('../archive/store_entry.ts');
    return showEntry(message, `s3://${message.bucket}/${message.prefix}`, mask);
  },
  answerInWords: () => 'stored',
  faults: [
    refused,
    {
      name: 'denied',
      says: 'denies access',
      error: () => failed('s3_access_denied', { action: 's3:PutObject' }),
    },
    slow,
  ],
});

/** An entry for an archive in a bucket. */
export interface S3Message extends AnyMessage, Archived {
  readonly via: 's3';
  readonly bucket: string;
  /** The prefix of the archive's keys: empty, or with a slash at its end. */
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

/** Reads `s3://bucket/prefix`. `undefined` for other URLs. */
export function readBucketUrl(url: string): { readonly bucket: string; readonly rest: string } | undefined {
  const [, bucket, rest = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(url) ?? [];
  return bucket === undefined ? undefined : { bucket, rest };
}
