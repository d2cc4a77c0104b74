/** Where credentials come from, seen from outside: `relay serve` in a process of its own, its config in s3rver. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../../../test/support/temp_folder.ts';
import { account, startS3 } from './aws.ts';

const relay = fileURLToPath(new URL('../../../../dist/relay.cjs', import.meta.url));

const config =
  'forms: {contact: {fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}';

/** Starts the relay with nothing in its environment but these; gives what it says when it listens, and its log. */
async function serve(env: Record<string, string>, program = relay) {
  const s3 = await startS3();
  await s3.put('webform.yaml', config);
  const child = spawn(process.execPath, [program, 'serve'], {
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      CONFIG_BUCKET: 'configs',
      AWS_ENDPOINT_URL: s3.origin,
      // No looking for the machine's own role, here or where the tests run.
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: '/nowhere',
      AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
      ...env,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const said = await new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk)));
    child.once('exit', (code) => resolve(`exit code ${code}`));
  });
  /** Everything that it logged, once it has ended. */
  const end = async () => {
    child.kill();
    await once(child, 'close');
    return log;
  };
  return { said, end, s3 };
}

/** A profile in the files that the AWS command line keeps in ~/.aws. */
function profile(): Record<string, string> {
  const folder = tempFolder();
  const files = {
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
  };
  writeFileSync(
    files.AWS_CONFIG_FILE,
    '[default]\nregion = us-east-1\n[profile forms]\nregion = eu-west-3\n',
  );
  writeFileSync(
    files.AWS_SHARED_CREDENTIALS_FILE,
    '[forms]\naws_access_key_id = S3RVER\naws_secret_access_key = S3RVER\n',
  );
  return files;
}

test('a profile gives credentials and the region', async () => {
  const { said, s3 } = await serve({ ...profile(), AWS_PROFILE: 'forms' });
  expect(said).toContain('s3://configs/webform.yaml (1 form)');
  expect(s3.signedFor).toEqual(['S3RVER eu-west-3']);
});

test('a profile that is not there is named in the log', async () => {
  const { said, end } = await serve({ ...profile(), AWS_PROFILE: 'typo', AWS_REGION: 'eu-north-1' });
  expect(said).toContain('it did not load');
  expect(await end()).toContain('the AWS profile \\"typo\\" gives no credentials');
});

test('with credentials in the environment the chain is not even loaded', async () => {
  // Put into a folder of its own, where it would find no AWS SDK.
  const folder = tempFolder();
  cpSync(dirname(relay), folder, { recursive: true });
  const standalone = join(folder, 'relay.cjs');
  const { said, end } = await serve({ ...profile(), AWS_PROFILE: 'forms', ...account }, standalone);
  expect(said).toContain('(1 form)');
  expect(await end()).not.toContain('error');

  const without = await serve({ ...profile(), AWS_PROFILE: 'forms' }, standalone);
  expect(without.said).toContain('it did not load');
});

test('a request for credentials that is never answered does not stop the next one', async () => {
  let calls = 0;
  const endpoint = createServer((_, response) => {
    calls += 1;
    const Expiration = new Date(Date.now() + 3_600_000).toISOString();
    const credentials = { AccessKeyId: 'S3RVER', SecretAccessKey: 'S3RVER', Token: 'none', Expiration };
    if (calls > 1) response.end(JSON.stringify(credentials));
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    endpoint.closeAllConnections();
    endpoint.close();
  });
  const { port } = endpoint.address() as AddressInfo;
  const uri = `http://127.0.0.1:${port}/role`;
  const { said } = await serve({ AWS_CONTAINER_CREDENTIALS_FULL_URI: uri, AWS_REGION: 'eu-north-1' });
  const [origin = ''] = /http:\/\/\S+/.exec(said) ?? [];
  const isReady = async () => (await fetch(`${origin}/readyz`)).status === 200;
  await expect.poll(isReady).toBe(true);
});
