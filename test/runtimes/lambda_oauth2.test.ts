/** What an output with `oauth2` costs a function, and what it costs one without: nothing. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { clientId, clientSecret, startAuthorizationServer } from '../support/authorization_server.ts';
import { startHttpSink } from '../support/http_sink.ts';
import { apiGatewayEvent } from '../support/lambda_events.ts';
import { startLambda } from '../support/lambda_runtime.ts';

const configWith = (url: string, more: string) =>
  `forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "${url}", mapping: "*"${more}}]}}`;
const oauth2 = (tokenUrl: string) =>
  `, oauth2: {grant: client_credentials, token_url: "${tokenUrl}", client_id: '{{ env "ID" }}', client_secret: '{{ env "SECRET" }}'}`;
const env = { ID: clientId, SECRET: clientSecret };

test('a function asks for a token once, and then nothing runs any more', async () => {
  const server = await startAuthorizationServer();
  onTestFinished(server.close);
  const api = await startHttpSink({
    answer: (request) => ({ status: server.isAuthorized(request) ? 200 : 401 }),
  });
  onTestFinished(api.close);
  const { invoke, close, log } = await startLambda({
    env: { ...env, CONFIG_INLINE: configWith(api.origin, oauth2(server.tokenUrl)) },
  });
  onTestFinished(close);
  const submission = apiGatewayEvent({
    method: 'POST',
    target: '/api/v1/submit/contact',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from('name=Ada'),
  });
  const first = await invoke(submission);
  expect([first.result.statusCode, log()]).toEqual([200, expect.stringContaining('"submission"')]);
  expect(first.left.filter((resource) => !/^(TCPSocketWrap|PipeWrap|Immediate)$/.test(resource))).toEqual([]);
  expect((await invoke(submission)).result.statusCode).toBe(200);
  expect([server.tokens.length, api.requests.length]).toEqual([1, 2]);
});

/** The files that a function has read when it is made. */
function filesOf(config: string): readonly string[] {
  const lambda = fileURLToPath(new URL('../../dist/lambda/lambda.cjs', import.meta.url));
  const script = `require(${JSON.stringify(lambda)}).then(() => console.log(JSON.stringify(Object.keys(require.cache))))`;
  const out = execFileSync(process.execPath, ['-e', script], {
    env: { ...env, CONFIG_INLINE: config },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(out.toString());
}

test('a cold start reads the keys where a config has them, and the rest when a token is needed', () => {
  const url = 'http://127.0.0.1:9/';
  const extra = (config: string) =>
    filesOf(config)
      .map((path) => path.replace(/.*\//, ''))
      .filter((name) => /oauth2|token/.test(name));
  expect(extra(configWith(url, ''))).toEqual([]);
  expect(extra(configWith(url, oauth2(url)))).toEqual(['oauth2.cjs']);
  const smtp = (more: string) =>
    `forms: {contact: {fields: [{name: name}], outputs: [{type: smtp, host: localhost, username: a, to: a@b.example, mapping: "*"${more}}]}}`;
  expect(extra(smtp(', password: b'))).toEqual([]);
  expect(extra(smtp(`, auth: oauth2${oauth2(url)}`))).toEqual(['oauth2.cjs']);
});
