/** Archives in folders and buckets, from which submissions are removed. */

import { readdir } from 'node:fs/promises';
import { onTestFinished, vi } from 'vitest';
import { write } from '../../../apps/inbox/test/stage.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { account, startS3 } from '../../clients/test/aws/aws.ts';
import { entryFiles, type Written } from './entries.ts';

export interface Place {
  readonly name: string;
  readonly output: string;
  /** The ids of what is there, sorted. */
  ids(): Promise<readonly string[]>;
  /** All names there. */
  names(): Promise<readonly string[]>;
}

const idsIn = (names: readonly string[]) =>
  names.flatMap((name) => /-([^-/]+)-0\.json$/.exec(name)?.[1] ?? []).toSorted();

export async function folderWith(entries: readonly Written[]): Promise<Place> {
  const name = tempFolder();
  await write(name, entries);
  const names = async () => (await readdir(name, { recursive: true })).toSorted();
  return { name, output: `{type: folder, path: ${name}}`, names, ids: async () => idsIn(await names()) };
}

export async function bucketWith(entries: readonly Written[], pageSize?: number) {
  const s3 = await startS3({ pageSize });
  for (const [key, value] of Object.entries({ ...account, AWS_ENDPOINT_URL_S3: s3.origin }))
    vi.stubEnv(key, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const entry of entries)
    for (const [path, content] of await entryFiles(entry)) await s3.put(`forms/${path}`, String(content));
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
