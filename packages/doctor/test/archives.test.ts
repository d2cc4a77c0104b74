import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { awsAccount } from '../../clients/src/aws/account.ts';
import { createHttpClient } from '../../clients/src/http/http_client.ts';
import { account, startS3 } from '../../clients/test/aws/aws.ts';
import { createListBucket, createWriteIntoBucket } from '../src/probes/archives.ts';
import { examineServers } from '../src/servers.ts';
import { diagnose, formWith } from './stage.ts';

async function lookAtFolder(path: string, writes = false) {
  const lines = await diagnose(examineServers('folder'), formWith(`[{type: folder, path: "${path}"}]`), {
    writes,
  });
  return lines.map((line) => line.replaceAll(path, '…'));
}

test('a folder is looked at, and nothing is written', async () => {
  const folder = tempFolder();
  expect(await lookAtFolder(folder)).toEqual([
    'ok …: is there, and this user may write into it; nothing was written',
  ]);
});

test('with --write, a file is written into it and deleted', async () => {
  const folder = tempFolder();
  expect(await lookAtFolder(folder, true)).toEqual(['ok …: takes files: one was written and deleted']);
  expect(readdirSync(folder)).toEqual([]);
});

test('a folder that is missing fails', async () => {
  const [missing] = await lookAtFolder(join(tempFolder(), 'none'));
  expect(missing).toMatch(/^failure …: there is no folder …; .* \(forms\.contact\.outputs\[0\]\) -> /);
});

async function lookAtBucket(origin: string, writes: boolean, bucket = 'configs') {
  const env: Record<string, string> = { ...account, AWS_ENDPOINT_URL_S3: origin };
  const aws = {
    account: awsAccount((name) => env[name]),
    http: createHttpClient().bytes,
    now: Date.now,
  };
  const [line] = await diagnose(
    examineServers('s3'),
    formWith(`[{type: s3, bucket: ${bucket}, prefix: a b}]`),
    {
      env,
      listBucket: createListBucket(aws),
      writeIntoBucket: createWriteIntoBucket(aws),
      writes,
    },
  );
  return line;
}

test('a bucket is looked at, and with --write an object is written into it and deleted', async () => {
  const s3 = await startS3();
  expect(await lookAtBucket(s3.origin, false)).toBe('ok s3://configs/a b/: is there; nothing was written');
  expect(await lookAtBucket(s3.origin, true)).toBe(
    'ok s3://configs/a b/: takes objects: one was written and deleted',
  );
  const listed = await (await fetch(`${s3.origin}/configs?list-type=2`)).text();
  expect(listed).toContain('<KeyCount>0<');
  for (const writes of [false, true]) {
    expect(await lookAtBucket(s3.origin, writes, 'none')).toMatch(
      /^failure s3:\/\/none\/a b\/: there is no bucket "none" \(NoSuchBucket\)/,
    );
  }
});
