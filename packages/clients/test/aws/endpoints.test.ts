/** The hosts of AWS, compared with the endpoint rules of the AWS SDK. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import { suiteFolder, tempFolder } from '../../../../test/support/temp_folder.ts';
import type { AwsAccount, AwsServiceId, BytesClient } from '../../../core/src/services.ts';
import { SqsQueue } from '../../../stores/src/sqs/queue.ts';
import { awsAccount, serviceAddress } from '../../src/aws/account.ts';
import { createS3Client } from '../../src/aws/s3_client.ts';
import { sendSigned } from '../../src/aws/sign.ts';
import { account, startS3 } from './aws.ts';

const awsSdk = createRequire(createRequire(import.meta.url).resolve('@aws-sdk/client-s3'));
const [root = ''] = awsSdk.resolve('@aws-sdk/core/client').split('dist-cjs');
const data = join(root, 'dist-es/submodules/client/util-endpoints/lib/aws/partitions.js');
const { partitionsInfo } = await import(pathToFileURL(data).href);
/** All regions that the SDK knows, and one that does not exist yet. */
const regions: readonly string[] = [
  ...partitionsInfo.partitions.flatMap(({ regions }: { regions: object }) => Object.keys(regions)),
  'us-moon-1',
  'eu-nowhere-north-9',
].filter((region) => !region.endsWith('-global'));

interface Rules {
  readonly config: {
    endpointProvider(parameters: object): {
      readonly url: URL;
      readonly properties?: { readonly authSchemes?: readonly { readonly signingRegion?: string }[] };
    };
  };
}

const options = { region: 'eu-central-1' };
const s3 = new S3Client(options) as unknown as Rules;
const services: Readonly<Record<Exclude<AwsServiceId, 'S3'>, Rules>> = {
  SESV2: new SESv2Client(options) as unknown as Rules,
  SQS: new SQSClient(options) as unknown as Rules,
  DYNAMODB: new DynamoDBClient(options) as unknown as Rules,
};

/** The result of the SDK's rules: the address and its signing region, or that there is none. */
function bySdk({ config }: Rules, Region: string, more: object = {}) {
  try {
    const parameters = { Region, UseFIPS: false, UseDualStack: false, ...more };
    const { url, properties } = config.endpointProvider(parameters);
    return `${url.href} for ${properties?.authSchemes?.[0]?.signingRegion ?? Region}`;
  } catch {
    return 'refused';
  }
}

const envOf = (region: string): Readonly<Record<string, string>> => ({ ...account, AWS_REGION: region });

/** Records the requested hosts and the signing region of each. */
function recorder() {
  const requests: string[] = [];
  const http: BytesClient = async ({ url, headers }) => {
    const [, region] = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(headers.authorization ?? '') ?? [];
    requests.push(`${url.href} for ${region}`);
    return { status: 304, headers: {}, body: Buffer.alloc(0), isCut: false };
  };
  return { requests, http };
}

const waiting = { sleep: async () => {}, random: Math.random };

async function byRelay(
  ask: (aws: { account: AwsAccount; http: BytesClient; now: () => number }) => Promise<unknown>,
  env: Readonly<Record<string, string>>,
) {
  const { requests, http } = recorder();
  try {
    await ask({ account: awsAccount((name) => env[name]), http, now: Date.now });
    return requests.join();
  } catch (error) {
    expect(requests).toEqual([]);
    expect(error).toMatchObject({ name: 'ClientError' });
    return `refused`;
  }
}

test('the SDK knows enough regions for a meaningful comparison', () => {
  expect(regions.length).toBeGreaterThan(40);
  expect(regions).toEqual(
    expect.arrayContaining(['cn-north-1', 'us-gov-west-1', 'eusc-de-east-1', 'us-iso-east-1']),
  );
});

test.each(Object.entries(services))(
  'requests to %s use the SDK’s hosts, in each region',
  async (service, rules) => {
    for (const region of regions) {
      const ask = (aws: Parameters<Parameters<typeof byRelay>[0]>[0]) =>
        sendSigned(aws, {
          service: 'ses',
          request: (region) => ({
            method: 'GET',
            url: new URL(serviceAddress(aws.account, service as keyof typeof services, region)),
            headers: {},
            body: '',
          }),
          timeoutMs: 5_000,
          limitBytes: 0,
        });
      const ours = await byRelay(ask, envOf(region));
      expect(`${region}: ${ours}`).toBe(`${region}: ${bySdk(rules, region)}`);
    }
  },
);

test.each([
  'configs',
  'www.example.com',
  'a-b-c-123',
  'Old_Bucket',
  'a--x-s3-b',
  // An alias of an access point.
  'forms-abcdefghijklmnopqrstuvwx-s3alias',
  'directory--euc1-az1--x-s3',
  'directory--euc1-az1--xa-s3',
  'outpost-abcdefghijklmnopqrstuvwx--op-s3',
  'arn:aws:s3:::configs',
  'arn:aws:s3:eu-west-1:111122223333:accesspoint/forms',
  'arn:',
])('S3 requests for the bucket %s use the SDK’s host, or are not made', async (bucket) => {
  for (const region of regions) {
    const ask = (aws: Parameters<typeof createS3Client>[0]) =>
      createS3Client(aws, waiting)({ bucket, key: 'a', timeoutMs: 5_000 });
    const ours = await byRelay(ask, envOf(region));
    const sdk = bySdk(s3, region, { Bucket: bucket }).replace(/\/?( for|$)/, '/a$1');
    const isUnused = /^arn:|--(xa?|op)-s3$/.test(bucket);
    if (isUnused) expect(ours).toBe('refused');
    else expect(`${region}: ${ours}`).toBe(`${region}: ${sdk.replace(/^refused.*/, 'refused')}`);
  }
});

const says = async (env: Readonly<Record<string, string>>, bucket = 'configs') => {
  const { http } = recorder();
  const read = createS3Client({ account: awsAccount((name) => env[name]), http, now: Date.now }, waiting);
  return read({ bucket, key: 'a', timeoutMs: 5_000 }).then(
    () => 'asked',
    (error: Error) => error.message,
  );
};

test.each<[said: string, env: Record<string, string>, bucket?: string]>([
  ['asked', { AWS_USE_FIPS_ENDPOINT: 'false' }],
  ['use_fips_endpoint is not supported', { AWS_USE_FIPS_ENDPOINT: 'true' }],
  ['"fips-us-east-1" is not an AWS region', { AWS_REGION: 'fips-us-east-1' }],
  ['"aws-global" is not an AWS region', { AWS_REGION: 'aws-global' }],
  [
    'arn:aws:s3:::configs cannot be used as a bucket: ARNs are not supported; use the name of the bucket, or the alias of the access point',
    {},
    'arn:aws:s3:::configs',
  ],
])('the message is: %s', async (said, env, bucket) =>
  expect(await says({ ...account, ...env }, bucket)).toContain(said),
);

const accountOf = (env: Readonly<Record<string, string>>) => awsAccount((name) => env[name]);

test.each([
  ['http://127.0.0.1:4566/', 'http://127.0.0.1:4566'],
  ['https://aws.example/a/b/', 'https://aws.example/a/b'],
  ['https://aws.example/a/b', 'https://aws.example/a/b'],
])('AWS_ENDPOINT_URL=%s leads to %s', (url, address) =>
  expect(accountOf({ AWS_ENDPOINT_URL: url }).endpoint('S3')).toBe(address),
);

test('credentials and a region from the environment are used unchanged', async () => {
  const own = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };
  const used = { accessKeyId: 'id', secretAccessKey: 'key' };
  expect(await accountOf(own).credentials()).toEqual({ ...used, sessionToken: undefined });
  const temporary = accountOf({ ...own, AWS_SESSION_TOKEN: 'token' });
  expect(await temporary.credentials()).toEqual({ ...used, sessionToken: 'token' });
  expect(await accountOf({ ...own, AWS_DEFAULT_REGION: 'eu-west-1' }).region()).toBe('eu-west-1');
  // The word means FIPS only at the start or end of a region's name.
  expect(await accountOf({ ...own, AWS_REGION: 'us-fips-1' }).region()).toBe('us-fips-1');
});

describe('a profile', () => {
  const folder = suiteFolder();
  writeFileSync(
    join(folder, 'config'),
    '[default]\nregion = us-east-1\n[profile forms]\nregion = us-west-2\n[profile fips]\nuse_fips_endpoint = true\n',
  );

  test.each<[address: string, env: Record<string, string>]>([
    ['https://email.us-east-1.amazonaws.com', {}],
    ['https://email.us-west-2.amazonaws.com', { AWS_PROFILE: 'forms' }],
    ['https://email.eu-west-1.amazonaws.com', { AWS_PROFILE: 'forms', AWS_REGION: 'eu-west-1' }],
    // With a region and without a named profile, the files are not read.
    ['https://email.eu-west-1.amazonaws.com', { AWS_REGION: 'eu-west-1' }],
  ])('leads to %s with %j', async (address, env) => {
    vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'config'));
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere');
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(accountOf({ AWS_PROFILE: 'fips', AWS_REGION: 'eu-west-1' }).region()).rejects.toMatchObject({
      code: 'aws_fips',
    });
    const mine = awsAccount((name) => env[name]);
    expect(serviceAddress(mine, 'SESV2', await mine.region())).toBe(address);
  });
});

test('credentials come from a profile, and a profile without credentials is reported', async () => {
  const folder = tempFolder();
  const file = join(folder, 'credentials');
  writeFileSync(file, '[forms]\naws_access_key_id = id\naws_secret_access_key = key\n');
  vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE'])
    vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const forms = accountOf({ AWS_PROFILE: 'forms' });
  expect(await forms.credentials()).toMatchObject({ accessKeyId: 'id', secretAccessKey: 'key' });
  // A single one of the two variables counts as none.
  const half = accountOf({ AWS_PROFILE: 'forms', AWS_ACCESS_KEY_ID: 'another' });
  expect(await half.credentials()).toMatchObject({ accessKeyId: 'id' });
  await expect(accountOf({ AWS_PROFILE: 'nosuch' }).credentials()).rejects.toMatchObject({
    code: 'aws_profile_without_credentials',
    params: { profile: 'nosuch' },
  });
  await expect(accountOf({}).credentials()).rejects.toMatchObject({ code: 'aws_without_credentials' });
});

describe('a queue', () => {
  const answer = '{"Attributes":{}}';
  async function requestedFor(host: string) {
    const requests: string[] = [];
    const http: BytesClient = async ({ url, headers }) => {
      const [, region] = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(headers.authorization ?? '') ?? [];
      requests.push(`${url.href} for ${region}`);
      return { status: 200, headers: {}, body: Buffer.from(answer), isCut: false };
    };
    const aws = { account: awsAccount((name) => account[name as keyof typeof account]), http, now: Date.now };
    await new SqsQueue(aws, new URL(`https://${host}/111122223333/kept`)).attributes();
    return requests.join();
  }

  test.each([
    ['vpce-1.sqs.eu-west-1.vpce.amazonaws.com', 'eu-west-1'],
    ['sqs.eu-west-1.api.aws', 'eu-west-1'],
    ['sqs-fips.us-east-1.amazonaws.com', 'us-east-1'],
    ['vpce-1.sqs.eusc-de-east-1.vpce.amazonaws.eu', 'eusc-de-east-1'],
    // Hosts in the old format, with the region in front; and a stub.
    ['eu-west-1.queue.amazonaws.com', 'eu-central-1'],
    ['sqs.eu-west-1.amazonaws.com.evil.example', 'eu-central-1'],
    ['127.0.0.1:9324', 'eu-central-1'],
  ])('at %s is signed for %s', async (host, region) =>
    expect(await requestedFor(host)).toBe(`https://${host}/ for ${region}`),
  );
});

/** Where credentials come from, tested from outside: `relay serve` in its own process, with its config in s3rver. */

const relay = fileURLToPath(new URL('../../../../dist/relay.cjs', import.meta.url));

const config =
  'forms: {contact: {fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}';

/** Starts the relay with only these environment variables; returns its first output and its log. */
async function serve(env: Record<string, string>, program = relay) {
  const s3 = await startS3();
  await s3.put('webform.yaml', config);
  const child = spawn(process.execPath, [program, 'serve'], {
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      CONFIG_BUCKET: 'configs',
      AWS_ENDPOINT_URL: s3.origin,
      // Prevents looking for the machine's own role, here and wherever the tests run.
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
  /** The complete log, after the process has ended. */
  const end = async () => {
    child.kill();
    await once(child, 'close');
    return log;
  };
  return { said, end, s3 };
}

/** A profile in the files of ~/.aws that the AWS command line uses. */
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

test('a profile provides credentials and the region', async () => {
  const { said, s3 } = await serve({ ...profile(), AWS_PROFILE: 'forms' });
  expect(said).toContain('s3://configs/webform.yaml (1 form)');
  expect(s3.signedFor).toEqual(['S3RVER eu-west-3']);
});

test('with credentials in the environment, the chain is not even loaded', async () => {
  // A separate folder without the file of the AWS SDK.
  const folder = tempFolder();
  cpSync(dirname(relay), folder, { recursive: true });
  rmSync(join(folder, 'late/aws.cjs'));
  const standalone = join(folder, 'relay.cjs');
  const { said, end } = await serve({ ...profile(), AWS_PROFILE: 'forms', ...account }, standalone);
  expect(said).toContain('(1 form)');
  expect(await end()).not.toContain('error');

  expect((await serve({ ...profile(), AWS_PROFILE: 'forms' }, standalone)).said).toContain(
    'the config does not load',
  );
});

test('an unanswered request for credentials does not stop the next one', async () => {
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
