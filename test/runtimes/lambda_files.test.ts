/** Which files of dist/lambda a cold start and its first submission read. `npm test` builds them. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startHttpSink } from '../support/http_sink.ts';
import { apiGatewayEvent } from '../support/lambda_events.ts';

const entry = fileURLToPath(new URL('../../dist/lambda/lambda.cjs', import.meta.url));

const script = `
const { handler } = require(${JSON.stringify(entry)});
const [event] = process.argv.slice(1);
handler(JSON.parse(event), { awsRequestId: 'r', getRemainingTimeInMillis: () => 20000 }).then(() => {
  const read = Object.keys(require.cache).map((path) => path.split(/[/\\\\]/).at(-1));
  process.stdout.write(JSON.stringify(read));
});
`;

/** Nobody listens where the output sends to, if nothing else is said. */
async function filesReadFor(
  output: string,
  keys = '',
  url = 'http://127.0.0.1:1/',
): Promise<readonly string[]> {
  const config = `forms: {contact: {fields: [{name: name}, {name: email, type: email}], outputs: [{${output}, url: "${url}", mapping: "*", retries: 0}]${keys}}}`;
  const event = apiGatewayEvent({
    method: 'POST',
    target: '/api/v1/submit/contact',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from('name=Ada'),
  });
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, JSON.stringify(event)], {
    env: { PATH: process.env.PATH, CONFIG_INLINE: config, HOOK_SECRET: secret },
  });
  return JSON.parse(stdout);
}

test('what the first outputs need is read, and nothing for those that came later', async () => {
  const sink = await startHttpSink();
  onTestFinished(() => sink.close());
  expect(await filesReadFor('type: http_post', '', `${sink.origin}/`)).toEqual(['lambda.cjs', 'shared.cjs']);
  expect(await filesReadFor('type: http_post')).toEqual(['lambda.cjs', 'shared.cjs']);
  // Sealed links need it, and nothing else that a first submission does.
  const code = readFileSync(entry.replace('lambda.cjs', 'shared.cjs'), 'utf8');
  expect(code.includes('require("node:zlib")')).toBe(false);
  // And nothing that only those need who keep.
  const ofKeeping = ['ofStore', 'hostAfter', 'createTurns'].filter((name) =>
    code.includes(`function ${name}(`),
  );
  expect(ofKeeping).toEqual([]);
});

test('what writes PDFs is read where an output has some', async () => {
  expect(await filesReadFor('type: webhook, files: base64, pdf: true')).toContain('pdfkit.cjs');
  expect(await filesReadFor('type: webhook, files: base64')).not.toContain('pdfkit.cjs');
});

test('what signs is read where something is to be signed', async () => {
  const unsigned = await filesReadFor('type: webhook');
  expect(unsigned).toContain('webhook.cjs');
  expect(unsigned).not.toContain('webhook_signature.cjs');
  const signed = await filesReadFor(`type: webhook, sign: {secret: '{{ env "HOOK_SECRET" }}'}`);
  expect(signed).toContain('webhook_signature.cjs');
});

test('what writes to visitors is read where a form does, and what sends it when something was delivered', async () => {
  const mail = ', confirmation_mail: {to: email, subject: Hello, text: Hello, through: {type: email}}';
  const undelivered = await filesReadFor('type: http_post', mail);
  expect(undelivered).toContain('visitor_mail_keys.cjs');
  expect(undelivered).not.toContain('mailer.cjs');
  const sink = await startHttpSink();
  onTestFinished(() => sink.close());
  expect(await filesReadFor('type: http_post', mail, `${sink.origin}/`)).toContain('mailer.cjs');
});
