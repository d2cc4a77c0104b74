import { setTimeout as sleep } from 'node:timers/promises';
import { ownAws } from '@form-relay/clients/aws/account';
import { type BucketReader, createBucketReader, readBucketUrl } from '@form-relay/clients/aws/bucket_reader';
import type { Archive } from './archive.ts';
import { entriesAmongKeys, type ListKeys } from './keys.ts';

/** An archive in a bucket, read with the AWS credentials and region of the environment. */
export function archiveInBucket(from: string): Archive {
  const { env } = process;
  const { bucket = '', rest = '' } = readBucketUrl(from) ?? {};
  const path = rest.replace(/\/+$/, '');
  const prefix = path === '' ? '' : `${path}/`;
  const now = Date.now;
  const aws = ownAws((name) => env[name], now);
  const reader = createBucketReader(aws, { sleep, random: Math.random }, bucket);
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
