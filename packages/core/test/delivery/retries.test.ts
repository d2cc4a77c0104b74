import type { HttpSinkOptions, SinkAnswer } from '../../../../test/support/http_sink.ts';
import { contact, httpSink, rawServer, smtpScript } from '../../../../test/support/index.ts';
import { type Book, inTurn, type SmtpScript } from '../../../../test/support/smtp_script.ts';

const start = (url: string, keys = '') =>
  contact({
    fields: '[{name: email}]',
    outputs: `[{type: http_post, url: "${url}", mapping: "*"${keys}}]`,
    effects: { random: () => 0.5 },
  });

function sinkThatAnswers(...answers: readonly SinkAnswer[]) {
  const left = [...answers];
  const options: HttpSinkOptions = { answer: () => left.shift() ?? {} };
  return httpSink(options);
}

const body: [string, string][] = [['email', 'a@b.example']];

describe('temporary failures are retried', () => {
  test.each([408, 425, 502, 503, 504])('a response of %i', async (status) => {
    const sink = await sinkThatAnswers({ status });
    const relay = await start(sink.origin);
    expect((await relay.submit('contact', body)).status).toBe(200);
    expect(sink.requests.length).toBe(2);
    expect(relay.waited).toEqual([750]);
    expect(relay.logged).toMatchObject([
      { event: 'config_loaded' },
      { event: 'retrying', level: 'warn', reason: `the server answered ${status}`, output: 0 },
      { event: 'submission', outcome: 'delivered', deliveries: [{ outcome: 'delivered', tries: 2 }] },
    ]);
  });

  test('a connection that is reset before a response', async () => {
    const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
    const server = await rawServer({
      post: (socket) => (server.connections === 1 ? socket.resetAndDestroy() : socket.end(ok)),
    });
    const relay = await start(server.origin);
    expect((await relay.submit('contact', body)).status).toBe(200);
    expect(server.connections).toBe(2);
  });
});

test('each wait is twice as long as the previous one, and `retries` limits their number', async () => {
  const sink = await sinkThatAnswers(...Array.from({ length: 9 }, () => ({ status: 503 })));
  const relay = await start(sink.origin, ', retries: 3');
  expect((await relay.submit('contact', body)).status).toBe(500);
  expect(sink.requests.length).toBe(4);
  expect(relay.waited).toEqual([750, 1_500, 3_000]);
});

test('no attempt begins after the output’s timeout', async () => {
  const sink = await sinkThatAnswers(...Array.from({ length: 9 }, () => ({ status: 503 })));
  const relay = await start(sink.origin, ', retries: 5, timeout: 3s');
  expect((await relay.submit('contact', body)).status).toBe(500);
  expect(relay.waited).toEqual([750, 1_500]);
});

test('an Idempotency-Key in the config has priority', async () => {
  const sink = await sinkThatAnswers();
  const relay = await start(sink.origin, ', headers: {Idempotency-Key: "{{ .fields.email }}"}');
  await relay.submit('contact', body);
  expect(sink.requests[0]?.headers['idempotency-key']).toBe('a@b.example');
});

test('a clock that is set back does not extend an attempt', async () => {
  let tries = 0;
  const sink = await httpSink({
    answer: () => {
      relay.advance(-3_600_000);
      tries += 1;
      return tries === 1 ? { status: 503 } : new Promise<never>(() => {});
    },
  });
  const relay = await start(sink.origin, ', timeout: 1s');
  const startedAt = performance.now();
  expect((await relay.submit('contact', body)).status).toBe(500);
  expect(tries).toBe(2);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});

async function startSmtpRetries(port: number, keys = '') {
  const to = `host: 127.0.0.1, port: ${port}, to: 'office@firm.example, sales@firm.example'`;
  const relay = await contact({
    fields: '[{name: email}]',
    outputs: `[{type: smtp, ${to}, mapping: "*"${keys}}]`,
    effects: { random: () => 0.5 },
  });
  const submit = async () => (await relay.submit('contact', [['email', 'a@b.example']])).status;
  const reasons = () => relay.logged.filter(({ event }) => event === 'retrying').map(({ reason }) => reason);
  return { submit, waited: relay.waited, reasons };
}

/** The number of accepted mails. */
const mails = ({ commands }: SmtpScript) => commands.filter((line) => line === '.').length;
const messageIds = ({ wire }: SmtpScript) =>
  [...wire.matchAll(/^Message-ID:\s+(\S+)/gim)].map(([, id]) => id);

const offering = (extension: string) => `250-mail.test\r\n250 ${extension}`;
const auth = { EHLO: offering('AUTH PLAIN'), AUTH: '235 2.7.0 welcome' };
const login = ', username: u, password: p';
const closed = 'the connection closed before the server accepted the message';

describe('temporary failures of SMTP are retried', () => {
  const recipient = (reply: string, number: number) =>
    `the server refused a recipient: ${reply} (number ${number} of 2 in \`to\`, \`cc\` and \`bcc\`)`;
  const later: Book = { EHLO: offering('PIPELINING'), RCPT: inTurn('250 ok', '451 4.7.1 grey', '250 ok') };
  const many = 'the server refused the connection: 421 4.3.2';
  const early = 'the connection closed before the server greeted';
  const unauthorized: Book = { ...auth, AUTH: inTurn('454 4.7.0 temporary', '235 2.7.0 ok') };
  test.each<[first: string, book: Book, reason: string, keys?: string]>([
    ['a greeting of 421', { greeting: inTurn('421 4.3.2 too many', '220 mail.test') }, many],
    ['an AUTH that gets 454', unauthorized, 'authentication refused: 454 4.7.0', login],
    ['greylisting', { RCPT: inTurn('450 4.2.0 grey', '250 ok') }, recipient('450 4.2.0', 1)],
    ['greylisting of the second recipient, pipelined', later, recipient('451 4.7.1', 2)],
    ['a 421 at DATA', { DATA: inTurn('421 4.3.2 shutting down', '354 go') }, `${closed}: 421 4.3.2`],
    ['a close at the greeting', { greeting: inTurn((socket) => socket.end(), '220 mail.test') }, early],
    ['a reset at MAIL', { MAIL: inTurn((socket) => socket.resetAndDestroy(), '250 ok') }, closed],
  ])('%s', async (_, book, reason, keys) => {
    const script = await smtpScript(book);
    const relay = await startSmtpRetries(script.port, keys);
    expect(await relay.submit()).toBe(200);
    expect(mails(script)).toBe(1);
    expect(relay.waited).toEqual([750]);
    expect(relay.reasons()).toEqual([reason]);
  });

  test.each<[string, Book]>([
    ['a 451 to the mail itself', { '.': inTurn('451 4.3.0 try again', '250 ok') }],
    ['a connection that closes after the mail', { '.': inTurn((socket) => socket.destroy(), '250 ok') }],
  ])('%s: with the same Message-ID, so that a duplicate is recognized', async (_first, book) => {
    const script = await smtpScript(book);
    const relay = await startSmtpRetries(script.port);
    expect(await relay.submit()).toBe(200);
    const [first, second, ...more] = messageIds(script);
    expect(first).toMatch(/^<[\da-f-]{36}-0@/);
    expect(second).toBe(first);
    expect(more).toEqual([]);
  });
});

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
])('permanent failures are not retried: %s', async (_what, book, keys) => {
  const script = await smtpScript(book);
  const relay = await startSmtpRetries(script.port, keys);
  expect(await relay.submit()).toBe(500);
  expect(script.accepted).toBe(1);
  expect(relay.waited).toEqual([]);
});

test('when a server stops, no more mails are acknowledged than it accepted', async () => {
  const script = await smtpScript({ EHLO: offering('PIPELINING') });
  const relay = await startSmtpRetries(script.port, ', retries: 0');
  const answers = Promise.all(Array.from({ length: 200 }, relay.submit));
  await expect.poll(() => mails(script), { interval: 1 }).toBeGreaterThan(10);
  await script.close();
  const statuses = await answers;
  const acknowledged = statuses.filter((status) => status === 200).length;
  expect(acknowledged).toBeGreaterThan(0);
  expect(acknowledged).toBeLessThanOrEqual(mails(script));
});
