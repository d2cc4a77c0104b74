/** Mail through a real Postfix, which runs as root: its files are in a temporary folder, and mail stays on this machine. */
import { connect } from 'node:net';
import { createSmtpClient } from '../../packages/clients/src/smtp/smtp_client.ts';
import type { SmtpMessage } from '../../packages/core/src/services.ts';
import { ca } from '../support/certificates.ts';
import { sentMail, startRelay, type TestRelay } from '../support/index.ts';
import { hasPostfix, startPostfix } from '../support/postfix.ts';

const greylisted = new Set<string>();
const postfix = hasPostfix ? await startPostfix(policy) : undefined;
afterAll(() => postfix?.close());

/** Greylisting: a recipient is deferred the first time. */
function policy(recipient: string): string {
  if (!recipient.startsWith('grey') || greylisted.has(recipient)) return 'DUNNO';
  greylisted.add(recipient);
  return 'DEFER_IF_PERMIT Greylisted';
}

const { submission = 0, implicitTls = 0, plain = 0 } = postfix?.ports ?? {};
const credentials = postfix?.credentials ?? {};
const required = { tls: 'required' };
const office = 'office@firm.example';
const nobody = 'nobody@firm.example';

interface Scenario {
  readonly what: string;
  /** Keys of the output. */
  readonly output: object;
  readonly retries?: number;
  /** The expected number of mails after a 200; none after a 500. */
  readonly mails?: number;
  /** The reason of the failure or the retry. */
  readonly reason?: string;
  /** Keys of the form. */
  readonly form?: object;
  /** How to find the mails; default: by the submitted name. */
  readonly name?: string;
  /** A condition for each mail, besides its content. */
  readonly holds?: (mail: string) => boolean;
}

/** Identifies the mails. */
const headers = { 'X-Name': '{{ .fields.name }}' };

const tls = { port: submission, ...required, ...credentials };
const refused = 'the server refused a recipient:';
const ofTwo = '(number 2 of 2 in `to`, `cc` and `bcc`)';
const taken = (what: string, output: object, more: Partial<Scenario> = {}): Scenario => ({
  what,
  output,
  mails: 1,
  ...more,
});
const fails = (what: string, output: object, reason: string): Scenario => ({
  what,
  output,
  reason,
  mails: 0,
});

const scenarios: readonly Scenario[] = [
  taken('plain text, from relay@<host>', { host: '127.0.0.1', from: undefined }),
  taken('STARTTLS and AUTH', tls),
  taken('implicit TLS and AUTH', { ...tls, port: 465 }),
  taken('AUTH LOGIN, if it is written', { ...tls, auth: 'login' }),
  fails('a wrong password', { ...tls, password: 'wrong' }, 'authentication refused: 535 5.7.8'),
  fails('no password where one is needed', { port: submission }, `${refused} 554 5.7.1`),
  fails('AUTH not offered', credentials, 'a username is set and the server offers no AUTH PLAIN'),
  fails('TLS not offered', required, 'the server does not offer STARTTLS, and tls is "required"'),
  fails(
    'a certificate of another name',
    { ...tls, host: 'other.test' },
    'certificate not trusted: ERR_TLS_CERT_ALTNAME_INVALID',
  ),
  fails(
    'one of two refused: nobody gets it',
    { to: `${office}, ${nobody}` },
    `${refused} 550 5.1.1 ${ofTwo}`,
  ),
  fails('sender refused', { from: 'spam@forms.example' }, `${refused} 550 5.7.1`),
  fails(
    'longer than SIZE',
    { static: { more: 'x'.repeat(30_000) } },
    'the message is too large for the server: 31 KB, and the limit is 19 KB',
  ),
  taken(
    'greylisting of one of two: one mail each',
    { to: `${office}, grey1@firm.example` },
    { retries: 1, reason: `${refused} 450 4.7.1 ${ofTwo}`, mails: 2 },
  ),
  fails('greylisting, retries: 0', { to: 'grey2@firm.example', retries: 0 }, `${refused} 450 4.7.1`),
  taken('names of other letters, with quotes and commas', {
    from: '"Büro \\"Nord\\", Acme" <relay@forms.example>',
    to: `"Müller, Käthe" <${office}>`,
    reply_to: '{{ .fields.email }}',
    reply_to_name: 'Zoë, "Zoe"',
  }),
  taken(
    'to, cc and bcc: three mails, and bcc in no header',
    { cc: 'Büro <copy@firm.example>', bcc: 'Hidden <hidden@firm.example>' },
    { mails: 3, holds: (mail) => !/^(?!Delivered-To|X-Original-To).*hidden/im.test(mail) },
  ),
  taken(
    'a recipient and a Reply-To that need SMTPUTF8',
    { to: `${office}, почта@firm.example`, reply_to: 'Ада <ада@пример.рф>' },
    {
      mails: 2,
      holds: (mail) =>
        Buffer.from(mail, 'latin1')
          .toString()
          .includes('\nReply-To: =?UTF-8?Q?=D0=90=D0=B4=D0=B0?= <ада@xn--'),
    },
  ),
  taken('other letters, long lines and dots', {
    headers,
    text: `.\n..\n.日本 👋\n${'x'.repeat(3_000)}\n.\n`,
  }),
  taken(
    'dots and umlauts as HTML, STARTTLS and AUTH',
    { ...tls, headers, html: true, intro: '.\n..\n.x', footer: '.', subject: 'Über {{ .fields.name }}' },
    { holds: (mail) => mail.includes('Content-Type: multipart/alternative;') },
  ),
  taken(
    'a mail to the visitor, from the sender of the form',
    { mapping: undefined, text: 'To the owner.' },
    {
      form: { confirmation_mail: { to: 'email', subject: 'Grüße', text: 'name=visitor.', html: true } },
      name: 'visitor.',
      holds: (mail) =>
        mail.startsWith('Return-Path: <relay@forms.example>') && /^Auto-Submitted: auto-replied$/m.test(mail),
    },
  ),
];

const nameOf = (index: number) => scenarios[index]?.name ?? `name-${index}.`;

describe.skipIf(!postfix)('Postfix', () => {
  const sent: string[] = [];
  const statuses: number[] = [];
  let relay: TestRelay;

  beforeAll(async () => {
    relay = await startRelay({ config: config(), effects: { smtp: recorded(sent) } });
    for (const index of scenarios.keys()) statuses.push(await submit(relay, index));
  });

  test.each(scenarios.map((one, index) => ({ ...one, index })))('$what', async (scenario) => {
    const { index, mails = 0, retries = 0, reason, holds = () => true } = scenario;
    const logged = relay.logged.filter(({ form }) => form === `form${index}`);
    expect(statuses[index]).toBe(mails === 0 ? 500 : 200);
    expect(logged.filter(({ event }) => event === 'retrying')).toHaveLength(retries);
    expect(logged.find(({ reason }) => reason !== undefined)?.reason).toBe(reason);
    // Postfix delivers after accepting a mail.
    await expect.poll(() => mailsOf(nameOf(index))).toHaveLength(mails);
    for (const mail of mailsOf(nameOf(index))) {
      expect(sent.some((source) => mail.endsWith(source))).toBe(true);
      expect(mail).toSatisfy(holds);
    }
  });
});

/** A form for each scenario. */
function config(): string {
  const common = { type: 'smtp', host: 'localhost', port: plain, from: 'relay@forms.example', to: office };
  const forms = scenarios.map(({ output, form }, index) => [
    `form${index}`,
    {
      fields: [{ name: 'name' }, { name: 'email', type: 'email' }],
      outputs: [{ ...common, mapping: '*', ...output }],
      ...form,
    },
  ]);
  // JSON is valid YAML.
  return JSON.stringify({ forms: Object.fromEntries(forms) });
}

/** Sends mails to Postfix, and records each as it arrives in a mailbox, without Postfix's own headers. */
function recorded(sent: string[]) {
  const smtp = createSmtpClient({
    ca,
    connect: (to) => connect({ ...to, port: to.port === 465 ? implicitTls : to.port, host: '127.0.0.1' }),
  });
  return async (message: SmtpMessage) => {
    sent.push((await sentMail(message)).raw.replaceAll('\r\n', '\n'));
    return smtp(message);
  };
}

async function submit(relay: TestRelay, index: number): Promise<number> {
  const values = Object.entries({ name: `name-${index}.`, email: 'visitor@firm.example' });
  return (await relay.submit(`form${index}`, values)).status;
}

/** If a mail does not list values, the name is in a header. */
const mailsOf = (name: string) =>
  postfix?.mails().filter((mail) => /^(?:name=|X-Name: )(\S+)/m.exec(mail)?.[1] === name) ?? [];
