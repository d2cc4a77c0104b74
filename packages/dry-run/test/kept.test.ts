/** A dry run says which deliveries a relay would keep and retry. Retries are not simulated. */
import { ClientError } from '@form-relay/base/client_error';
import { expect, onTestFinished, test } from 'vitest';
import {
  clientId,
  clientSecret,
  startAuthorizationServer,
} from '../../../test/support/authorization_server.ts';
import type { SubmissionReport } from '../src/report.ts';
import { stage } from './stage.ts';

async function reportOf(form: string, isDown = false): Promise<SubmissionReport> {
  const config = `
keep: {in: /var/lib/form-relay}
forms:
  contact:
    ${form}
    fields: [{name: email, type: email, required: true}]
    kept_message: Later.
    outputs:
      - {type: http_post, url: "https://crm.example.com/leads", mapping: "*", retries: 0}
      - {type: http_post, url: "https://hooks.example.com/", mapping: "*"}
`;
  const { send, reports } = stage({
    config,
    isDelivering: isDown,
    services: {
      http: async ({ url: { host } }) => {
        if (host === 'crm.example.com') throw new ClientError('connect ECONNREFUSED', { retryAfterMs: 0 });
        return { status: 200, headers: {}, body: '' };
      },
    },
  });
  const { report } = await send('contact', 'email=a@b.example', {
    headers: { accept: 'application/problem+json' },
  });
  expect(reports).toHaveLength(1);
  return report;
}

test('a failed delivery would be kept', async () => {
  const report = await reportOf('keep: failed', true);
  expect(report).toMatchObject({
    outcome: 'delivered',
    says: 'to 1 of 2 outputs, 1 kept',
    answer: { status: 200, body: expect.stringContaining('Later.') },
    keep: { what: 'failed', in: '/var/lib/form-relay' },
    outputs: [{ result: 'kept', reason: 'connect ECONNREFUSED', isKept: true }, { result: 'delivered' }],
  });
  expect(report.outputs[1]).not.toHaveProperty('isKept');
});

test('a delivery that is always kept is shown as delivered after the answer', async () => {
  expect(await reportOf('keep: always')).toMatchObject({
    says: 'to 2 of 2 outputs',
    answer: { status: 200, body: expect.stringContaining('Later.') },
    outputs: [
      { result: 'delivered', isKept: true, sent: [{ kind: 'http' }] },
      { result: 'delivered', isKept: true, sent: [{ kind: 'http' }] },
    ],
  });
  expect(await reportOf('keep: always', true)).toMatchObject({
    says: 'to 1 of 2 outputs, 1 kept',
    outputs: [{ result: 'kept', isKept: true, sent: [{ kind: 'http' }] }, { result: 'delivered' }],
  });
});

test.each(['http_post', 'crm_web2lead', 'webhook'])(
  '%s: the token is shown as what it is, and none is requested',
  async (type) => {
    const server = await startAuthorizationServer();
    const { send } = stage({
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
    });
    const { report } = await send('contact', 'name=Ada');
    const [sent] = report.outputs[0]?.sent ?? [];
    const lines = sent?.kind === 'http' ? sent.bytes.split('\r\n') : [];
    expect(lines.filter((line) => /^authorization/i.test(line))).toEqual([
      'authorization: Bearer [from oauth2]',
    ]);
    for (const word of [clientId, clientSecret]) expect(JSON.stringify(report)).not.toContain(word);
    expect(server.requests).toEqual([]);
    await server.close();
  },
);

test('smtp: the mail is shown, and no token is requested', async () => {
  const server = await startAuthorizationServer();
  onTestFinished(server.close);
  const { send } = stage({
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
  });
  const { report } = await send('contact', 'name=Ada');
  expect(report.outputs[0]?.sent).toMatchObject([{ kind: 'mail', server: 'smtp.office365.com:587' }]);
  for (const word of [clientId, 'made-up', 'Bearer'])
    expect(JSON.stringify(report.outputs)).not.toContain(word);
  expect(server.requests).toEqual([]);
});

test.each([
  `grant: client_credentials, token_url: "https://login.example.com/", client_id: id, client_secret: '{{ env "UNSET" }}'`,
  `grant: jwt_bearer, scope: mail, service_account: '{{ env "UNSET" }}'`,
])('an unset credential does not hide what would be sent: %s', async (oauth2) => {
  const { send } = stage({
    config: `forms:
  contact:
    fields: [{name: name}]
    outputs: [{type: http_post, url: "https://crm.example.com/", mapping: "*", oauth2: {${oauth2}}}]
`,
  });
  const { report } = await send('contact', 'name=Ada');
  const [sent] = report.outputs[0]?.sent ?? [];
  expect(sent?.kind === 'http' && sent.bytes).toMatch(
    /authorization: Bearer \[from oauth2\]\r\n.*name=Ada$/s,
  );
  expect(report.notes).toEqual(['UNSET is not set here: no token is asked for here']);
});
