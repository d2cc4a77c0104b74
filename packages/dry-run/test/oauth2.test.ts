import { expect, onTestFinished, test } from 'vitest';
import {
  clientId,
  clientSecret,
  startAuthorizationServer,
} from '../../../test/support/authorization_server.ts';
import { stage } from './stage.ts';

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
