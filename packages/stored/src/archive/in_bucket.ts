import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withRetries } from '@form-relay/base/retries';
import { ownAws } from '@form-relay/clients/aws/account';
import {
  askS3,
  type BucketReader,
  createBucketReader,
  readBucketUrl,
  s3Refusal,
  type Waiting,
} from '@form-relay/clients/aws/s3_client';
import type { Aws } from '@form-relay/core/services';
import { droppedFolder, folderOf } from '@form-relay/more-outputs/archive_layout';
import {
  type Archive,
  type Choice,
  type Entry,
  entryAt,
  entryOfFolder,
  foreignAt,
  isChosen,
  type Tell,
} from './archive.ts';
import { isSweepFile } from './in_folder.ts';

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

/** Lists the keys below a prefix, without the prefix. */
export const listInBucket = (reader: Pick<BucketReader, 'list'>, prefix: string): ListKeys =>
  async function* (inside, after) {
    for await (const { keys, isLast } of reader.list(prefix + inside, after && prefix + after)) {
      // Some tools create empty objects as folders.
      const inThere = keys.filter((key) => !key.endsWith('/'));
      yield { keys: inThere.map((key) => key.slice(prefix.length)), isLast };
    }
  };

/** Writes to a bucket. Rejects with a `ClientError`. */
interface BucketWriter {
  /** Creates an empty object; `false` if the object exists. Stores that ignore `If-None-Match` always return `true`. */
  create(key: string): Promise<boolean>;
  put(key: string, text: string): Promise<void>;
  /** Deletes up to 1,000 objects with one request; missing objects count as deleted. */
  remove(keys: readonly string[]): Promise<void>;
}

/** The limits of one request with its retries. */
const rule = { retries: 4, timeoutMs: 60_000, firstWaitMs: 200 };

export function createBucketWriter(aws: Aws, waiting: Waiting, bucket: string): BucketWriter {
  const withAll = { now: aws.now, ...waiting };
  const put = (key: string, text: string, headers: Readonly<Record<string, string>>) =>
    withRetries(
      async (timeoutMs) => {
        const request = { method: 'PUT', bucket, key, headers, body: text, timeoutMs } as const;
        const answer = await askS3(aws, request);
        const { status } = answer;
        if (status < 300) return true;
        // A 409 means that another process is creating the object. Some servers respond with 304.
        if ('if-none-match' in headers && [304, 409, 412].includes(status)) return false;
        throw s3Refusal(answer, { bucket, key, action: 's3:PutObject' });
      },
      rule,
      withAll,
    );
  return {
    create: (key) => put(key, '', { 'content-type': 'text/plain', 'if-none-match': '*' }),
    put: async (key, text) => void (await put(key, text, { 'content-type': 'application/json' })),
    remove: (keys) =>
      withRetries(
        async (timeoutMs) => {
          const body = `<Delete><Quiet>true</Quiet>${keys.map((key) => `<Object><Key>${escaped(key)}</Key></Object>`).join('')}</Delete>`;
          const headers = {
            'content-type': 'application/xml',
            'content-md5': createHash('md5').update(body).digest('base64'),
          };
          const request = { method: 'POST', bucket, key: '', search: 'delete=', headers, body } as const;
          const answer = await askS3(aws, { ...request, timeoutMs, limitBytes: mostAnswerBytes });
          // S3 responds with 200 and lists the objects that it could not delete.
          if (answer.status === 200 && !answer.body.includes('<Error>')) return;
          throw s3Refusal(answer, { bucket, key: keys[0] ?? '', action: 's3:DeleteObject' });
        },
        rule,
        withAll,
      ),
  };
}

/** Some servers list each key despite `Quiet`. */
const mostAnswerBytes = 16 * 1_048_576;

const escaped = (key: string) =>
  key.replaceAll(/[&<>"'\0-\x1f\x7f]/g, (character) => `&#${character.charCodeAt(0)};`);

// An archive as the sorted keys of a bucket.

/** Lists the keys of an archive that start with `prefix` and follow `after`, in pages. Throws a `ClientError`. */
export type ListKeys = (
  prefix: string,
  after: string,
) => AsyncIterable<{ readonly keys: readonly string[]; readonly isLast: boolean }>;

/** The selected submissions. Only one page of keys is in memory at a time. */
export async function* entriesAmongKeys(list: ListKeys, choice: Choice, tell: Tell): AsyncGenerator<Entry> {
  const { form, since } = choice;
  const prefix = form === undefined ? '' : `${formFolder(form)}/`;
  let after: string | undefined =
    form === undefined || since === undefined ? '' : folderOf({ form, receivedAt: since });
  while (after !== undefined) {
    const start: string = after;
    after = undefined;
    for await (const { keys, isLast } of list(prefix, start)) {
      let last: Entry | undefined;
      for (const key of keys) {
        // Rejected submissions form an archive of their own.
        if (key.startsWith(dropped) || isSweepFile(key)) continue;
        const document = entryAt(key);
        last = document ?? entryOfFolder(key.slice(0, key.lastIndexOf('/')));
        if (document && isChosen(document, choice)) yield document;
        else if (!last) tell(foreignAt(key));
      }
      // Jump ahead instead of listing pages that are not selected.
      const isDropped = keys.at(-1)?.startsWith(dropped);
      if (!isLast) after = isDropped ? `${droppedFolder}0` : last && behind(last, choice);
      if (after !== undefined) break;
    }
  }
}

/** The name to continue from if neither this entry nor those after it, up to that name, are selected; `undefined` to read on. */
function behind(
  { form, receivedAt }: Entry,
  { since = -Infinity, until = Infinity }: Choice,
): string | undefined {
  // In sort order, `0` follows `/`.
  if (receivedAt >= until) return `${formFolder(form)}0`;
  const first = folderOf({ form, receivedAt: Math.max(since, receivedAt) });
  return first === folderOf({ form, receivedAt }) ? undefined : first;
}

export const dropped = `${droppedFolder}/`;

export const formFolder = (form: string) => folderOf({ form, receivedAt: 0 }).split('/', 1)[0];
