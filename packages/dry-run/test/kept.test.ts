/** A dry run says which deliveries a relay would queue and retry. Retries are not simulated. */
import { ClientError } from '@form-relay/base/client_error';
import {
  clientId,
  clientSecret,
  startAuthorizationServer,
} from '../../../test/support/authorization_server.ts';
import { form, post } from '../../../test/support/config.ts';
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

test('a failed delivery would be queued', async () => {
  const report = await reportOf('keep: failed', true);
  expect(report).toMatchObject({
    outcome: 'delivered',
    says: 'to 1 of 2 outputs, 1 queued',
    answer: { status: 200, body: expect.stringContaining('Later.') },
    keep: { what: 'failed', in: '/var/lib/form-relay' },
    outputs: [{ result: 'kept', reason: 'connect ECONNREFUSED', isKept: true }, { result: 'delivered' }],
  });
  expect(report.outputs[1]).not.toHaveProperty('isKept');
});

const crm = { url: 'https://crm.example.com/', mapping: '*' };
const credentials = {
  grant: 'client_credentials',
  client_id: '{{ env "ID" }}',
  client_secret: '{{ env "SECRET" }}',
};
const mailbox = 'forms@firm.example';
const byToken = {
  host: 'smtp.office365.com',
  username: mailbox,
  auth: 'oauth2',
  from: mailbox,
  to: mailbox,
  mapping: '*',
};

test.each([
  ['http_post', crm],
  ['crm_web2lead', crm],
  ['webhook', crm],
  ['smtp', byToken],
])('%s: the token is named, and none is requested', async (type, keys) => {
  const server = await startAuthorizationServer();
  onTestFinished(server.close);
  const output = { type, ...keys, oauth2: { ...credentials, token_url: server.tokenUrl } };
  const { send } = stage({
    config: form({ outputs: [output] }),
    env: { ID: clientId, SECRET: clientSecret },
  });
  const { report } = await send('contact', 'name=Ada');
  const [sent] = report.outputs[0]?.sent ?? [];
  expect(report.outcome).toBe('delivered');
  if (sent?.kind === 'http')
    expect(sent.bytes.match(/^authorization: .*(?=\r)/gim)).toEqual(['authorization: Bearer [from oauth2]']);
  else expect(sent).toMatchObject({ kind: 'mail', server: 'smtp.office365.com:587' });
  for (const word of [clientId, clientSecret, 'made-up']) expect(JSON.stringify(report)).not.toContain(word);
  expect(server.requests).toEqual([]);
});

test.each([
  { ...credentials, token_url: 'https://login.example.com/', client_id: 'id' },
  { grant: 'jwt_bearer', scope: 'mail', service_account: '{{ env "SECRET" }}' },
])('an unset credential does not hide what would be sent: %j', async (oauth2) => {
  const { send } = stage({ config: form({ outputs: [post(crm.url, { oauth2 })] }) });
  const { report } = await send('contact', 'name=Ada');
  const [sent] = report.outputs[0]?.sent ?? [];
  expect(sent?.kind === 'http' && sent.bytes).toMatch(
    /authorization: Bearer \[from oauth2\]\r\n.*name=Ada$/s,
  );
  expect(report.notes).toEqual(['SECRET is not set here; a dry run requests no token']);
});
