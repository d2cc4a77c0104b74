/**
 * What the relay does with a real Postfix: a table, and exit code 1 where anything is not as it must be.
 *
 *   apt-get install postfix sasl2-bin libsasl2-modules    # answer "No configuration"
 *   npm run postfix                                       # as root
 *
 * All that is Postfix's own is in a temporary folder, and mail goes from this machine to this machine.
 */
import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SmtpMessage } from '../packages/relay/src/base/effects.ts';
import { createSmtpClient } from '../packages/relay/src/transports/smtp/smtp_client.ts';
import { ca } from '../test/support/certificates.ts';
import { verifyDkim } from '../test/support/dkim.ts';
import { sentMail } from '../test/support/mail.ts';
import { type Postfix, startPostfix } from '../test/support/postfix.ts';
import { startRelay, type TestRelay } from '../test/support/relay.ts';
import { readStrictly } from '../test/support/strict_mail.ts';

const greylisted = new Set<string>();
const postfix = await startPostfix({
  // Greylisting: the first time that a recipient is named, later.
  policy: (recipient) => {
    if (!recipient.startsWith('grey') || greylisted.has(recipient)) return 'DUNNO';
    greylisted.add(recipient);
    return 'DEFER_IF_PERMIT Greylisted';
  },
});
const { plain, submission } = postfix.ports;
const { credentials } = postfix;
const required = { tls: 'required' };
const office = 'office@firm.example';
const nobody = 'nobody@firm.example';

interface Scenario {
  readonly what: string;
  /** Keys of the output. */
  readonly output: object;
  readonly answer: 200 | 500;
  /** Of the failure, or of the retry. */
  readonly reason?: string;
  readonly retries?: number;
  /** Mails in the mailbox; default: one for a 200, none for a 500. */
  readonly mails?: number;
  /** Keys of the form. */
  readonly form?: object;
  /** By what mails are counted; default: the name that was submitted. */
  readonly name?: string;
  /** What must hold for each mail beside that it is what was sent. */
  readonly holds?: (mail: string) => boolean;
}

/** By it mails are counted. */
const headers = { 'X-Name': '{{ .fields.name }}' };
const key = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
const dkim = { domain: 'forms.example', selector: 's1', key: '{{ env "DKIM_KEY" }}' };
const env = { DKIM_KEY: key.export({ type: 'pkcs8', format: 'pem' }).toString() };

function isSigned(mail: string): boolean {
  const asSent = mail.slice(mail.indexOf('DKIM-Signature:')).replaceAll('\n', '\r\n');
  const { isBodyTrue, isSignatureTrue } = verifyDkim(asSent, () => `p=${publicKey}`);
  return isBodyTrue && isSignatureTrue;
}

const scenarios: readonly Scenario[] = [
  { what: 'plain text', output: { port: plain }, answer: 200 },
  {
    what: 'sender relay@<host>, where host is an IP address',
    output: { port: plain, host: '127.0.0.1', from: undefined },
    answer: 200,
  },
  { what: 'STARTTLS and AUTH', output: { port: submission, ...required, ...credentials }, answer: 200 },
  { what: 'implicit TLS and AUTH', output: { port: 465, ...required, ...credentials }, answer: 200 },
  {
    what: 'AUTH LOGIN, where that is written',
    output: { port: submission, ...required, ...credentials, auth: 'login' },
    answer: 200,
  },
  {
    what: 'a wrong password by LOGIN',
    output: { port: submission, ...credentials, auth: 'login', password: 'wrong' },
    answer: 500,
    reason: 'authentication refused: 535 5.7.8',
  },
  {
    what: 'wrong password',
    output: { port: submission, ...credentials, password: 'wrong' },
    answer: 500,
    reason: 'authentication refused: 535 5.7.8',
  },
  {
    what: 'no password where one is needed',
    output: { port: submission },
    answer: 500,
    reason: 'the server refused a recipient: 554 5.7.1',
  },
  {
    what: 'a password where no AUTH is offered',
    output: { port: plain, ...credentials },
    answer: 500,
    reason: 'a username is set and the server offers no AUTH PLAIN',
  },
  {
    what: 'TLS required where none is offered',
    output: { port: plain, ...required },
    answer: 500,
    reason: 'the server offers no STARTTLS and tls is "required"',
  },
  {
    what: 'a certificate of another name',
    output: { host: 'other.test', port: submission, ...credentials },
    answer: 500,
    reason: 'certificate not trusted: ERR_TLS_CERT_ALTNAME_INVALID',
  },
  {
    what: 'a recipient refused',
    output: { port: plain, to: nobody },
    answer: 500,
    reason: 'the server refused a recipient: 550 5.1.1',
  },
  {
    what: 'one recipient of two refused: nobody gets it',
    output: { port: plain, to: `${office}, ${nobody}` },
    answer: 500,
    reason: 'the server refused a recipient: 550 5.1.1 (number 2 of 2 in `to`, `cc` and `bcc`)',
  },
  {
    what: 'relaying refused',
    output: { port: plain, to: 'office@elsewhere.example' },
    answer: 500,
    reason: 'the server refused a recipient: 554 5.7.1',
  },
  {
    what: 'sender refused',
    output: { port: plain, from: 'spam@forms.example' },
    answer: 500,
    reason: 'the server refused a recipient: 550 5.7.1',
  },
  {
    what: 'longer than SIZE',
    output: { port: plain, static: { more: 'x'.repeat(30_000) } },
    answer: 500,
    reason: 'the message is larger than the server takes: 31 KB, and at most 19 KB',
  },
  {
    what: 'greylisting',
    output: { port: plain, to: 'grey1@firm.example' },
    answer: 200,
    retries: 1,
    reason: 'the server refused a recipient: 450 4.7.1',
  },
  {
    what: 'greylisting, retries: 0',
    output: { port: plain, to: 'grey2@firm.example', retries: 0 },
    answer: 500,
    reason: 'the server refused a recipient: 450 4.7.1',
  },
  {
    what: 'greylisting of one recipient of two: one mail for each',
    output: { port: plain, to: `${office}, grey3@firm.example` },
    answer: 200,
    retries: 1,
    reason: 'the server refused a recipient: 450 4.7.1 (number 2 of 2 in `to`, `cc` and `bcc`)',
    mails: 2,
  },
  {
    what: 'HTML with umlauts',
    output: { port: plain, headers, html: true, intro: 'Grüße, 日本 👋', subject: 'Über {{ .fields.name }}' },
    answer: 200,
    holds: (mail) => mail.includes('Content-Type: multipart/alternative;'),
  },
  {
    what: 'names of other letters, with quotes and commas',
    output: {
      port: plain,
      from: '"Büro \\"Nord\\", Acme" <relay@forms.example>',
      to: `"Müller, Käthe" <${office}>`,
      reply_to: '{{ .fields.email }}',
      reply_to_name: 'Zoë, "Zoe"',
    },
    answer: 200,
    holds: (mail) => mail.startsWith('Return-Path: <relay@forms.example>'),
  },
  {
    what: 'to, cc and bcc: three mails, and bcc in no header',
    output: { port: plain, cc: 'Büro <copy@firm.example>', bcc: 'Hidden <hidden@firm.example>' },
    answer: 200,
    mails: 3,
    holds: (mail) => !/^(?!Delivered-To|X-Original-To).*hidden/im.test(mail),
  },
  {
    what: 'a blind recipient refused: nobody gets it',
    output: { port: plain, bcc: nobody },
    answer: 500,
    reason: 'the server refused a recipient: 550 5.1.1 (number 2 of 2 in `to`, `cc` and `bcc`)',
  },
  {
    what: 'text of other letters, long lines, and lines that begin with dots',
    output: { port: plain, headers, text: `.\n..\n.Größe 日本 👋\n${'x'.repeat(3_000)}\n.\n` },
    answer: 200,
  },
  {
    what: 'dots as HTML, STARTTLS and AUTH',
    output: {
      port: submission,
      ...required,
      ...credentials,
      headers,
      html: true,
      intro: '.\n..\n.x',
      footer: '.',
    },
    answer: 200,
  },
  {
    what: 'signed with DKIM',
    output: { port: plain, headers, dkim, text: '.\n  two  spaces \nGröße' },
    answer: 200,
    holds: isSigned,
  },
  {
    what: 'signed with DKIM: HTML, STARTTLS and AUTH',
    output: {
      port: submission,
      ...required,
      ...credentials,
      headers,
      dkim,
      html: true,
      cc: 'Büro <copy@firm.example>',
    },
    answer: 200,
    mails: 2,
    holds: isSigned,
  },
  {
    what: 'a mail to the visitor, whom nobody answers',
    output: { port: plain, mapping: undefined, text: 'To the owner.' },
    form: { confirmation_mail: { to: 'email', subject: 'Grüße', text: 'name=visitor.', html: true } },
    name: 'visitor.',
    answer: 200,
    holds: (mail) => mail.startsWith('Return-Path: <>'),
  },
];

const rows: Record<string, object> = {};
let isFine = true;
try {
  await oneByOne();
  await manyAtOnce();
  await stoppedMeanwhile(0);
  await stoppedMeanwhile(5);
} finally {
  await postfix.close();
}
await fewConnections();
await withFiles();
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
  const wanted = scenarios.map(({ answer, mails = answer === 200 ? 1 : 0 }) => mails);
  const names = scenarios.map(({ name }, index) => name ?? `name-${index}.`);
  const found = await mailbox(postfix, (mails) =>
    names.every((name, index) => mails(name) >= (wanted[index] ?? 0)),
  );
  for (const [index, { what, answer, retries = 0, reason = '', holds = () => true }] of scenarios.entries()) {
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
    const wantedRow = { answer, retries, mails: wanted[index], reason, 'as sent': true };
    report(what, row, JSON.stringify(row) === JSON.stringify(wantedRow));
  }
  await relay.close();
}

async function manyAtOnce() {
  const connections = () => postfix.log().split(': connect from ').length;
  const relay = await relayTo(postfix, [{ port: submission, ...required, ...credentials }]);
  const before = connections();
  const names = Array.from({ length: 1_000 }, (_, number) => `many-${number}.`);
  const answers = await Promise.all(names.map((name) => submit(relay, 0, name)));
  const used = connections() - before;
  await account(`1,000 at once, STARTTLS and AUTH: ${used} connections`, postfix, names, answers);
  isFine &&= used <= 40 && answers.every((answer) => answer === 200);
  await relay.close();
}

async function stoppedMeanwhile(retries: number) {
  const relay = await relayTo(postfix, [{ port: submission, ...credentials, retries, timeout: '20s' }]);
  const names = Array.from({ length: 600 }, (_, number) => `stopped-${retries}-${number}.`);
  const answers = Promise.all(
    names.map((name, number) => sleep(number * 5).then(() => submit(relay, 0, name))),
  );
  await sleep(1_000);
  postfix.run('stop');
  await sleep(1_000);
  postfix.run('start');
  const what = `600 over 3 s, Postfix stopped for 1 s of them, retries: ${retries}`;
  await account(what, postfix, names, await answers);
  await relay.close();
}

async function fewConnections() {
  const limited = await startPostfix({
    policy: () => 'DUNNO',
    settings: ['smtpd_client_connection_count_limit = 5', 'smtpd_client_event_limit_exceptions ='],
  });
  const relay = await relayTo(limited, [{ port: limited.ports.plain }]);
  const names = Array.from({ length: 200 }, (_, number) => `limited-${number}.`);
  const answers = await Promise.all(names.map((name) => submit(relay, 0, name)));
  await account('200 at once, 5 connections allowed', limited, names, answers);
  await relay.close();
  await limited.close();
}

/** Files come back under their names and byte for byte, however they are sent, and many at once. */
async function withFiles() {
  const roomy = await startPostfix({
    policy: () => 'DUNNO',
    settings: ['message_size_limit = 10240000', 'smtpd_client_connection_count_limit = 5'],
  });
  const { ports, credentials } = roomy;
  const ways = {
    'in the clear': { port: ports.plain },
    'STARTTLS and AUTH, beside HTML, signed': {
      port: ports.submission,
      ...credentials,
      html: true,
      headers,
      dkim,
    },
    'implicit TLS': { port: 465, ...credentials },
    'of two recipients': { port: ports.plain, cc: 'copy@firm.example' },
  };
  const fields = [
    { name: 'name' },
    { name: 'files', type: 'file', multiple: true, accept: 'pdf', max_size: '20MB' },
  ];
  const outputs = Object.values(ways).map((way) => ({ headers, ...way, timeout: '25s' }));
  const relay = await relayTo(
    roomy,
    outputs,
    outputs.map(() => ({ fields, max_body: '30MB' })),
  );
  await relay.get('/readyz');
  const file = (name: string, bytes: number) => new File(['%PDF-1.4\n', randomBytes(bytes)], name);
  const submitFiles = async (form: number, name: string, files: readonly File[]) => {
    const body = new FormData();
    body.append('name', name);
    for (const one of files) body.append('files', one);
    return (await relay.request(`/api/v1/submit/form${form}`, { method: 'POST', body })).status;
  };
  const row = async (
    what: string,
    answers: readonly number[],
    sent: ReadonlyMap<string, readonly File[]>,
    each = 1,
  ) => {
    const names = [...sent.keys()];
    await mailbox(roomy, (mails) => names.every((name) => mails(name) >= each));
    const found = roomy.mails().filter((mail) => sent.has(nameIn(mail)));
    const isSame = await Promise.all(
      found.map(async (mail) => {
        const { files } = readStrictly(mail.replaceAll('\n', '\r\n'));
        const wanted = sent.get(nameIn(mail)) ?? [];
        const bytes = await Promise.all(wanted.map(async (one) => Buffer.from(await one.arrayBuffer())));
        return (
          files.length === wanted.length &&
          files.every(
            ({ name, bytes: came }, index) => name === wanted[index]?.name && bytes[index]?.equals(came),
          )
        );
      }),
    );
    const shown = {
      answer: [...new Set(answers)].join(),
      mails: found.length,
      'as sent': isSame.every(Boolean),
    };
    report(what, shown, shown.answer === '200' && shown.mails === each * names.length && shown['as sent']);
  };
  for (const [index, what] of Object.keys(ways).entries()) {
    const files = [
      file('cv.pdf', 1),
      file('Größe 日本.pdf', 1_000_003),
      file(`${'long '.repeat(30)}x.pdf`, 57_000),
    ];
    const name = `files-${index}.`;
    const each = 'cc' in (outputs[index] ?? {}) ? 2 : 1;
    await row(`files, ${what}`, [await submitFiles(index, name, files)], new Map([[name, files]]), each);
  }
  const many = new Map(
    Array.from({ length: 12 }, (_, n) => [`many-files-${n}.`, [file(`${n}.pdf`, 5_000_000)]]),
  );
  const answers = await Promise.all([...many].map(([name, files], n) => submitFiles(n % 3, name, files)));
  await row('12 files of 5 MB at once, 5 connections allowed', answers, many);
  const large = await submitFiles(0, 'too-large.', [file('large.pdf', 8_000_000)]);
  const reason = relay.logged.find(({ event }) => event === 'delivery_failed')?.reason ?? '';
  const isTold = /^the message is larger than the server takes: 106\d\d KB, and at most 10000 KB$/.test(
    String(reason),
  );
  report('files longer than SIZE', { answer: large, reason, mails: 0 }, large === 500 && isTold);
  await relay.close();
  await roomy.close();
}

/** Whatever was answered 200 must be in the mailbox. A second copy is allowed where an answer got lost. */
async function account(what: string, server: Postfix, names: readonly string[], answers: readonly number[]) {
  const acknowledged = names.filter((_, index) => answers[index] === 200);
  const mails = await mailbox(server, (mails) => acknowledged.every((name) => mails(name) > 0));
  const row = {
    answer: `200: ${acknowledged.length}, 500: ${names.length - acknowledged.length}`,
    mails: names.filter((name) => mails(name) > 0).length,
    lost: acknowledged.filter((name) => mails(name) === 0).length,
    'second copies': names.filter((name) => mails(name) > 1).length,
  };
  report(what, row, row.lost === 0);
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
  const common = { type: 'smtp', host: 'localhost', from: 'relay@forms.example', to: office, mapping: '*' };
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
    env,
    effects: {
      smtp: async (message) => {
        await onSend(message);
        return smtp(message);
      },
    },
  });
}

async function submit(relay: TestRelay, form: number, name: string): Promise<number> {
  const values: [string, string][] = [
    ['name', name],
    ['email', 'visitor@firm.example'],
  ];
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
