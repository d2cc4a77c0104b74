/**
 * Tries the relay with a real Postfix: prints a table, and exit code 1 where anything is not as it must be.
 *
 *   apt-get install postfix sasl2-bin libsasl2-modules    # answer "No configuration"
 *   npm run postfix                                       # as root
 *
 * All that is Postfix's own is in a temporary folder, and mail goes from this machine to this machine.
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSmtpClient } from '../packages/clients/src/smtp/smtp_client.ts';
import type { SmtpMessage } from '../packages/core/src/services.ts';
import { ca } from '../test/support/certificates.ts';
import { sentMail } from '../test/support/mail.ts';
import { type Postfix, startPostfix } from '../test/support/postfix.ts';
import { startRelay, type TestRelay } from '../test/support/relay.ts';

const greylisted = new Set<string>();
const postfix = await startPostfix({
  // Greylisting: the first time that a recipient is named, later.
  policy: (recipient) => {
    if (!recipient.startsWith('grey') || greylisted.has(recipient)) return 'DUNNO';
    greylisted.add(recipient);
    return 'DEFER_IF_PERMIT Greylisted';
  },
});
const { submission } = postfix.ports;
const { credentials } = postfix;
const required = { tls: 'required' };
const office = 'office@firm.example';
const nobody = 'nobody@firm.example';

interface Scenario {
  readonly what: string;
  /** Keys of the output. */
  readonly output: object;
  readonly retries?: number;
  /** Mails in the mailbox, of an answer 200; of 500 there is none. */
  readonly mails?: number;
  /** The reason of the failure, or of the retry. */
  readonly reason?: string;
  /** Keys of the form. */
  readonly form?: object;
  /** By what mails are counted; default: the name that was submitted. */
  readonly name?: string;
  /** A condition for each mail, in addition to its content. */
  readonly holds?: (mail: string) => boolean;
}

/** By it mails are counted. */
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
  fails('TLS not offered', required, 'the server offers no STARTTLS and tls is "required"'),
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
    'the message is larger than the server takes: 31 KB, and at most 19 KB',
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

const rows: Record<string, object> = {};
let isFine = true;
try {
  await oneByOne();
} finally {
  await postfix.close();
}
console.table(rows);
process.exitCode = isFine ? 0 : 1;

async function oneByOne() {
  const outputs = scenarios.map(({ output }) => output);
  const sent: string[] = [];
  const forms = scenarios.map(({ form = {} }) => form);
  const relay = await relayTo(postfix, outputs, forms, async (message) => {
    sent.push(await sourceOf(message));
  });
  const answers: number[] = [];
  for (const index of scenarios.keys()) answers.push(await submit(relay, index, `name-${index}.`));
  const wanted = scenarios.map(({ mails = 0 }) => mails);
  const names = scenarios.map(({ name }, index) => name ?? `name-${index}.`);
  const found = await mailbox(postfix, (mails) =>
    names.every((name, index) => mails(name) >= (wanted[index] ?? 0)),
  );
  for (const [index, { what, mails, retries = 0, reason = '', holds = () => true }] of scenarios.entries()) {
    const events = relay.logged.filter(({ form }) => form === `form${index}`);
    const row = {
      answer: answers[index],
      retries: events.filter(({ event }) => event === 'retrying').length,
      mails: found(names[index] ?? ''),
      reason: events.find(({ reason }) => reason !== undefined)?.reason ?? '',
      'as sent': postfix
        .mails()
        .filter((mail) => nameIn(mail) === names[index])
        .every((mail) => sent.some((source) => mail.endsWith(source)) && holds(mail)),
    };
    const answer = mails === 0 ? 500 : 200;
    const wantedRow = { answer, retries, mails, reason, 'as sent': true };
    report(what, row, JSON.stringify(row) === JSON.stringify(wantedRow));
  }
  await relay.close();
}

/** A mail as Postfix writes it into a mailbox, below its own headers. */
async function sourceOf(message: SmtpMessage): Promise<string> {
  return (await sentMail(message)).raw.replaceAll('\r\n', '\n');
}

function relayTo(
  server: Postfix,
  outputs: readonly object[],
  formKeys: readonly object[] = [],
  onSend: (message: SmtpMessage) => Promise<void> = async () => {},
): Promise<TestRelay> {
  const from = 'relay@forms.example';
  const common = {
    type: 'smtp',
    host: 'localhost',
    port: server.ports.plain,
    from,
    to: office,
    mapping: '*',
  };
  const forms = outputs.map((output, index) => [
    `form${index}`,
    {
      fields: [{ name: 'name' }, { name: 'email', type: 'email' }],
      outputs: [{ ...common, ...output }],
      ...formKeys[index],
    },
  ]);
  const smtp = createSmtpClient({
    ca,
    connect: (to) =>
      connect({ ...to, port: to.port === 465 ? server.ports.implicitTls : to.port, host: '127.0.0.1' }),
  });
  return startRelay({
    // YAML can be JSON.
    config: JSON.stringify({ forms: Object.fromEntries(forms) }),
    effects: {
      smtp: async (message) => {
        await onSend(message);
        return smtp(message);
      },
    },
  });
}

async function submit(relay: TestRelay, form: number, name: string): Promise<number> {
  const values = Object.entries({ name, email: 'visitor@firm.example' });
  return (await relay.submit(`form${form}`, values)).status;
}

/** How many mails hold a name; once it is so, since Postfix delivers after it took a mail, or after 20 s. */
async function mailbox(server: Postfix, isSo: (mails: Mails) => boolean): Promise<Mails> {
  for (let tries = 0; ; tries += 1) {
    const count = new Map<string, number>();
    for (const mail of server.mails()) {
      const name = nameIn(mail);
      count.set(name, (count.get(name) ?? 0) + 1);
    }
    const mails: Mails = (name) => count.get(name) ?? 0;
    if (isSo(mails) || tries === 100) return mails;
    await sleep(200);
  }
}

/** Where the mail is no list of values, the name stands in a header. */
function nameIn(mail: string): string {
  const [, name = ''] = /^(?:name=|X-Name: )(\S+)/m.exec(mail) ?? [];
  return name;
}

type Mails = (name: string) => number;

function report(what: string, row: object, isAsWanted: boolean) {
  rows[what] = { ...row, '': isAsWanted ? 'ok' : 'WRONG' };
  isFine &&= isAsWanted;
}
