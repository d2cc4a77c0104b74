/** Archives in folders and buckets, from which submissions are removed. */

import { readdir } from 'node:fs/promises';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { account, startS3 } from '../../clients/test/aws/aws.ts';
import { entryFiles, type Written, writeEntry } from './entries.ts';

export interface Place {
  readonly name: string;
  readonly output: string;
  /** The sorted ids of its submissions. */
  ids(): Promise<readonly string[]>;
  /** All file names or keys. */
  names(): Promise<readonly string[]>;
}

const idsIn = (names: readonly string[]) =>
  names.flatMap((name) => /-([^-/]+)-0\.json$/.exec(name)?.[1] ?? []).toSorted();

export async function folderWith(entries: readonly Written[]): Promise<Place> {
  const name = tempFolder();
  for (const entry of entries) await writeEntry(name, entry);
  const names = async () => (await readdir(name, { recursive: true })).toSorted();
  return { name, output: `{type: folder, path: ${name}}`, names, ids: async () => idsIn(await names()) };
}

/** An S3 server with archives in its bucket, for example under `forms`, and the environment variables to reach it. */
export async function startBucket(
  archives: Readonly<Record<string, readonly Written[]>> = {},
  pageSize?: number,
) {
  const s3 = await startS3({ pageSize });
  const put = async (entry: Written, folder = 'forms') => {
    for (const [path, bytes] of await entryFiles(entry)) {
      const key = path.split('/').map(encodeURIComponent).join('/');
      const url = `${s3.origin}/configs/${folder}/${key}`;
      expect((await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })).status).toBe(200);
    }
  };
  for (const [folder, entries] of Object.entries(archives))
    for (const entry of entries) await put(entry, folder);
  return { s3, put, env: { ...account, AWS_ENDPOINT_URL_S3: s3.origin } };
}

/** The same for readers in this process. */
export async function stubBucket(...args: Parameters<typeof startBucket>) {
  const bucket = await startBucket(...args);
  for (const [key, value] of Object.entries(bucket.env)) vi.stubEnv(key, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return bucket;
}

export async function bucketWith(entries: readonly Written[], pageSize?: number) {
  const { s3 } = await stubBucket({ forms: entries }, pageSize);
  const names = async () => {
    const all: string[] = [];
    for (let isLast = false; !isLast; ) {
      const marker = encodeURIComponent(all.at(-1) ?? '');
      const xml = await (await fetch(`${s3.origin}/configs?prefix=forms/&marker=${marker}`)).text();
      for (const [, key = ''] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) all.push(key);
      isLast = !xml.includes('<IsTruncated>true');
    }
    return all;
  };
  const place: Place = {
    name: 's3://configs/forms',
    output: '{type: s3, bucket: configs, prefix: forms}',
    names,
    ids: async () => idsIn(await names()),
  };
  return { ...place, s3 };
}
