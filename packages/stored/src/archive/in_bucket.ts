import { setTimeout as sleep } from 'node:timers/promises';
import { ownAws } from '@form-relay/clients/aws/account';
import { type BucketReader, createBucketReader, readBucketUrl } from '@form-relay/clients/aws/bucket_reader';
import type { Archive } from './archive.ts';
import { entriesAmongKeys, type ListKeys } from './keys.ts';

/** The objects at `s3://bucket/prefix`, with the AWS credentials and region of the environment. */
export function openBucket(url: string) {
  const { bucket = '', rest = '' } = readBucketUrl(url) ?? {};
  const path = rest.replace(/\/+$/, '');
  const aws = ownAws((name) => process.env[name], Date.now);
  const waiting = { sleep, random: Math.random };
  const prefix = path === '' ? '' : `${path}/`;
  return { aws, waiting, bucket, prefix, reader: createBucketReader(aws, waiting, bucket) };
}

/** An archive in a bucket. */
export function archiveInBucket(url: string): Archive {
  const { prefix, reader } = openBucket(url);
  const list = listInBucket(reader, prefix);
  return {
    entries: (choice, tell) => entriesAmongKeys(list, choice, tell),
    read: (path, mostBytes) => reader.read(prefix + path, mostBytes),
  };
}

/** The keys below a prefix, without it. */
export const listInBucket = (reader: Pick<BucketReader, 'list'>, prefix: string): ListKeys =>
  async function* (inside, after) {
    for await (const { keys, isLast } of reader.list(prefix + inside, after && prefix + after)) {
      // Some tools put empty objects there, for folders.
      const inThere = keys.filter((key) => !key.endsWith('/'));
      yield { keys: inThere.map((key) => key.slice(prefix.length)), isLast };
    }
  };
