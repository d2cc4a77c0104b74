/** API Gateway passes less data to a function than other runtimes accept, and forms say so. */
import { apiGatewayEvent } from '../../../test/support/lambda_events.ts';
import { multipartType, upload } from '../../../test/support/uploads.ts';
import { startLambda } from '../src/lambda/handler.ts';

const config = `forms: {contact: {fields: [{name: name}, {name: cv, type: file, accept: [text/plain], max_size: 8MB}], outputs: [{type: http_post, url: "http://127.0.0.1:1/", mapping: "*", on_error: continue, retries: 0}]}}`;

test('a function accepts 4.4 MB, because events are base64, and says so', async () => {
  vi.stubEnv('CONFIG_INLINE', config);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { handler, isReady } = startLambda();
  await isReady;
  const ask = (method: string, target: string, body = Buffer.alloc(0)) =>
    handler(apiGatewayEvent({ method, target, headers: { 'content-type': multipartType }, body }), {
      getRemainingTimeInMillis: () => 20_000,
    });
  expect((await ask('GET', '/api/v1/form/contact')).body).toContain('Up to 4.4 MB');
  const submitted = await Promise.all(
    [4_600_000, 4_700_000].map((bytes) => ask('POST', '/api/v1/submit/contact', upload(bytes))),
  );
  expect(submitted.map(({ statusCode, body }) => [statusCode, JSON.parse(body)])).toEqual([
    [200, { message: 'ok' }],
    [400, { error: 'the body is over 4.4 MB' }],
  ]);
});
