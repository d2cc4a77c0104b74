/** A function with a built config, which `relay config build` writes and S3 holds. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { account, startS3 } from '../aws/aws.ts';
import { httpSink } from '../spec/stage.ts';
import { apiGatewayEvent } from '../support/lambda_events.ts';
import { startLambda } from '../support/lambda_runtime.ts';

const run = promisify(execFile);

/** The command's result for a config. */
async function build(yaml: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-built-'));
  try {
    writeFileSync(join(folder, 'webform.yaml'), yaml);
    const words = [resolve('dist/relay.cjs'), 'config', 'build', '--out', 'built.yaml'];
    await run(process.execPath, words, { cwd: folder });
    return readFileSync(join(folder, 'built.yaml'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const form = (id: string, url: string) => `
  ${id}:
    title: Form ${id}
    fields: [{name: name, required: true}]
    outputs:
      - type: http_post
        url: ${url}
        headers: {Authorization: 'Bearer {{ env "CRM_TOKEN" }}'}
        mapping: "*"
`;
const config = (...forms: string[]) => `cache_ttl: 1ms\nforms:${forms.join('')}`;

/** A function whose config is in a bucket. */
async function functionWith(text: string) {
  const s3 = await startS3();
  const put = (other: string) => s3.put('webform.yaml', other);
  await put(text);
  const env = { ...account, CONFIG_BUCKET: 'configs', AWS_ENDPOINT_URL: s3.origin, CRM_TOKEN: 'of-the-crm' };
  const lambda = await startLambda({ env });
  onTestFinished(() => lambda.close());
  expect(await lambda.init).toBe('ready');
  const ask = async (method: string, target: string, body = '') => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const event = apiGatewayEvent({ method, target, headers, body: Buffer.from(body) });
    return (await lambda.invoke(event)).result;
  };
  const title = async (id: string) => {
    const { statusCode, body } = await ask('GET', `/api/v1/form/${id}?as=page`);
    return statusCode === 200 ? /<title>([^<]*)/.exec(body)?.[1] : statusCode;
  };
  const events = () =>
    lambda
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { put, ask, title, events };
}

test('it relays with variables of its own, knows no other form, and takes a new one from the bucket', async () => {
  const hook = await httpSink();
  const { put, ask, title, events } = await functionWith(
    await build(config(form('first', hook.origin), form('second', hook.origin))),
  );
  expect((await ask('POST', '/api/v1/submit/second', 'name=Ann')).statusCode).toBe(200);
  expect((await ask('POST', '/api/v1/submit/second', 'name=')).statusCode).toBe(422);
  expect(hook.requests).toMatchObject([
    { body: 'name=Ann', headers: { authorization: 'Bearer of-the-crm' } },
  ]);
  expect([await title('first'), await title('third')]).toEqual(['Form first', 404]);
  await put(await build(config(form('first', hook.origin), form('third', hook.origin))));
  expect([await title('third'), await title('second')]).toEqual(['Form third', 404]);
  expect(events().filter(({ event }) => event.startsWith('config_'))).toMatchObject([
    { event: 'config_loaded', forms: 2 },
    { event: 'config_loaded', forms: 2 },
  ]);
});

test('it reads the form that is asked for, and no other', async () => {
  const text = await build(
    config(form('first', 'https://example.com/'), form('second', 'https://example.com/')),
  );
  // Text that is no JSON, under a checksum that fits it.
  const [top = '', rest = ''] = text.split('\n# Its parts, for a function on AWS Lambda:\n');
  const [parts = '', end = ''] = rest.split('\n# The end');
  const broken = parts.replace('{"title":"Form second"', '!"title":"Form second"');
  expect(broken).not.toBe(parts);
  const sum = (of: string) => crc32(of).toString(16).padStart(8, '0');
  const { title } = await functionWith(
    `${top.replace(sum(parts), sum(broken))}\n# Its parts, for a function on AWS Lambda:\n${broken}\n# The end${end}`,
  );
  expect(await title('first')).toBe('Form first');
  await expect(title('second')).rejects.toThrow('JSON');
});

test.each([
  ['another version', (text: string) => text.replace(/build \d[^ ]*/, 'build 99.0.0'), 'Form first'],
  ['an edited YAML', (text: string) => text.replace('title: Form first', 'title: Edited'), 'Edited'],
  ['a tampered part', (text: string) => text.replace('"Form first"', '"Form worse"'), 'Form first'],
])('of %s the YAML is read, and the log warns', async (_, change, expected) => {
  const text = change(await build(config(form('first', 'https://example.com/'))));
  const { title, events } = await functionWith(text);
  expect(await title('first')).toBe(expected);
  expect(events().slice(0, 2)).toMatchObject([
    { level: 'warn', event: 'config_parts_unused', config: 's3://configs/webform.yaml' },
    { event: 'config_loaded', forms: 1 },
  ]);
});

test('what is cut off is no config, and the last good one goes on', async () => {
  const whole = await build(config(form('first', 'https://example.com/')));
  const { put, title, events } = await functionWith(whole);
  for (const length of [40, whole.indexOf('fields'), whole.indexOf('# Its parts'), whole.length - 5]) {
    await put(whole.slice(0, length));
    expect(await title('first')).toBe('Form first');
    expect(events().at(-1)).toMatchObject({
      event: 'config_unavailable',
      reason: expect.stringContaining('cut off'),
      serving: 'the last good config',
    });
  }
  await put(await build(config(form('first', 'https://example.com/').replace('Form', 'Whole'))));
  expect(await title('first')).toBe('Whole first');
});

test('a relay that is no function reads its YAML', async () => {
  const text = await build(config(form('first', 'https://example.com/')));
  const folder = mkdtempSync(join(tmpdir(), 'relay-built-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'webform.yaml'), text);
  const { stdout } = await run(process.execPath, [resolve('dist/relay.cjs'), 'form', 'list'], {
    cwd: folder,
  });
  expect(stdout).toBe('first\n');
});
