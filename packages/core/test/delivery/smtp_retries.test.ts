import { describe, expect, test } from 'vitest';
import { relayWith, smtpScript } from '../../../../test/spec/stage.ts';
import { type Book, inTurn, type SmtpScript } from '../../../../test/support/smtp_script.ts';

async function start(port: number, keys = '') {
  const relay = await relayWith({
    config: `
forms:
  contact:
    fields: [{name: email}]
    outputs:
      - {type: smtp, host: 127.0.0.1, port: ${port}, to: 'office@firm.example, sales@firm.example', mapping: "*"${keys}}
`,
    effects: { random: () => 0.5 },
  });
  const submit = async () => (await relay.submit('contact', [['email', 'a@b.example']])).status;
  const reasons = () => relay.logged.filter(({ event }) => event === 'retrying').map(({ reason }) => reason);
  return { submit, waited: relay.waited, reasons };
}

/** How many mails were taken. */
const mails = ({ commands }: SmtpScript) => commands.filter((line) => line === '.').length;
const messageIds = ({ wire }: SmtpScript) =>
  [...wire.matchAll(/^Message-ID:\s+(\S+)/gim)].map(([, id]) => id);

const offering = (extension: string) => `250-mail.test\r\n250 ${extension}`;
const auth = { EHLO: offering('AUTH PLAIN'), AUTH: '235 2.7.0 welcome' };
const login = ', username: u, password: p';
const closed = 'the connection closed before the server accepted the message';

interface Case {
  readonly first: string;
  readonly book: Book;
  readonly reason: string;
  readonly keys?: string;
}

describe('failures that another try may cure are retried', () => {
  test.each<Case>([
    {
      first: 'a greeting of 421',
      book: { greeting: inTurn('421 4.3.2 too many', '220 mail.test') },
      reason: 'the server refused the connection: 421 4.3.2',
    },
    {
      first: 'an AUTH that gets 454',
      book: { ...auth, AUTH: inTurn('454 4.7.0 temporary', '235 2.7.0 ok') },
      keys: login,
      reason: 'authentication refused: 454 4.7.0',
    },
    {
      first: 'greylisting',
      book: { RCPT: inTurn('450 4.2.0 greylisted', '250 ok') },
      reason: 'the server refused a recipient: 450 4.2.0 (number 1 of 2 in `to`, `cc` and `bcc`)',
    },
    {
      first: 'greylisting of the second recipient, pipelined',
      book: { EHLO: offering('PIPELINING'), RCPT: inTurn('250 ok', '451 4.7.1 greylisted', '250 ok') },
      reason: 'the server refused a recipient: 451 4.7.1 (number 2 of 2 in `to`, `cc` and `bcc`)',
    },
    {
      first: 'a 421 at DATA',
      book: { DATA: inTurn('421 4.3.2 shutting down', '354 go') },
      reason: `${closed}: 421 4.3.2`,
    },
    {
      first: 'a connection that closes at the greeting',
      book: { greeting: inTurn((socket) => socket.end(), '220 mail.test') },
      reason: 'the connection closed before the server greeted',
    },
    {
      first: 'a connection that is reset at MAIL',
      book: { MAIL: inTurn((socket) => socket.resetAndDestroy(), '250 ok') },
      reason: closed,
    },
  ])('$first', async ({ book, reason, keys }) => {
    const script = await smtpScript(book);
    const relay = await start(script.port, keys);
    expect(await relay.submit()).toBe(200);
    expect(mails(script)).toBe(1);
    expect(relay.waited).toEqual([750]);
    expect(relay.reasons()).toEqual([reason]);
  });

  test.each<[string, Book]>([
    ['a 451 to the mail itself', { '.': inTurn('451 4.3.0 try again', '250 ok') }],
    ['a connection that closes after the mail', { '.': inTurn((socket) => socket.destroy(), '250 ok') }],
  ])('%s: with the same Message-ID, so that a second copy is known as one', async (_first, book) => {
    const script = await smtpScript(book);
    const relay = await start(script.port);
    expect(await relay.submit()).toBe(200);
    const [first, second, ...more] = messageIds(script);
    expect(first).toMatch(/^<[\da-f-]{36}-0@/);
    expect(second).toBe(first);
    expect(more).toEqual([]);
  });
});

describe('failures that no other try would cure are not retried', () => {
  test.each<[string, Book, string?]>([
    ['a greeting of 554', { greeting: '554 5.3.2 no' }],
    ['wrong credentials', { ...auth, AUTH: '535 5.7.8 wrong' }, login],
    ['a server without AUTH', {}, login],
    ['a sender that gets 550', { MAIL: '550 5.1.8 who?' }],
    ['a recipient that gets 550', { RCPT: '550 5.1.1 who?' }],
    ['a second recipient that gets 550', { RCPT: inTurn('250 ok', '550 5.1.1 who?') }],
    ['a DATA that gets 554', { DATA: '554 5.5.1 no' }],
    ['a mail that gets 552', { '.': '552 5.2.3 too big' }],
    ['a server that offers no TLS', {}, ', tls: required'],
    ['something else than SMTP', { greeting: 'HTTP/1.1 400 Bad Request' }],
    ['silence', { RCPT: () => {} }, ', timeout: 200ms'],
  ])('%s', async (_what, book, keys) => {
    const script = await smtpScript(book);
    const relay = await start(script.port, keys);
    expect(await relay.submit()).toBe(500);
    expect(script.accepted).toBe(1);
    expect(relay.waited).toEqual([]);
  });
});

test('when a server stops, no more mails are acknowledged than it took', async () => {
  const script = await smtpScript({ EHLO: offering('PIPELINING') });
  const relay = await start(script.port, ', retries: 0');
  const answers = Promise.all(Array.from({ length: 200 }, relay.submit));
  await expect.poll(() => mails(script), { interval: 1 }).toBeGreaterThan(10);
  await script.close();
  const statuses = await answers;
  const acknowledged = statuses.filter((status) => status === 200).length;
  expect(acknowledged).toBeGreaterThan(0);
  expect(acknowledged).toBeLessThanOrEqual(mails(script));
});
