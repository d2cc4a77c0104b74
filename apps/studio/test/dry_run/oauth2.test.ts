import { expect, onTestFinished, test } from 'vitest';
import {
  clientId,
  clientSecret,
  startAuthorizationServer,
} from '../../../../test/support/authorization_server.ts';
import { createDryRun } from '../../src/dry_run/dry_run.ts';
import type { SubmissionReport } from '../../src/dry_run/report.ts';

test.each(['http_post', 'crm_web2lead', 'webhook'])(
  '%s: the token is shown as what it is, and none is asked for',
  async (type) => {
    const server = await startAuthorizationServer();
    const stories: SubmissionReport[] = [];
    const { handle } = createDryRun({
      config: `forms:
  contact:
    fields: [{name: name}]
    outputs:
      - type: ${type}
        url: https://crm.example.com/leads
        mapping: "*"
        oauth2:
          grant: client_credentials
          token_url: ${server.tokenUrl}
          client_id: '{{ env "ID" }}'
          client_secret: '{{ env "SECRET" }}'
`,
      env: { ID: clientId, SECRET: clientSecret },
      services: { log: () => {} },
      onReport: (story) => stories.push(story),
    });
    await handle({
      method: 'POST',
      path: '/api/v1/submit/contact',
      query: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from('name=Ada'),
    });
    const [sent] = stories[0]?.outputs[0]?.sent ?? [];
    const lines = sent?.kind === 'http' ? sent.bytes.split('\r\n') : [];
    expect(lines.filter((line) => /^authorization/i.test(line))).toEqual([
      'authorization: Bearer [from oauth2]',
    ]);
    for (const word of [clientId, clientSecret]) expect(JSON.stringify(stories)).not.toContain(word);
    expect(server.requests).toEqual([]);
    await server.close();
  },
);

test('smtp: the mail is shown, and no token is asked for', async () => {
  const server = await startAuthorizationServer();
  onTestFinished(server.close);
  const stories: SubmissionReport[] = [];
  const { handle } = createDryRun({
    config: `forms:
  contact:
    fields: [{name: name}]
    outputs:
      - type: smtp
        host: smtp.office365.com
        username: forms@firm.example
        auth: oauth2
        from: forms@firm.example
        to: office@firm.example
        mapping: "*"
        oauth2:
          grant: client_credentials
          token_url: ${server.tokenUrl}
          client_id: '{{ env "ID" }}'
          client_secret: '{{ env "NOT_SET" }}'
`,
    env: { ID: clientId },
    services: { log: () => {} },
    onReport: (story) => stories.push(story),
  });
  await handle({
    method: 'POST',
    path: '/api/v1/submit/contact',
    query: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from('name=Ada'),
  });
  expect(stories[0]?.outputs[0]?.sent).toMatchObject([{ kind: 'mail', server: 'smtp.office365.com:587' }]);
  for (const word of [clientId, 'made-up', 'Bearer'])
    expect(JSON.stringify(stories[0]?.outputs)).not.toContain(word);
  expect(server.requests).toEqual([]);
});
