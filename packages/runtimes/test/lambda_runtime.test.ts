/** The bundle that is uploaded, in its own process, called as Lambda calls it. */
import { httpSink, smtpSink, untilEnd } from '../../../test/support/index.ts';
import { apiGatewayEvent, functionUrlEvent } from '../../../test/support/lambda_events.ts';
import { type LambdaOptions, startLambda } from '../../../test/support/lambda_runtime.ts';
import { startS3, startSes } from '../../clients/test/aws/aws.ts';

const lambda = (options: LambdaOptions) => untilEnd(startLambda(options));

/** A submission to a form. */
const submission = (body: string, form = 'contact') =>
  apiGatewayEvent({
    method: 'POST',
    target: `/api/v1/submit/${form}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(body),
  });

const page = functionUrlEvent({ method: 'GET', target: '/api/v1/form/contact' });

const form = (outputs: string) => `{fields: [{name: name}], outputs: [${outputs}]}`;
const post = (url: string, more = '') => `{type: http_post, url: "${url}", mapping: "*"${more}}`;
const contact = (...outputs: string[]) => `forms: {contact: ${form(outputs.join())}}`;

const aws = (origin: string) => ({
  CONFIG_BUCKET: 'configs',
  AWS_ENDPOINT_URL: origin,
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'S3RVER',
  AWS_SECRET_ACCESS_KEY: 'S3RVER',
});

test.each(['require', 'import'] as const)('the config is loaded before any request (%s)', async (way) => {
  const s3 = await startS3();
  await s3.put('webform.yaml', contact(post('http://127.0.0.1:9/')));
  const { init, invoke } = await lambda({ env: aws(s3.origin), way });
  expect(await init).toBe('ready');
  expect(s3.answered).toEqual(['200 /configs/webform.yaml']);
  expect((await invoke(page)).result.statusCode).toBe(200);
  expect(s3.answered).toHaveLength(1);
});

test('a config that failed to load is loaded again by the first request', async () => {
  const s3 = await startS3();
  const { init, invoke, log } = await lambda({ env: aws(s3.origin) });
  expect(await init).toBe('ready');
  expect((await invoke(page)).result.statusCode).toBe(500);
  await s3.put('webform.yaml', contact(post('http://127.0.0.1:9/')));
  await expect.poll(async () => (await invoke(page)).result.statusCode).toBe(200);
  expect(log()).toContain('NoSuchKey');
});

test('a malformed variable fails the init, and the log names it', async () => {
  const { init, log } = await lambda({ env: { CONFIG_INLINE: 'forms: {}', CACHE_TTL: '30' } });
  expect(await init).toMatchObject({
    errorType: 'SettingError',
    errorMessage: expect.stringContaining('CACHE_TTL'),
  });
  expect(JSON.parse(log().split('\n')[0] ?? '')).toMatchObject({
    level: 'error',
    event: 'start_failed',
    reason: expect.stringContaining('CACHE_TTL'),
  });
});

test('every kind of output delivers, and nothing keeps running', async () => {
  const hook = await httpSink();
  const ses = await startSes();
  const smtp = await smtpSink();
  const config = contact(
    post(`${hook.origin}/`),
    '{type: email, to: office@example.com, mapping: "*"}',
    `{type: smtp, host: 127.0.0.1, port: ${smtp.port}, to: office@example.com, mapping: "*"}`,
  );
  const { invoke, log } = await lambda({
    env: { ...aws(ses.origin), CONFIG_INLINE: config, MAIL_FROM_ADDRESS: 'forms@example.com' },
  });
  const { result, left } = await invoke(submission('name=%C3%84nn'));
  expect(result).toMatchObject({ statusCode: 200, body: '{"message":"ok"}' });
  expect(hook.requests.map(({ body }) => body)).toEqual(['name=%C3%84nn']);
  expect(await ses.mails()).toMatchObject([{ body: { text: 'name=Änn\n' } }]);
  expect(smtp.mails).toHaveLength(1);
  // Idle connections may be left, and an Immediate that sees the log written, but no timers and the like.
  expect(left.filter((resource) => !/^(TCPSocketWrap|PipeWrap|Immediate)$/.test(resource))).toEqual([]);
  expect(
    log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event),
  ).toEqual(['config_loaded', 'submission']);
});

describe('a function that is frozen between requests', () => {
  test('reuses connections that are still open', async () => {
    const hook = await httpSink();
    const { invoke, frozen } = await lambda({ env: { CONFIG_INLINE: contact(post(hook.origin)) } });
    await invoke(submission('name=first'));
    await frozen(() => undefined);
    expect((await invoke(submission('name=second'))).result.statusCode).toBe(200);
    expect([hook.requests.length, hook.connections]).toEqual([2, 1]);
  });

  test('does not send on connections that were closed meanwhile', async () => {
    const hook = await httpSink();
    const { invoke, frozen } = await lambda({ env: { CONFIG_INLINE: contact(post(hook.origin)) } });
    for (const name of ['first', 'second', 'third', 'fourth']) {
      expect((await invoke(submission(`name=${name}`))).result.statusCode).toBe(200);
      await frozen(hook.closeIdle);
    }
    expect([hook.requests.length, hook.connections]).toEqual([4, 4]);
  });
});

test('the answer comes before Lambda’s deadline, whatever an output does', async () => {
  const hook = await httpSink({ answer: () => new Promise(() => {}) });
  const { invoke, log } = await lambda({
    env: { CONFIG_INLINE: contact(post(hook.origin, ', timeout: 25s')) },
  });
  const { result, ms, left } = await invoke(submission('name=Ann'), 2_500);
  expect(result.statusCode).toBe(500);
  expect(ms).toBeLessThan(2_500);
  expect(left).not.toContain('Timeout');
  // A second is reserved for the answer.
  const [, withinMs] = /no complete response within (\d+) ms/.exec(log()) ?? [];
  expect(Number(withinMs)).toBeLessThanOrEqual(1_500);
});

test('`sam local` is supported, although it passes header names and bodies as sent', async () => {
  const hook = await httpSink();
  const { invoke } = await lambda({ env: { CONFIG_INLINE: contact(post(hook.origin)) } });
  const event = {
    ...page,
    rawPath: '/api/v1/submit/contact',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Hx-Request': 'true' },
    requestContext: { stage: '$default', http: { method: 'POST' } },
    body: 'name=%C3%84nn',
    isBase64Encoded: false,
  };
  expect((await invoke(event)).result).toMatchObject({
    statusCode: 200,
    body: expect.stringContaining('form-confirmation'),
  });
  expect(hook.requests.map(({ body }) => body)).toEqual(['name=%C3%84nn']);
});

test('500 forms fit into 128 MB, even while a changed config is loaded', async () => {
  const s3 = await startS3();
  const spare = `
    title: Write to us
    spam: {honeypot: website}
    fields:
      - {name: name, required: true, label: Your name, max_length: 200}
      - {name: email, type: email, required: true, label: Your e-mail address}
      - {name: topics, type: checkboxes, options: [sales, support, press], label: What is it about?}
      - {name: message, type: textarea, required: true, rows: 8}
    outputs:
      - {type: email, to: office@example.com, reply_to: "{{ .fields.email }}", mapping: "*"}
      - type: http_post
        url: https://crm.example.com/leads
        headers: {Authorization: 'Bearer {{ env "CRM_TOKEN" }}'}
        mapping: {full_name: name, mail: email, interest: topics}
        static: {source: website, form: "{{ .form.id }}"}
`;
  const put = (last: string) => {
    const forms = [...Array.from({ length: 499 }, (_, n) => `form${n}`), last];
    return s3.put(
      'webform.yaml',
      `cache_ttl: 1ms\nforms:\n${forms.map((id) => `  ${id}:${spare}`).join('')}`,
    );
  };
  await put('first');
  const { init, invoke } = await lambda({ env: aws(s3.origin) });
  await init;
  const show = (form: string) => invoke(functionUrlEvent({ method: 'GET', target: `/api/v1/form/${form}` }));
  for (const form of ['first', 'second', 'third']) {
    await put(form);
    // On a busy machine a request may be answered before the config has loaded.
    await expect
      .poll(async () => {
        const { result, peakMb } = await show(form);
        expect(peakMb).toBeLessThan(128);
        return result.statusCode;
      })
      .toBe(200);
  }
});

test('a language that the config names is read from next to the function, before the first request', async () => {
  const config = `language: de\n${contact(post('http://127.0.0.1:9/'))}`;
  const { init, invoke } = await lambda({ env: { CONFIG_INLINE: config } });
  expect(await init).toBe('ready');
  const { body } = (await invoke(page)).result;
  expect(body).toContain('lang="de" dir="ltr"');
  expect(body).toContain('>Senden</button>');
});
