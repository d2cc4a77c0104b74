/** `relay test`, as owners run it, against real servers. */

import { existsSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type HttpSink, type HttpSinkOptions, startHttpSink } from '../../../test/support/http_sink.ts';
import { decodeMail, relayWith, smtpSink, untilEnd } from '../../../test/support/index.ts';
import { openTerminal } from './terminal.ts';

/** `script` gives a command its own terminal. Outside Linux its options differ. */
const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');

const httpSink = (answer?: HttpSinkOptions['answer']) => untilEnd(startHttpSink(answer && { answer }));

/** Headers by name, in lower case. */
const headersOf = (raw = ''): Readonly<Record<string, string>> =>
  Object.fromEntries(decodeMail(raw).headers.map(([name, value]) => [name.toLowerCase(), value]));

const fields = `
      - {name: name, label: Your name, required: true}
      - {name: email, type: email, required: true}
      - {name: kind, type: select, options: [private, business]}
      - {name: message, type: textarea, required: true}`;

/** Runs `relay test contact` with these outputs, in a folder with an archive. */
async function relayTest(
  outputs: readonly string[],
  args = '--yes',
  { more = '', env = {}, before = '', top = '' } = {},
) {
  const config = `${top}
forms:
  contact:
    title: Contact us
    fields:${fields}${more}
    outputs:
${outputs.map((output) => `      - {${output}, mapping: "*"}\n`).join('')}`;
  const terminal = await openTerminal({ files: { 'webform.yaml': config }, env });
  await mkdir(join(terminal.cwd, 'leads'));
  return { ...(await terminal.run(`${before}relay test contact ${args}`)), cwd: terminal.cwd };
}

const smtpTo = (port: number, to = 'office@firm.example') =>
  `type: smtp, host: 127.0.0.1, port: ${port}, from: relay@firm.example, to: "${to}"`;
const postTo = ({ origin }: HttpSink, more = '') => `type: http_post, url: "${origin}/leads"${more}`;

describe('a test', () => {
  test('is sent to every output, marked, and each reports its server’s response', async () => {
    const mail = await smtpSink();
    const crm = await httpSink(() => ({ status: 201, body: '{"id": 42,\n "state": "new"}' }));
    const outputs = [smtpTo(mail.port), postTo(crm), 'type: folder, path: leads'];
    const { stdout, stderr, code, cwd } = await relayTest(outputs);
    expect([stderr, code]).toEqual(['', 0]);
    expect(mail.mails).toHaveLength(1);
    const headers = headersOf(mail.mails[0]?.raw);
    expect(headers.subject).toBe('[Test] Form submission: contact');
    expect(headers['x-form-relay-test']).toBe('1');
    expect(crm.requests).toHaveLength(1);
    expect(crm.requests[0]?.headers['x-form-relay-test']).toBe('1');
    expect(crm.requests[0]?.body).toContain('&name=Ada+Lovelace');
    expect(readdirSync(join(cwd, 'leads'))).toEqual([]);
    expect(stdout).toContain('\n  Your name: Ada Lovelace\n');
    const report = stdout.slice(stdout.indexOf('outputs[0]'));
    expect(report.replaceAll(/\d+ ms/g, 'MS').replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')).toBe(
      `outputs[0]: smtp to HOST
  to office@firm.example
  delivered: 250 OK: message queued (MS)
outputs[1]: http_post to http://HOST/leads
  delivered: 201 {"id": 42, "state": "new"} (MS)
outputs[2]: folder to leads
  skipped: archives do not store tests; check the archive with relay doctor

2 delivered, 1 skipped
`,
    );
  });

  test('through SES is also marked, and reports the mail’s id', async () => {
    const ses = await httpSink(() => ({ body: '{"MessageId":"0100-abc"}' }));
    const { stdout, code } = await relayTest(['type: email, to: office@firm.example'], '--yes', {
      env: {
        MAIL_FROM_ADDRESS: 'forms@firm.example',
        AWS_ENDPOINT_URL_SESV2: ses.origin,
        AWS_REGION: 'eu-west-1',
        AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
        AWS_SECRET_ACCESS_KEY: 'secret',
      },
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining('delivered: 200 {"MessageId":"0100-abc"}')]);
    const { Data } = JSON.parse(ses.requests[0]?.body ?? '{}').Content.Raw;
    const headers = headersOf(Buffer.from(Data, 'base64').toString('latin1'));
    expect(headers.subject).toBe('[Test] Form submission: contact');
    expect(headers['x-form-relay-test']).toBe('1');
  });

  test('is sent once: not retried, and not queued', async () => {
    const crm = await httpSink(() => ({ status: 503, body: 'down for maintenance' }));
    const keeping = { more: '\n    keep: failed', top: 'keep: {in: kept}' };
    const { stdout, code, cwd } = await relayTest([postTo(crm, ', retries: 3')], '--yes', keeping);
    expect(code).toBe(1);
    expect(crm.requests).toHaveLength(1);
    expect(stdout).toContain('FAILED: the server answered 503: down for maintenance');
    expect(stdout).toContain('1 failed; a real submission would be queued, and delivered later\n');
    expect(existsSync(join(cwd, 'kept'))).toBe(false);
    const mail = await smtpSink({ onRecipient: () => '550 5.1.1 no such user' });
    const lasting = await relayTest([postTo(crm), smtpTo(mail.port)], '--yes', keeping);
    expect(lasting.stdout).toContain(
      '2 failed; a real submission would be queued, and wait as a dead letter until you fix outputs[1]\n',
    );
  });

  test('skips outputs whose `when` does not apply, and fails if none is left', async () => {
    const crm = await httpSink();
    const other = await httpSink();
    const business = postTo(crm, ', when: {field: kind, is: business}');
    const { stdout, code } = await relayTest([business, postTo(other)]);
    expect([code, crm.requests.length, other.requests.length]).toEqual([0, 0, 1]);
    expect(stdout).toContain('skipped: kind is not business');
    const set = await relayTest([business], '--yes --set kind=business');
    expect([set.code, crm.requests.length]).toEqual([0, 1]);
    const none = await relayTest([business]);
    expect([none.code, crm.requests.length]).toEqual([1, 1]);
    expect(none.stdout).toContain('1 skipped; no output receives a submission with these values');
  });

  test('with --output is sent only to those outputs', async () => {
    const [first, second, third] = [await httpSink(), await httpSink(), await httpSink()];
    const { stdout, code } = await relayTest(
      [postTo(first), postTo(second), postTo(third)],
      '--yes --output 0 --output 2',
    );
    expect([first, second, third].map(({ requests }) => requests.length)).toEqual([1, 0, 1]);
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('outputs[1]')]);
    expect((await relayTest([postTo(first)], '--yes --output 1')).stderr).toBe(
      '"contact" has no output 1; it has 1 output, numbered from 0\n',
    );
  });
});

test('a failure says why, and what to do: a mail server, a CRM and a server that is down', async () => {
  const mail = await smtpSink({ onRecipient: () => '550 5.1.1 no such user' });
  const crm = await httpSink(() => ({ status: 422, body: '{"error":"company is required"}' }));
  const fine = await httpSink();
  const down = 'type: http_post, url: "http://127.0.0.1:1/", on_error: continue';
  const { stdout, code } = await relayTest([smtpTo(mail.port), postTo(crm), down, postTo(fine)]);
  expect([code, fine.requests.length]).toEqual([1, 1]);
  expect(stdout).toMatch(
    /FAILED: the server refused .*: 550 5\.1\.1: no such user .*\n {2}-> Check the addresses in `to`/,
  );
  expect(stdout).toMatch(
    /FAILED: the server answered 422: {"error":"company is required"} .*\n {2}-> Compare `mapping`/,
  );
  expect(stdout).toMatch(/FAILED: connect ECONNREFUSED .*\n {2}-> Run relay doctor/);
  expect(stdout).toContain('1 delivered, 3 failed; a visitor would see an error\n');
});

test('a failure says why, and what to do: a failed login, in the doctor’s words', async () => {
  const mail = await smtpSink({ auth: { username: 'user', password: 'right' } });
  const login = `, username: user, password: '{{ env "SMTP_PASSWORD" }}'`;
  const { stdout, code } = await relayTest([smtpTo(mail.port) + login], '--yes', {
    env: { SMTP_PASSWORD: 'wrong-one' },
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/FAILED: authentication refused: 535 5\.7\.8.*\n {2}-> Check SMTP_PASSWORD\./);
  expect(stdout).not.toContain('wrong-one');
});

test('no answer reveals a secret that it repeats, and each is one printable line', async () => {
  const echo: HttpSinkOptions['answer'] = ({ url, headers }) => ({
    status: url.includes('refuse') ? 400 : 200,
    body: `you sent\x1b[31m\n${headers.authorization} ${headers['x-api-key']} to ${url}\n${'x'.repeat(500)}`,
  });
  const sink = await httpSink(echo);
  const secrets = ['S3CRET-token', 'literal-key-1', 'T0KENINTHEPATH'];
  const env = { CRM_TOKEN: secrets[0] as string, CRM_URL: `${sink.origin}/hooks/${secrets[2]}?refuse` };
  const headers = `headers: {Authorization: 'Bearer {{ env "CRM_TOKEN" }}', X-Api-Key: literal-key-1}`;
  const outputs = [
    `type: http_post, url: "${sink.origin}/a", ${headers}`,
    `type: http_post, url_env: CRM_URL, ${headers}`,
  ];
  const { stdout, code } = await relayTest(outputs, '--yes', { env });
  expect([code, sink.requests.length]).toEqual([1, 2]);
  for (const secret of secrets) expect(stdout).not.toContain(secret);
  expect(stdout).not.toContain('\x1b');
  const answers = stdout.split('\n').filter((line) => line.includes('you sent'));
  expect(answers).toHaveLength(2);
  for (const line of answers) {
    expect(line).toContain('[CRM_TOKEN]');
    expect(line.length).toBeLessThan(260);
  }
});

describe('an access token', () => {
  const oauth2 = (tokenUrl: string) =>
    `, oauth2: {grant: client_credentials, token_url: "${tokenUrl}", client_id: relay, client_secret: '{{ env "CRM_SECRET" }}'}`;
  const env = { CRM_SECRET: 'S3CRET-of-the-client' };

  test('is requested, used, and never shown', async () => {
    const token = 'T0KEN-from-the-server';
    const tokens = await httpSink(() => ({
      body: JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 60 }),
    }));
    const crm = await httpSink(({ headers }) => ({ body: `thanks for ${headers.authorization}` }));
    const { stdout, code } = await relayTest([postTo(crm, oauth2(tokens.origin))], '--yes', { env });
    expect([code, crm.requests[0]?.headers.authorization]).toEqual([0, `Bearer ${token}`]);
    expect(stdout).toContain('delivered: 200 thanks for [authorization]');
    expect(stdout).not.toContain(token);
  });

  test('a failed token request is reported with what to check', async () => {
    const crm = await httpSink();
    const { stdout, code } = await relayTest([postTo(crm, oauth2('http://127.0.0.1:9'))], '--yes', { env });
    expect([code, crm.requests]).toEqual([1, []]);
    expect(stdout).toContain('Port 9 of 127.0.0.1 is closed');
  });
});

describe('mails to visitors', () => {
  const more = `
    confirmation_mail: {to: email, subject: Thanks, text: We have it.}`;

  test('are not sent, and other outputs send nothing to made-up addresses', async () => {
    const mail = await smtpSink();
    const outputs = [
      smtpTo(mail.port, 'office@firm.example, {{ .fields.email }}'),
      smtpTo(mail.port, '{{ .fields.email }}'),
    ];
    const { stdout, code } = await relayTest(outputs, '--yes', { more });
    expect([code, mail.mails.map(({ envelope }) => envelope.to)]).toEqual([0, [['office@firm.example']]]);
    expect(stdout.match(/the visitor's address \(ada@example\.org\)/g)).toHaveLength(1);
    expect(stdout).toContain('a test sends no mail to the visitor');
    expect(stdout).toContain('-> add --to ADDRESS to send it to yourself');
  });
});

describe('the command asks for confirmation', () => {
  test('without a terminal and without --yes it sends nothing and exits as wrong usage', async () => {
    const crm = await httpSink();
    const { stderr, code } = await relayTest([postTo(crm)], '', { env: { STARTED: '1' } });
    expect([code, crm.requests.length]).toEqual([2, 0]);
    expect(stderr).toContain("error: confirmation needs a terminal; add '--yes' to send without it");
    const unknown = await relayTest([postTo(crm)], '', { before: 'STARTED=1 relay test contakt || ' });
    expect(unknown.stderr).toContain('there is no form "contakt" (did you mean contact?)');
  });

  describe.skipIf(!hasScript)('in a terminal', () => {
    const answered = async (said: string) => {
      const crm = await httpSink();
      const config = `forms: {contact: {fields: [{name: name}], outputs: [{${postTo(crm)}, mapping: "*"}]}}`;
      const terminal = await openTerminal({ files: { 'webform.yaml': config } });
      const { stdout, code } = await terminal.run(
        `printf '${said}' | script -qec 'relay test contact' /dev/null`,
      );
      expect(stdout).toMatch(/outputs\[0\].*?Send\? \[y\/N\]/s);
      return [code, crm.requests.length];
    };

    test.each(['y\\n'])('%s sends', async (said) => expect(await answered(said)).toEqual([0, 1]));

    test.each(['\\n', '\\004'])('%s sends nothing', async (said) =>
      expect(await answered(said)).toEqual([1, 0]),
    );
  });
});

test.each([
  ['--yes --set email=x', /^the form rejects these values.*\n {2}email \(Email\): Enter an e-mail address/],
  ['--yes --set nope=x', /^the form has no field "nope"\n$/],
  ['--yes --to x', /Expected an address/],
  ['--yes --set x', /Expected field=value/],
])('an output that cannot be tested says so, and nothing is sent: %s', async (args, said) => {
  const crm = await httpSink();
  const { stderr, code } = await relayTest([postTo(crm)], args);
  expect([stderr, code, crm.requests.length]).toEqual([
    expect.stringMatching(said),
    /Expected/.test(said.source) ? 2 : 1,
    0,
  ]);
});

test('visitors cannot make a test: their X-Form-Relay-Test has no effect', async () => {
  const [mail, crm] = [await smtpSink(), await httpSink()];
  const terminal = await openTerminal();
  const config = `forms: {contact: {fields: [{name: name}], outputs: [{${smtpTo(mail.port)}}, {${postTo(crm)}}, {type: folder, path: "${terminal.cwd}"}]}}`;
  const relay = await relayWith({ config });
  const { status } = await relay.request('/api/v1/submit/contact', {
    method: 'POST',
    headers: { 'X-Form-Relay-Test': '1' },
    body: new URLSearchParams({ name: 'Ada', 'X-Form-Relay-Test': '1' }),
  });
  expect(status).toBe(200);
  const headers = headersOf(mail.mails[0]?.raw);
  expect([headers.subject, headers['x-form-relay-test']]).toEqual(['Form submission: contact', undefined]);
  expect(crm.requests[0]?.headers['x-form-relay-test']).toBeUndefined();
  expect(readdirSync(terminal.cwd)).not.toEqual([]);
  expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'submission', outcome: 'delivered' }));
});
