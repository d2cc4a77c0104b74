import { gzipSync } from 'node:zlib';
import { httpSink, relayWith, type TestRelay } from '../../../../test/support/index.ts';
import { account, startS3 } from './aws.ts';

const forms = (...names: string[]) =>
  `forms: {${names.map((name) => `${JSON.stringify(name)}: {fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}`)}}`;

const bucket = { ...account, CONFIG_BUCKET: 'configs' };

/** Whether the relay has a form. */
const has = async (relay: TestRelay, form: string) =>
  (await relay.get(`/api/v1/form/${encodeURIComponent(form)}`)).status === 200;

describe('s3rver', () => {
  test.each([
    ...['forms/live.yaml', 'a b+c&d=e/ü€😀.yaml', "it's (new)!*.yaml", '100%.yaml', 'q?x#y.yaml'],
    ...['~tilde_-.yaml'],
  ])('finds the key %s', async (key) => {
    const s3 = await startS3();
    await s3.put(key, forms('contact'));
    const env = { ...bucket, CONFIG_KEY: key, AWS_ENDPOINT_URL: `${s3.origin}/` };
    const relay = await relayWith({ env });
    // Without a config, each request asks again, as after a timeout on a busy machine.
    await expect
      .poll(async () => ({ isThere: await has(relay, 'contact'), log: relay.logged }))
      .toMatchObject({ isThere: true });
  });

  test.each(['../configs/webform.yaml', 'live/../webform.yaml', './webform.yaml', '..'])(
    'does not read another object for the key %s',
    async (key) => {
      const s3 = await startS3();
      await s3.put('webform.yaml', forms('contact'));
      const relay = await relayWith({ env: { ...bucket, CONFIG_KEY: key, AWS_ENDPOINT_URL: s3.origin } });
      expect(await has(relay, 'contact')).toBe(false);
      expect(s3.answered).toEqual([]);
      expect(relay.logged[0]).toMatchObject({
        event: 'config_unavailable',
        reason: `CONFIG_KEY is "${key}": a URL cannot have "." or ".." between slashes`,
      });
    },
  );

  test('a compressed object is not accepted as a config', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const sink = await httpSink({ answer: () => ({ headers, body: gzipSync(forms('contact')) }) });
    const relay = await relayWith({ env: { ...bucket, AWS_ENDPOINT_URL_S3: sink.origin } });
    expect(await has(relay, 'contact')).toBe(false);
    expect(relay.logged[0]?.reason).toMatch(/Content-Encoding gzip/);
  });

  test('an object that disappears leaves the last good config', async () => {
    const s3 = await startS3();
    await s3.put('webform.yaml', forms('contact'));
    const relay = await relayWith({ env: { ...bucket, AWS_ENDPOINT_URL: s3.origin } });
    await expect.poll(() => has(relay, 'contact')).toBe(true);
    await fetch(`${s3.origin}/configs/webform.yaml`, { method: 'DELETE' });
    relay.advance(31_000);
    expect(await has(relay, 'contact')).toBe(true);
    await expect
      .poll(() => relay.logged.at(-1))
      .toMatchObject({
        event: 'config_unavailable',
        reason: expect.stringContaining('NoSuchKey'),
        serving: 'the last good config',
      });
  });

  test.each([
    ['a missing bucket', { CONFIG_BUCKET: 'nothing' }, 'there is no bucket "nothing" (NoSuchBucket)'],
    [
      'a missing key',
      { CONFIG_KEY: 'nothing.yaml' },
      'there is no object "nothing.yaml" in the bucket (NoSuchKey); correct CONFIG_KEY',
    ],
    ['an unknown account', { AWS_ACCESS_KEY_ID: 'AKID' }, expect.stringContaining('check AWS_ACCESS_KEY_ID')],
    ['no region', { AWS_REGION: '', AWS_CONFIG_FILE: '/nowhere' }, 'no AWS region: set AWS_REGION'],
    ['a region that is none', { AWS_REGION: 'evil.example/' }, '"evil.example/" is not an AWS region'],
    [
      'an endpoint that is none',
      { AWS_ENDPOINT_URL_S3: 'localhost:9000' },
      'AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL is not the URL of a service, such as https://minio.example.com:9000',
    ],
  ])('%s is reported in the log', async (_, env, reason) => {
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

test('the config and its sibling files may be in a different region than everything else', async () => {
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

test('the error for an archive in another region says how to reach it', async () => {
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
  ).toMatchObject({ reason: 'the bucket is in another region; set AWS_REGION=eu-west-1' });
});
