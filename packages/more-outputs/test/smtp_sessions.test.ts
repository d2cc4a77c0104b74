/** How SMTP sessions end, and how many mails they carry, tested through a relay. */
import { relayWith, smtpScript, smtpTo } from '../../../test/support/index.ts';
import { type Book, beginTls, inTurn, type SmtpScript } from '../../../test/support/smtp_script.ts';

/** A relay whose form sends mails to the server. @param keys Additional keys of the output. */
async function contact(server: SmtpScript, keys = '', host = '127.0.0.1') {
  const output = `{type: smtp, host: ${host}, port: ${server.port}, from: a@example.com, to: "b@example.com, c@example.com", mapping: "*", retries: 0${keys}}`;
  const relay = await relayWith({
    config: `forms: {contact: {fields: [{name: text}], outputs: [${output}]}}`,
    ...(host !== '127.0.0.1' && { effects: { smtp: smtpTo(server.port) } }),
  });
  return { ...relay, send: (text = 'hello') => relay.submit('contact', [['text', text]]) };
}

const words = (commands: readonly string[]) => commands.map((line) => line.split(/[ :]/, 1)[0]);
const mails = (server: SmtpScript) =>
  server.conversations.map((commands) => commands.filter((line) => line === '.').length);

const exim = '220 mx.example ESMTP Exim 4.98 Fri, 27 Nov 2026 10:00:00 +0000';
const pipelining = { EHLO: '250-mail.test\r\n250-SIZE 50000\r\n250 PIPELINING' };

describe('a connection', () => {
  test.each<readonly [what: string, book: Book, keys: string, mails: number, connections: readonly number[]]>(
    [
      ['Exim', { greeting: exim }, '', 15, [10, 5]],
      [
        'cPanel',
        {
          greeting:
            '220-host.example ESMTP Exim 4.98 #2 Fri, 27 Nov 2026 10:00:00 +0000 \r\n220-We do not authorize\r\n220 the use of this system.',
        },
        '',
        11,
        [10, 1],
      ],
      ['Exim in TLS', { greeting: exim, EHLO: '250-m\r\n250 STARTTLS', STARTTLS: beginTls }, '', 11, [10, 1]],
      ['a host of that name', { greeting: '220 exim.example ESMTP Postfix' }, '', 11, [11]],
      ['another server', {}, '', 11, [11]],
    ],
  )('to %s carries up to this many mails', async (what, book, keys, count, connections) => {
    const server = await smtpScript(book);
    const relay = await contact(server, keys, what.endsWith('TLS') ? 'mail.test' : undefined);
    for (let mail = 0; mail < count; mail += 1) expect((await relay.send()).status).toBe(200);
    expect(mails(server)).toEqual(connections);
    for (const full of server.conversations.slice(0, -1)) expect(full.at(-1)).toBe('QUIT');
  });

  test('to Exim carries at most ten mails, however many are sent at once', async () => {
    const server = await smtpScript({ greeting: exim });
    const relay = await contact(server);
    const answers = await Promise.all(Array.from({ length: 250 }, () => relay.send()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const carried = mails(server);
    expect(carried.reduce((sum, one) => sum + one, 0)).toBe(250);
    expect(Math.max(...carried)).toBe(10);
  });

  test('that is full must end before the next, if the server allows only one', async () => {
    const server: SmtpScript = await smtpScript({
      greeting: (socket) => {
        if (server.sockets.size > 1) socket.end('421 4.7.0 too many connections\r\n');
        else socket.write(`${exim}\r\n`);
      },
      // Some servers are slow to respond to QUIT.
      QUIT: (socket) => setTimeout(() => socket.end('221 bye\r\n'), 20),
    });
    const relay = await contact(server);
    for (let mail = 0; mail < 21; mail += 1) expect((await relay.send()).status).toBe(200);
    expect(mails(server).filter((count) => count > 0)).toEqual([10, 10, 1]);
  });
});

describe('QUIT ends a session', () => {
  const login = ', username: u, password: p';
  const auth = '250-mail.test\r\n250 AUTH PLAIN LOGIN';

  test.each<readonly [what: string, book: Book, keys: string, last: readonly string[]]>([
    ['a refused greeting', { greeting: '554 5.3.2 no' }, '', ['QUIT']],
    ['no TLS where it is required', {}, ', tls: required', ['EHLO', 'QUIT']],
    ['refused STARTTLS', { EHLO: '250-m\r\n250 STARTTLS', STARTTLS: '454 later' }, '', ['STARTTLS', 'QUIT']],
    ['a refused login', { EHLO: auth, AUTH: '535 5.7.8 no' }, login, ['AUTH', 'QUIT']],
    [
      'a refused password',
      { EHLO: auth, AUTH: '334 VXNlcm5hbWU6', dQ: '', 'dQ==': '334 UGFzc3dvcmQ6', 'cA==': '535 5.7.8 no' },
      `${login}, auth: login`,
      ['AUTH', 'dQ==', 'cA==', 'QUIT'],
    ],
    ['a refused recipient', { RCPT: '550 5.1.1 no' }, '', ['RCPT', 'QUIT']],
    ['a refused message', { '.': '554 5.7.1 spam' }, '', ['DATA', '.', 'QUIT']],
    ['a message that is too large', { EHLO: '250-m\r\n250 SIZE 100' }, '', ['EHLO', 'QUIT']],
    [
      'all recipients refused with PIPELINING',
      { ...pipelining, RCPT: '550 5.1.1 no', DATA: '554 5.5.1 no valid recipients' },
      '',
      ['MAIL', 'RCPT', 'RCPT', 'DATA', 'QUIT'],
    ],
    ['DATA refused with PIPELINING', { ...pipelining, DATA: '451 4.3.0 no' }, '', ['RCPT', 'DATA', 'QUIT']],
    // The next bytes would be part of the mail.
    [
      'but none follows DATA that was taken for another recipient',
      { ...pipelining, RCPT: inTurn('250 ok', '550 5.1.1 no') },
      '',
      ['MAIL', 'RCPT', 'RCPT', 'DATA'],
    ],
    ['but none follows what is not SMTP', { RCPT: 'HTTP/1.1 200 OK' }, '', ['MAIL', 'RCPT']],
    ['but none follows 421, which is the server’s own', { MAIL: '421 4.3.2 bye' }, '', ['EHLO', 'MAIL']],
  ])('after %s', async (_, book, keys, last) => {
    const server = await smtpScript(book);
    const relay = await contact(server, keys);
    expect((await relay.send()).status).toBe(500);
    await expect.poll(() => server.sockets.size).toBe(0);
    expect(words(server.commands).slice(-last.length)).toEqual(last);
    expect(words(server.commands).filter((word) => word === 'QUIT').length).toBe(
      last.includes('QUIT') ? 1 : 0,
    );
  });

  test('inside TLS, with a proper close_notify', async () => {
    let isWhole = false;
    const server = await smtpScript({
      EHLO: '250-mail.test\r\n250 STARTTLS',
      STARTTLS: beginTls,
      RCPT: (socket) => {
        // A TLS socket ends after close_notify, and fails without it.
        socket.on('end', () => {
          isWhole = true;
        });
        socket.write('550 5.1.1 no\r\n');
      },
    });
    const relay = await contact(server, '', 'mail.test');
    expect((await relay.send()).status).toBe(500);
    await expect.poll(() => server.sockets.size).toBe(0);
    expect(server.commands.at(-1)).toBe('QUIT');
    expect(isWhole).toBe(true);
  });

  test('and the client does not wait for its response', async () => {
    // The server neither closes nor responds.
    const server = await smtpScript({
      RCPT: inTurn('550 5.1.1 no', '250 ok'),
      QUIT: (socket) => {
        socket.allowHalfOpen = true;
      },
    });
    const relay = await contact(server);
    expect((await relay.send()).status).toBe(500);
    expect((await relay.send()).status).toBe(200);
    // The first connection is still open when the second mail is accepted.
    expect(server.sockets.size).toBe(2);
    expect(server.conversations.map(words)[0]).toContain('QUIT');
  });
});

describe('a login', () => {
  const auth = '250-mail.test\r\n250 AUTH PLAIN';
  const response = Buffer.from('\0u\0p').toString('base64');

  test.each(['334 ', '334', '334 =', '334 go on'])(
    'is sent again if the server asks for it after ignoring it: %j',
    async (challenge) => {
      const server = await smtpScript({ EHLO: auth, AUTH: challenge, [response]: '235 2.7.0 welcome' });
      const relay = await contact(server, ', username: u, password: p');
      expect((await relay.send()).status).toBe(200);
      expect(server.commands.slice(1, 4)).toEqual([
        `AUTH PLAIN ${response}`,
        response,
        'MAIL FROM:<a@example.com>',
      ]);
    },
  );

  test('that keeps asking for input fails the mail', async () => {
    const server = await smtpScript({ EHLO: auth, AUTH: '334 ', [response]: '334 ' });
    const relay = await contact(server, ', username: u, password: p');
    expect((await relay.send()).status).toBe(500);
    await expect.poll(() => server.sockets.size).toBe(0);
    expect(server.commands.slice(1)).toEqual([`AUTH PLAIN ${response}`, response]);
  });
});
