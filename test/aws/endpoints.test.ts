/** Where AWS is asked, held against the endpoint rules of the AWS SDK. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { SqsQueue } from '../../packages/relay/src/keeping/stores/sqs/queue.ts';
import {
  type AwsAccount,
  type AwsServiceId,
  awsAccount,
  serviceAddress,
} from '../../packages/relay/src/transports/aws/account.ts';
import { createS3Client } from '../../packages/relay/src/transports/aws/s3_request.ts';
import { sendSigned } from '../../packages/relay/src/transports/aws/send_signed.ts';
import type { NodeHttp } from '../../packages/relay/src/transports/http/node_client.ts';
import { account } from './aws.ts';

const awsSdk = createRequire(createRequire(import.meta.url).resolve('@aws-sdk/client-s3'));
const [root = ''] = awsSdk.resolve('@aws-sdk/core/client').split('dist-cjs');
const data = join(root, 'dist-es/submodules/client/util-endpoints/lib/aws/partitions.js');
const { partitionsInfo } = await import(pathToFileURL(data).href);
/** Every region that the SDK knows, and one that nobody knows yet. */
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
  SSM: new SSMClient(options) as unknown as Rules,
  SECRETS_MANAGER: new SecretsManagerClient(options) as unknown as Rules,
};

/** What the SDK's rules say: the address and the region it is signed for; or that there is none. */
function bySdk({ config }: Rules, Region: string, isFips: boolean, isDualStack: boolean, more: object = {}) {
  try {
    const parameters = { Region, UseFIPS: isFips, UseDualStack: isDualStack, ...more };
    const { url, properties } = config.endpointProvider(parameters);
    return `${url.href} for ${properties?.authSchemes?.[0]?.signingRegion ?? Region}`;
  } catch {
    return 'refused';
  }
}

const switches = [
  [false, false],
  [false, true],
  [true, false],
  [true, true],
] as const;

const envOf = (region: string, isFips: boolean, isDualStack: boolean): Readonly<Record<string, string>> => ({
  ...account,
  AWS_REGION: region,
  ...(isFips && { AWS_USE_FIPS_ENDPOINT: 'true' }),
  ...(isDualStack && { AWS_USE_DUALSTACK_ENDPOINT: 'true' }),
});

/** What is asked for, and the region it is signed for. */
function recorder() {
  const asked: string[] = [];
  const http: NodeHttp = async ({ url, headers }) => {
    const [, region] = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(headers.authorization ?? '') ?? [];
    asked.push(`${url.href} for ${region}`);
    return { status: 304, headers: {}, body: Buffer.alloc(0), isCut: false };
  };
  return { asked, http };
}

const waiting = { sleep: async () => {}, random: Math.random };

async function byRelay(
  ask: (aws: { account: AwsAccount; http: NodeHttp; now: () => number }) => Promise<unknown>,
  env: Readonly<Record<string, string>>,
) {
  const { asked, http } = recorder();
  try {
    await ask({ account: awsAccount((name) => env[name]), http, now: Date.now });
    return asked.join();
  } catch (error) {
    expect(asked).toEqual([]);
    expect(error).toMatchObject({ name: 'ClientError' });
    return `refused`;
  }
}

test('the SDK knows enough regions for this to mean something', () => {
  expect(regions.length).toBeGreaterThan(40);
  expect(regions).toEqual(
    expect.arrayContaining(['cn-north-1', 'us-gov-west-1', 'eusc-de-east-1', 'us-iso-east-1']),
  );
});

describe.each(switches)('with FIPS %s and dual stack %s', (isFips, isDualStack) => {
  test.each(Object.entries(services))(
    '%s is asked where the SDK asks it, in every region',
    async (service, rules) => {
      for (const region of regions) {
        const ask = (aws: Parameters<Parameters<typeof byRelay>[0]>[0]) =>
          sendSigned(aws, {
            service: 'ses',
            request: (place) => ({
              method: 'GET',
              url: new URL(serviceAddress(aws.account, service as keyof typeof services, place)),
              headers: {},
              body: '',
            }),
            timeoutMs: 5_000,
            limitBytes: 0,
          });
        const ours = await byRelay(ask, envOf(region, isFips, isDualStack));
        // Nothing in China is validated: the SDK knows it of S3 alone, and names hosts that are not there for the others.
        if (isFips && region.startsWith('cn-')) expect(ours).toBe('refused');
        else expect(`${region}: ${ours}`).toBe(`${region}: ${bySdk(rules, region, isFips, isDualStack)}`);
      }
    },
  );

  test.each([
    'configs',
    'www.example.com',
    'a-b-c-123',
    'Old_Bucket',
    // The alias of an access point.
    'forms-abcdefghijklmnopqrstuvwx-s3alias',
    'directory--euc1-az1--x-s3',
    'outpost-abcdefghijklmnopqrstuvwx--op-s3',
    ...['arn:aws:s3:::configs', 'arn:aws:s3::111122223333:accesspoint/abc.mrap'],
    'arn:aws:s3-object-lambda:eu-west-1:111122223333:accesspoint/forms',
    'arn:aws:s3-outposts:eu-west-1:111122223333:outpost/op-1/accesspoint/forms',
    ...['arn:aws:s3:eu-west-1:111122223333:job/1', 'arn:aws:s3:eu-west-1:111122223333:accesspoint/a/b'],
    'arn:aws:s3:eu-west-1:111122223333:accesspoint/Forms.x',
    'arn:aws:s3:cn-north-1:111122223333:accesspoint/forms',
    'arn:aws:sns:eu-west-1:111122223333:topic',
    'arn:',
  ])('S3 is asked for %s where the SDK asks for it, or not at all', async (bucket) => {
    for (const region of regions) {
      const ask = (aws: Parameters<typeof createS3Client>[0]) =>
        createS3Client(aws, waiting)({ bucket, key: 'a', timeoutMs: 5_000 });
      const ours = await byRelay(ask, envOf(region, isFips, isDualStack));
      const sdk = bySdk(s3, region, isFips, isDualStack, { Bucket: bucket }).replace(/\/?( for|$)/, '/a$1');
      const isUnused = /^arn:|--(x|op)-s3$/.test(bucket);
      if (isUnused) expect(ours).toBe('refused');
      else expect(`${region}: ${ours}`).toBe(`${region}: ${sdk.replace(/^refused.*/, 'refused')}`);
    }
  });

  test('an access point is asked where it is, whatever region the environment names', async () => {
    for (const region of regions) {
      const [{ id = '' } = {}] = partitionsInfo.partitions.filter(
        ({ regionRegex }: { regionRegex: string }) => new RegExp(regionRegex).test(region),
      );
      for (const written of ['accesspoint/forms', 'accesspoint:forms']) {
        const bucket = `arn:${id || 'aws'}:s3:${region}:111122223333:${written}`;
        const ask = (aws: Parameters<typeof createS3Client>[0]) =>
          createS3Client(aws, waiting)({ bucket, key: 'a', timeoutMs: 5_000 });
        const ours = await byRelay(ask, envOf('eu-central-1', isFips, isDualStack));
        // The SDK wants a region of the same partition, the relay nothing: its credentials say who asks.
        const sdk = bySdk(s3, region, isFips, isDualStack, { Bucket: bucket });
        const expected = isFips && region.startsWith('cn-') ? 'refused' : sdk.replace(' for', 'a for');
        expect(ours).toBe(expected);
      }
    }
  });
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
  ['asked', { AWS_USE_FIPS_ENDPOINT: 'false', AWS_USE_DUALSTACK_ENDPOINT: '' }],
  ['AWS_USE_FIPS_ENDPOINT is neither true nor false', { AWS_USE_FIPS_ENDPOINT: 'yes' }],
  ['AWS_USE_DUALSTACK_ENDPOINT is neither true nor false', { AWS_USE_DUALSTACK_ENDPOINT: '1' }],
  [
    'AWS has no FIPS addresses in cn-north-1; unset AWS_USE_FIPS_ENDPOINT',
    { AWS_USE_FIPS_ENDPOINT: 'true', AWS_REGION: 'cn-north-1' },
  ],
  [
    '"fips-us-east-1" is no AWS region; set AWS_REGION=us-east-1 and AWS_USE_FIPS_ENDPOINT=true',
    { AWS_REGION: 'fips-us-east-1' },
  ],
  ['"aws-global" is not an AWS region', { AWS_REGION: 'aws-global' }],
  [
    "AWS_USE_FIPS_ENDPOINT chooses among AWS's own addresses; AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL gives another: unset one of them",
    { AWS_USE_FIPS_ENDPOINT: 'true', AWS_ENDPOINT_URL: 'http://127.0.0.1:9' },
  ],
  [
    'arn:aws:s3:eu-west-1:111122223333:accesspoint/forms is an access point of AWS, which AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL has none of; write the name of a bucket',
    { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' },
    'arn:aws:s3:eu-west-1:111122223333:accesspoint/forms',
  ],
  [
    'arn:aws:s3:::configs/webform.yaml cannot be used as a bucket: write its name alone, configs',
    {},
    'arn:aws:s3:::configs/webform.yaml',
  ],
  [
    'arn:aws:s3::111122223333:accesspoint/abc.mrap cannot be used as a bucket: multi-region access points want a signature that the relay does not make (SigV4A); write the ARN of an access point of one region, or a bucket',
    {},
    'arn:aws:s3::111122223333:accesspoint/abc.mrap',
  ],
])('it says: %s', async (said, env, bucket) => {
  expect(await says({ ...account, ...env }, bucket)).toBe(said);
});

const accountOf = (env: Readonly<Record<string, string>>) => awsAccount((name) => env[name]);

test.each([
  ['http://127.0.0.1:4566/', 'http://127.0.0.1:4566'],
  ['https://aws.example/a/b/', 'https://aws.example/a/b'],
  ['https://aws.example/a/b', 'https://aws.example/a/b'],
])('AWS_ENDPOINT_URL=%s is asked at %s', (url, address) => {
  expect(accountOf({ AWS_ENDPOINT_URL: url }).endpoint('S3')).toBe(address);
});

test.each([
  'xhttp://aws.example',
  'http://aws.example?a',
  'http://aws.example#a',
  'ftp://aws.example',
  'http:',
])('AWS_ENDPOINT_URL=%s is refused, and it says for which service', (url) => {
  const ask = () => accountOf({ AWS_ENDPOINT_URL_SSM: url }).endpoint('SSM');
  expect(ask).toThrow(
    expect.objectContaining({ code: 'aws_endpoint_malformed', params: { service: 'SSM' } }),
  );
});

test('credentials and a region of the environment are used as they are', async () => {
  const own = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };
  const used = { accessKeyId: 'id', secretAccessKey: 'key' };
  expect(await accountOf(own).credentials()).toEqual({ ...used, sessionToken: undefined });
  const temporary = accountOf({ ...own, AWS_SESSION_TOKEN: 'token' });
  expect(await temporary.credentials()).toEqual({ ...used, sessionToken: 'token' });
  const place = await accountOf({ ...own, AWS_DEFAULT_REGION: 'eu-west-1' }).place();
  expect(place).toEqual({ region: 'eu-west-1', isFips: false, isDualStack: false });
  // Only at its beginning and at its end the word stood for hosts.
  expect((await accountOf({ ...own, AWS_REGION: 'us-fips-1' }).place()).region).toBe('us-fips-1');
});

describe('a profile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-profile-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, 'config'),
    '[default]\nregion = us-east-1\nuse_dualstack_endpoint = true\n[profile forms]\nregion = us-west-2\nuse_fips_endpoint = true\n',
  );
  const fips = 'https://email-fips.us-west-2.amazonaws.com';

  test.each<[address: string, env: Record<string, string>]>([
    ['https://email.us-east-1.api.aws', {}],
    [fips, { AWS_PROFILE: 'forms' }],
    [fips.replace('-fips', ''), { AWS_PROFILE: 'forms', AWS_USE_FIPS_ENDPOINT: 'false' }],
    [fips.replace('us-west-2', 'eu-west-1'), { AWS_PROFILE: 'forms', AWS_REGION: 'eu-west-1' }],
    // As before: with a region and without a profile that is named, the files are not read.
    ['https://email.eu-west-1.amazonaws.com', { AWS_REGION: 'eu-west-1' }],
  ])('leads to %s with %j', async (address, env) => {
    vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'config'));
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere');
    onTestFinished(() => void vi.unstubAllEnvs());
    const mine = awsAccount((name) => env[name]);
    expect(serviceAddress(mine, 'SESV2', await mine.place())).toBe(address);
  });
});

test('a user without a home has no profiles', async () => {
  const library = '@smithy/shared-ini-file-loader';
  const loadSharedConfigFiles = vi.fn();
  vi.doMock(library, () => ({ loadSharedConfigFiles }));
  onTestFinished(() => vi.doUnmock(library));
  const place = () => accountOf({ AWS_PROFILE: 'forms', AWS_REGION: 'eu-west-1' }).place();
  loadSharedConfigFiles.mockRejectedValueOnce(
    Object.assign(new Error('uv_os_homedir returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' }),
  );
  expect(await place()).toEqual({ region: 'eu-west-1', isFips: false, isDualStack: false });
  loadSharedConfigFiles.mockRejectedValueOnce(Object.assign(new Error('denied'), { code: 'EACCES' }));
  await expect(place()).rejects.toThrow('denied');
});

test('credentials come from a profile, and where there are none it says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-credentials-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
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
  // Half of what it takes is none.
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
  async function asked(host: string, env: Readonly<Record<string, string>>) {
    const asked: string[] = [];
    const http: NodeHttp = async ({ url, headers }) => {
      const [, region] = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(headers.authorization ?? '') ?? [];
      asked.push(`${url.href} for ${region}`);
      return { status: 200, headers: {}, body: Buffer.from(answer), isCut: false };
    };
    const aws = { account: awsAccount((name) => ({ ...account, ...env })[name]), http, now: Date.now };
    await new SqsQueue(aws, `https://${host}/111122223333/kept`).attributes();
    return asked.join();
  }

  test('is asked at the host of its URL, for the region there, as the SDK has it', async () => {
    for (const [isFips, isDualStack] of switches) {
      for (const region of regions.filter((region) => !region.startsWith('us-moon'))) {
        const { host } = new URL(bySdk(services.SQS, region, isFips, isDualStack).split(' ')[0] ?? '');
        expect(await asked(host, {})).toBe(`https://${host}/ for ${region}`);
        // In China the SDK names FIPS hosts that are not there.
        if (isFips && !region.startsWith('cn-')) {
          expect(await asked(host, { AWS_USE_FIPS_ENDPOINT: 'true' })).toBe(`https://${host}/ for ${region}`);
        }
      }
    }
  });

  test.each([
    ['vpce-1.sqs.eu-west-1.vpce.amazonaws.com', 'eu-west-1'],
    ['vpce-1.sqs.eusc-de-east-1.vpce.amazonaws.eu', 'eusc-de-east-1'],
    // Of a time when the region stood elsewhere; and a stand-in.
    ['eu-west-1.queue.amazonaws.com', 'eu-central-1'],
    ['sqs.eu-west-1.amazonaws.com.evil.example', 'eu-central-1'],
    ['127.0.0.1:9324', 'eu-central-1'],
  ])('at %s is signed for %s', async (host, region) => {
    expect(await asked(host, { AWS_USE_DUALSTACK_ENDPOINT: 'true' })).toBe(`https://${host}/ for ${region}`);
  });

  test.each([
    ['sqs.us-east-1.amazonaws.com', 'sqs-fips.us-east-1.amazonaws.com'],
    ['sqs.us-gov-west-1.api.aws', 'sqs-fips.us-gov-west-1.api.aws'],
  ])('at %s is not asked where FIPS is wanted', async (host, fips) => {
    await expect(asked(host, { AWS_USE_FIPS_ENDPOINT: 'true' })).rejects.toThrow(
      `AWS_USE_FIPS_ENDPOINT wants a FIPS address, and ${host} is none; write ${fips}`,
    );
  });
});
