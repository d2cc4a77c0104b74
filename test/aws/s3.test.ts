import { describe, expect, test, vi } from 'vitest';
import { awsAccount } from '../../packages/relay/src/transports/aws/account.ts';
import { createS3Client } from '../../packages/relay/src/transports/aws/s3_request.ts';
import type { NodeHttp } from '../../packages/relay/src/transports/http/node_client.ts';
import { httpSink, relayWith } from '../spec/stage.ts';
import type { SinkAnswer } from '../support/http_sink.ts';
import type { TestRelay } from '../support/relay.ts';
import { account, startS3 } from './aws.ts';

const waiting = { sleep: async () => {}, random: Math.random };
const forms = (...names: string[]) =>
  `forms: {${names.map((name) => `${JSON.stringify(name)}: {fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}`)}}`;

const bucket = { ...account, CONFIG_BUCKET: 'configs' };

/** Whether a form is there. */
const has = async (relay: TestRelay, form: string) =>
  (await relay.get(`/api/v1/form/${encodeURIComponent(form)}`)).status === 200;

const eventsOf = ({ logged }: TestRelay) => logged.map(({ event }) => event);

describe('s3rver', () => {
  test('gives the config at webform.yaml', async () => {
    const s3 = await startS3();
    await s3.put('webform.yaml', forms('contact'));
    const relay = await relayWith({ env: { ...bucket, AWS_ENDPOINT_URL_S3: s3.origin } });
    expect(await has(relay, 'contact')).toBe(true);
    expect(s3.answered).toEqual(['200 /configs/webform.yaml']);
    expect(relay.logged[0]).toMatchObject({ event: 'config_loaded', config: 's3://configs/webform.yaml' });
  });

  test.each([
    'forms/live.yaml',
    'a b+c&d=e/ü€😀.yaml',
    "it's (new)!*.yaml",
    '100%.yaml',
    'q?x#y.yaml',
    '~tilde_-.yaml',
  ])('finds the key %s', async (key) => {
    const s3 = await startS3();
    await s3.put(key, forms('contact'));
    const env = { ...bucket, CONFIG_KEY: key, AWS_ENDPOINT_URL: `${s3.origin}/` };
    const relay = await relayWith({ env });
    // Each request asks again while there is no config, as after a time limit on a busy machine.
    await vi.waitFor(
      async () =>
        expect({ isThere: await has(relay, 'contact'), log: relay.logged }).toMatchObject({ isThere: true }),
      20_000,
    );
  });

  test.each(['../configs/webform.yaml', 'live/../webform.yaml', './webform.yaml', '..'])(
    'reads no other object for the key %s',
    async (key) => {
      const s3 = await startS3();
      await s3.put('webform.yaml', forms('contact'));
      const relay = await relayWith({ env: { ...bucket, CONFIG_KEY: key, AWS_ENDPOINT_URL: s3.origin } });
      expect(await has(relay, 'contact')).toBe(false);
      expect(s3.answered).toEqual([]);
      expect(relay.logged[0]).toMatchObject({
        event: 'config_unavailable',
        reason: `CONFIG_KEY is "${key}": a URL cannot hold "." or ".." between slashes`,
      });
    },
  );

  test('keeps every character of the config', async () => {
    const s3 = await startS3();
    await s3.put('webform.yaml', forms('Grüße 😀'));
    const relay = await relayWith({ env: { ...bucket, AWS_ENDPOINT_URL: s3.origin } });
    expect(await has(relay, 'Grüße 😀')).toBe(true);
  });

  test('an unchanged config is neither sent nor parsed again, a changed one serves', async () => {
    const s3 = await startS3();
    await s3.put('webform.yaml', forms('first'));
    const relay = await relayWith({ env: { ...bucket, AWS_ENDPOINT_URL: s3.origin } });
    await has(relay, 'first');
    relay.advance(29_000);
    await has(relay, 'first');
    expect(s3.answered).toEqual(['200 /configs/webform.yaml']);
    relay.advance(2_000);
    await has(relay, 'first');
    expect(s3.answered.slice(1)).toEqual(['304 /configs/webform.yaml']);
    expect(eventsOf(relay)).toEqual(['config_loaded']);

    await s3.put('webform.yaml', forms('second'));
    relay.advance(31_000);
    expect(await has(relay, 'second')).toBe(true);
    expect(eventsOf(relay)).toEqual(['config_loaded', 'config_loaded']);
  });

  test('an object that disappears leaves the last good config', async () => {
    const s3 = await startS3();
    await s3.put('webform.yaml', forms('contact'));
    const relay = await relayWith({ env: { ...bucket, AWS_ENDPOINT_URL: s3.origin } });
    await has(relay, 'contact');
    await fetch(`${s3.origin}/configs/webform.yaml`, { method: 'DELETE' });
    relay.advance(31_000);
    expect(await has(relay, 'contact')).toBe(true);
    expect(relay.logged.at(-1)).toMatchObject({
      event: 'config_unavailable',
      reason: expect.stringContaining('NoSuchKey'),
      serving: 'the last good config',
    });
  });

  test('an object that turns bad leaves the last good config, and a repaired one serves', async () => {
    const s3 = await startS3();
    await s3.put('webform.yaml', forms('contact'));
    const relay = await relayWith({ env: { ...bucket, AWS_ENDPOINT_URL: s3.origin } });
    await has(relay, 'contact');
    await s3.put('webform.yaml', 'forms: 3');
    relay.advance(31_000);
    expect(await has(relay, 'contact')).toBe(true);
    relay.advance(31_000);
    expect(await has(relay, 'contact')).toBe(true);
    await s3.put('webform.yaml', forms('repaired'));
    relay.advance(31_000);
    expect(await has(relay, 'repaired')).toBe(true);
  });

  test('a first load that failed is tried again by the next request', async () => {
    const s3 = await startS3();
    const relay = await relayWith({ env: { ...bucket, AWS_ENDPOINT_URL: s3.origin } });
    expect((await relay.get('/api/v1/form/contact')).status).toBe(500);
    await s3.put('webform.yaml', forms('contact'));
    expect(await has(relay, 'contact')).toBe(true);
  });

  test.each([
    ['a missing bucket', { CONFIG_BUCKET: 'nothing' }, 'there is no bucket "nothing" (NoSuchBucket)'],
    [
      'a missing key',
      { CONFIG_KEY: 'nothing.yaml' },
      'there is no object "nothing.yaml" in the bucket (NoSuchKey); CONFIG_KEY says which to read',
    ],
    [
      'an unknown account',
      { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE' },
      expect.stringContaining('check AWS_ACCESS_KEY_ID'),
    ],
    ['no region', { AWS_REGION: '', AWS_CONFIG_FILE: '/nowhere' }, 'no AWS region: set AWS_REGION'],
    ['a region that is none', { AWS_REGION: 'evil.example/' }, '"evil.example/" is not an AWS region'],
    [
      'an endpoint that is none',
      { AWS_ENDPOINT_URL_S3: 'localhost:9000' },
      'AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL is not the URL of a service, such as https://minio.example.com:9000',
    ],
  ])('%s is named in the log', async (_, env, reason) => {
    const s3 = await startS3();
    const relay = await relayWith({ env: { ...bucket, AWS_ENDPOINT_URL: s3.origin, ...env } });
    expect((await relay.get('/api/v1/form/contact')).status).toBe(500);
    expect(relay.logged[0]).toMatchObject({ event: 'config_unavailable', reason, serving: 'nothing' });
  });

  test.each([{ AWS_REGION: '', AWS_DEFAULT_REGION: 'us-west-2' }, { AWS_REGION: 'us-west-2' }])(
    'the region is %j',
    async (env) => {
      const sink = await httpSink({ answer: () => ({ body: forms('contact') }) });
      const relay = await relayWith({ env: { ...bucket, AWS_ENDPOINT_URL: sink.origin, ...env } });
      expect(await has(relay, 'contact')).toBe(true);
      expect(sink.requests[0]?.headers.authorization).toContain('/us-west-2/s3/aws4_request');
    },
  );
});

test('the config, and what is beside it, may lie in another region than all else', async () => {
  const s3 = await startS3();
  const ses = await httpSink({ answer: () => ({ body: '{"MessageId":"1"}' }) });
  const output = '{type: email, to: a@example.com, mapping: "*"}';
  await s3.put(
    'webform.yaml',
    `forms: {contact: {fields: [{name: a}], spam: {doubt: {tag: 3}, signals: {blocklist: {words: words.txt}}}, outputs: [${output}]}}`,
  );
  await s3.put('words.txt', 'damn\n');
  const env = {
    ...bucket,
    CONFIG_BUCKET_REGION: 'us-west-2',
    MAIL_FROM_ADDRESS: 'forms@example.com',
    AWS_ENDPOINT_URL_S3: s3.origin,
    AWS_ENDPOINT_URL_SESV2: ses.origin,
  };
  const relay = await relayWith({ env });
  expect((await relay.submit('contact', 'a=1')).status).toBe(200);
  expect(s3.answered).toEqual(['200 /configs/webform.yaml', '200 /configs/words.txt']);
  expect(s3.signedFor).toEqual(['S3RVER us-west-2', 'S3RVER us-west-2']);
  expect(ses.requests[0]?.headers.authorization).toContain('/eu-central-1/ses/');
});

test('a region that is none stops the start', async () => {
  await expect(relayWith({ env: { ...bucket, CONFIG_BUCKET_REGION: 'EU (Ireland)' } })).rejects.toThrow(
    'CONFIG_BUCKET_REGION: expected a region such as eu-central-1',
  );
});

describe('an S3 of our own making', () => {
  const xml = (code: string, more = '') =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>m</Message>${more}</Error>`;

  test.each<[what: string, answer: SinkAnswer, reason: string]>([
    [
      'access denied',
      { status: 403, body: xml('AccessDenied') },
      'access denied (AccessDenied): the role needs s3:GetObject; without s3:ListBucket a missing key looks the same, and so may credentials that have expired',
    ],
    [
      'another region, by header',
      { status: 301, headers: { 'x-amz-bucket-region': 'eu-west-1' }, body: xml('PermanentRedirect') },
      'the bucket is in another region; set CONFIG_BUCKET_REGION=eu-west-1',
    ],
    [
      'another region, by text',
      { status: 400, body: xml('AuthorizationHeaderMalformed', '<Region>eu-west-1</Region>') },
      'the bucket is in another region; set CONFIG_BUCKET_REGION=eu-west-1',
    ],
    [
      'another region, which nobody names',
      { status: 301, headers: { 'x-amz-bucket-region': 'not a region' }, body: xml('PermanentRedirect') },
      'the bucket is in another region; set CONFIG_BUCKET_REGION',
    ],
    [
      'a wrong secret',
      { status: 403, body: xml('SignatureDoesNotMatch') },
      'the secret key does not belong to the access key (SignatureDoesNotMatch); check AWS_SECRET_ACCESS_KEY',
    ],
    [
      'an expired token',
      { status: 400, body: xml('ExpiredToken') },
      'the credentials have expired (ExpiredToken)',
    ],
    ['no XML', { status: 418, body: 'teapot' }, 'S3 answered 418'],
    ['not modified, at first', { status: 304 }, 'S3 answered "not modified" to a first read'],
    ['an outage', { status: 503, body: xml('SlowDown') }, 'S3 answered 503 (SlowDown)'],
  ])('%s is named in the log', async (_, answer, reason) => {
    const sink = await httpSink({ answer: () => answer });
    const relay = await relayWith({ env: { ...bucket, AWS_ENDPOINT_URL: sink.origin } });
    expect((await relay.get('/api/v1/form/contact')).status).toBe(500);
    expect(relay.logged[0]).toMatchObject({ event: 'config_unavailable', reason });
  });

  test('"later" is tried again', async () => {
    const sink = await httpSink({
      answer: () => (sink.requests.length < 3 ? { status: 503 } : { body: forms('contact') }),
    });
    const relay = await relayWith({ env: { ...bucket, AWS_ENDPOINT_URL: sink.origin } });
    expect(await has(relay, 'contact')).toBe(true);
    expect(sink.requests).toHaveLength(3);
  });

  test('a session token is signed and sent', async () => {
    const sink = await httpSink({ answer: () => ({ body: forms('contact') }) });
    const env = { ...bucket, AWS_ENDPOINT_URL: sink.origin, AWS_SESSION_TOKEN: 'a-token' };
    await has(await relayWith({ env }), 'contact');
    expect(sink.requests[0]?.headers).toMatchObject({
      'x-amz-security-token': 'a-token',
      authorization: expect.stringContaining('x-amz-security-token'),
    });
  });

  test('the endpoint of the service wins over that of all, and keeps its path', async () => {
    const sink = await httpSink({ answer: () => ({ body: forms('contact') }) });
    const env = { AWS_ENDPOINT_URL: 'http://127.0.0.1:9', AWS_ENDPOINT_URL_S3: `${sink.origin}/s3/` };
    await has(await relayWith({ env: { ...bucket, ...env } }), 'contact');
    expect(sink.requests[0]?.url).toBe('/s3/configs/webform.yaml');
  });

  test('an object over 16 MB is not read to its end', async () => {
    const sink = await httpSink({ answer: () => ({ body: '#'.repeat(2 ** 24 + 1) }) });
    const relay = await relayWith({ env: { ...bucket, AWS_ENDPOINT_URL: sink.origin } });
    expect((await relay.get('/readyz')).status).toBe(503);
    expect(relay.logged).toEqual([expect.objectContaining({ reason: 'the object is over 16 MB' })]);
  });

  test('one read at a time, however many requests wait', async () => {
    const sink = await httpSink({ answer: () => ({ body: forms('contact') }) });
    const relay = await relayWith({ env: { ...bucket, AWS_ENDPOINT_URL: sink.origin } });
    await Promise.all(Array.from({ length: 20 }, () => has(relay, 'contact')));
    expect(sink.requests).toHaveLength(1);
  });
});

describe('the address at AWS itself', () => {
  test.each([
    ['configs', 'webform.yaml', 'eu-central-1', 'https://configs.s3.eu-central-1.amazonaws.com/webform.yaml'],
    ['configs', 'a//b.yaml', 'cn-north-1', 'https://configs.s3.cn-north-1.amazonaws.com.cn/a//b.yaml'],
    [
      'configs',
      'ü/(1)!.yaml',
      'us-east-1',
      'https://configs.s3.us-east-1.amazonaws.com/%C3%BC/%281%29%21.yaml',
    ],
    // No certificate covers it as a part of the host.
    ['www.example.com', 'a.yaml', 'us-east-1', 'https://s3.us-east-1.amazonaws.com/www.example.com/a.yaml'],
    ['Old_Bucket', 'a.yaml', 'us-east-1', 'https://s3.us-east-1.amazonaws.com/Old_Bucket/a.yaml'],
    ['evil.example/', 'a.yaml', 'us-east-1', 'https://s3.us-east-1.amazonaws.com/evil.example%2F/a.yaml'],
  ])('of the bucket %s and the key %s in %s is %s', async (bucket, key, region, address) => {
    const asked: string[] = [];
    const http: NodeHttp = async ({ url }) => {
      asked.push(url.href);
      return { status: 304, headers: {}, body: Buffer.alloc(0), isCut: false };
    };
    const env: Readonly<Record<string, string>> = { ...account, AWS_REGION: region };
    const read = createS3Client({ account: awsAccount((name) => env[name]), http, now: Date.now }, waiting);
    await read({ bucket, key, timeoutMs: 1_000 });
    expect(asked).toEqual([address]);
  });
});

test('credentials that cannot be found in time are as bad as no answer', async () => {
  const chain = {
    ...awsAccount((name) => (name === 'AWS_REGION' ? 'eu-central-1' : undefined)),
    credentials: () => new Promise<never>(() => {}),
  };
  const http: NodeHttp = () => Promise.reject(new Error('nothing is sent'));
  const read = createS3Client({ account: chain, http, now: Date.now }, waiting);
  await expect(read({ bucket: 'configs', key: 'a.yaml', timeoutMs: 50 })).rejects.toThrow(
    'no complete answer within 50 ms',
  );
});

test('an archive in another region is told how it can be reached', async () => {
  const answer = {
    status: 301,
    headers: { 'x-amz-bucket-region': 'eu-west-1' },
    body: '<Error><Code>PermanentRedirect</Code></Error>',
  };
  const sink = await httpSink({ answer: () => answer });
  const relay = await relayWith({
    config: 'forms: {contact: {fields: [{name: a}], outputs: [{type: s3, bucket: archive, mapping: "*"}]}}',
    env: { ...account, AWS_ENDPOINT_URL_S3: sink.origin },
  });
  expect((await relay.submit('contact', 'a=1')).status).toBe(500);
  expect(
    relay.logged.find(({ event }) => event === 'output_failed' || event === 'delivery_failed'),
  ).toMatchObject({
    reason:
      'the bucket is in another region; set AWS_REGION=eu-west-1',
  });
});
