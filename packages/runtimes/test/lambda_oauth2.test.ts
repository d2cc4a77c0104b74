/** The cost of `oauth2` to a function, and to one without: nothing. */

import { expect, onTestFinished, test } from 'vitest';
import { httpSink } from '../../../test/spec/stage.ts';
import {
  clientId,
  clientSecret,
  startAuthorizationServer,
} from '../../../test/support/authorization_server.ts';
import { apiGatewayEvent } from '../../../test/support/lambda_events.ts';
import { startLambda } from '../../../test/support/lambda_runtime.ts';

const configWith = (url: string, more: string) =>
  `forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "${url}", mapping: "*"${more}}]}}`;
const oauth2 = (tokenUrl: string) =>
  `, oauth2: {grant: client_credentials, token_url: "${tokenUrl}", client_id: '{{ env "ID" }}', client_secret: '{{ env "SECRET" }}'}`;
const env = { ID: clientId, SECRET: clientSecret };

test('a function asks for a token once, and then nothing runs any more', async () => {
  const server = await startAuthorizationServer();
  onTestFinished(server.close);
  const api = await httpSink({
    answer: (request) => ({ status: server.isAuthorized(request) ? 200 : 401 }),
  });
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
