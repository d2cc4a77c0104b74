import type net from 'node:net';
import { connect } from 'node:net';
import * as certificates from '../../../../test/support/certificates.ts';
import { type Book, inTurn, smtpScript, smtpSink } from '../../../../test/support/index.ts';
import type { SmtpMessage } from '../../../core/src/services.ts';
import { createSmtpClient, type SmtpClientOptions } from '../../src/smtp/smtp_client.ts';
import { sampleMail } from './sample_mail.ts';

afterEach(() => void vi.useRealTimers());

/** Sends messages to one server with one client. */
function sender(port: number, options: SmtpClientOptions = {}) {
  const client = createSmtpClient({ ca: certificates.ca, ...options });
  onTestFinished(client.close);
  const send = (message: Partial<SmtpMessage> = {}) => client({ ...sampleMail, port, ...message });
  return { send, close: client.close };
}

const gone = (sockets: ReadonlySet<unknown>) => expect.poll(() => sockets.size, { interval: 5 }).toBe(0);
const count = (commands: readonly string[], word: string) =>
  commands.filter((line) => line.split(' ')[0] === word).length;
const cut = (socket: net.Socket) => socket.destroy();
const hang = () => {};

describe('a connection', () => {
  test('starts TLS and logs in once for all its mails', async () => {
    const credentials = { username: 'u', password: 'p' };
    const sink = await smtpSink({ tls: 'starttls', auth: credentials });
    const { send } = sender(sink.port);
    for (let mail = 0; mail < 3; mail += 1) await send({ credentials, tls: 'required' });
    expect(sink.mails).toMatchObject(Array(3).fill({ secure: true, user: 'u' }));
    expect(sink.openConnections()).toBe(1);
  });

  test.each<[string, Partial<SmtpMessage>]>([
    ['host', { host: 'localhost' }],
    ['port', { port: 2525 }],
    ['rule for TLS', { tls: 'required' }],
    ['username', { credentials: { username: 'v', password: 'p' } }],
    ['password', { credentials: { username: 'u', password: 'q' } }],
    ['word about credentials', { credentials: undefined }],
  ] as never)('is not used for a mail with another %s', async (_what, message) => {
    const script = await smtpScript({ EHLO: '250-mail.test\r\n250 AUTH PLAIN', AUTH: '235 2.7.0 ok' });
    const { send } = sender(script.port, {
      connect: (to) => connect({ ...to, port: script.port, host: '127.0.0.1' }),
    });
    await send({ credentials: { username: 'u', password: 'p' } });
    await send({ credentials: { username: 'u', password: 'p' }, ...message }).catch(() => {});
    expect(script.accepted).toBe(2);
  });

  test('ends with QUIT after four idle seconds', async () => {
    const script = await smtpScript();
    const { send } = sender(script.port);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await send();
    vi.advanceTimersByTime(3_999);
    await send();
    vi.advanceTimersByTime(3_999);
    expect(script.sockets.size).toBe(1);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    await gone(script.sockets);
    expect(script.accepted).toBe(1);
    expect(script.commands.at(-1)).toBe('QUIT');
  });

  test('that was idle for longer by the clock is not used: no timer runs while a function is frozen', async () => {
    let now = 0;
    const script = await smtpScript();
    const { send } = sender(script.port, { now: () => now });
    await send();
    now += 4_001;
    await send();
    expect(script.accepted).toBe(2);
  });

  test('ends with QUIT when the client closes', async () => {
    const script = await smtpScript();
    const { send, close } = sender(script.port);
    await Promise.all([send(), send(), send()]);
    close();
    await gone(script.sockets);
    expect(count(script.commands, 'QUIT')).toBe(3);
  });
});

describe('many mails at once', () => {
  test('share twenty connections, and queue for them', async () => {
    const script = await smtpScript();
    const { send } = sender(script.port);
    await Promise.all(Array.from({ length: 100 }, (_, mail) => send({ to: [`n${mail}@firm.example`] })));
    expect(script.accepted).toBe(20);
    const recipients = script.commands.filter((line) => line.startsWith('RCPT'));
    expect(new Set(recipients).size).toBe(100);
  });

  test('use no more connections than the server accepts', async () => {
    const script = await smtpScript({
      greeting: (socket) => {
        if (script.sockets.size > 3) socket.end('421 4.7.0 too many connections\r\n');
        else socket.write('220 mail.test\r\n');
      },
    });
    const { send } = sender(script.port);
    await Promise.all(Array.from({ length: 60 }, () => send()));
    expect(count(script.commands, '.')).toBe(60);
    expect(script.accepted).toBe(20);
  });
});

describe('a server that delays the greeting of further connections', () => {
  /** Greets as many connections as it has processes, and each further one when another has closed. */
  function processes(most: number): Book[string] {
    const waiting: net.Socket[] = [];
    let busy = 0;
    const next = () => {
      if (busy === most) return;
      const socket = waiting.find((socket) => !socket.destroyed);
      if (!socket) return;
      waiting.splice(0, waiting.indexOf(socket) + 1);
      busy += 1;
      socket.on('close', () => {
        busy -= 1;
        next();
      });
      socket.write('220 mail.test\r\n');
    };
    return (socket) => {
      waiting.push(socket);
      next();
    };
  }
  const recipients = (commands: readonly string[]) => commands.filter((line) => line.startsWith('RCPT'));

  test.each([
    [1, 2],
    [1, 50],
    [5, 20],
    [10, 20],
  ])('greets only %i connections, and gets all of %i mails once', async (most, mails) => {
    const script = await smtpScript({ greeting: processes(most) });
    const { send } = sender(script.port);
    await Promise.all(Array.from({ length: mails }, (_, mail) => send({ to: [`n${mail}@firm.example`] })));
    expect(count(script.commands, 'EHLO')).toBe(most);
    expect(count(script.commands, '.')).toBe(mails);
    expect(new Set(recipients(script.commands)).size).toBe(mails);
    expect(script.accepted).toBeLessThanOrEqual(20);
  });

  test('fails only the mail whose own connection fails while it waits', async () => {
    const script = await smtpScript({
      greeting: inTurn('220 mail.test', hang, '554 5.3.2 no'),
      '.': inTurn(hang),
    });
    const { send } = sender(script.port);
    const first = send();
    await expect.poll(() => count(script.commands, '.')).toBe(1);
    const second = send();
    await expect.poll(() => script.accepted).toBe(2);
    await expect(send()).rejects.toThrow('the server refused the connection: 554 5.3.2');
    const [socket] = script.sockets;
    socket?.write('250 taken\r\n');
    await first;
    await expect.poll(() => count(script.commands, '.')).toBe(2);
    socket?.write('250 taken\r\n');
    await second;
  });
});

describe('a connection that the server closed while it was idle', () => {
  const taken = '250 2.0.0 taken';

  test.each<[string, (socket: net.Socket) => void]>([
    ['quietly', (socket) => socket.end()],
    ['roughly', (socket) => socket.resetAndDestroy()],
    ['with a word', (socket) => socket.end('421 4.4.2 timeout\r\n')],
    ['with a wrong word', (socket) => socket.write('250 hello?\r\n')],
  ])('(%s) is not used again', async (_how, leave) => {
    const script = await smtpScript();
    const { send } = sender(script.port);
    await send();
    const [socket] = script.sockets;
    if (socket) leave(socket);
    await gone(script.sockets);
    await send();
    expect(script.accepted).toBe(2);
  });

  test.each<[string, Book]>([
    ['closes', { MAIL: inTurn('250 ok', (socket) => socket.end(), '250 ok') }],
    ['resets', { MAIL: inTurn('250 ok', (socket) => socket.resetAndDestroy(), '250 ok') }],
    ['says 421 to MAIL', { MAIL: inTurn('250 ok', '421 4.7.0 too many mails', '250 ok') }],
    ['says 421 to RCPT', { RCPT: inTurn('250 ok', '421 4.7.0 too many mails', '250 ok') }],
    ['refuses MAIL', { MAIL: inTurn('250 ok', '503 5.5.1 one mail a session', '250 ok') }],
    ['refuses MAIL for now', { MAIL: inTurn('250 ok', '452 4.5.3 too many mails', '250 ok') }],
    [
      'refuses MAIL with PIPELINING',
      {
        EHLO: '250-mail.test\r\n250 PIPELINING',
        MAIL: inTurn('250 ok', '550 5.7.0 one mail a session', '250 ok'),
        RCPT: inTurn('250 ok', '503 5.5.1 MAIL first', '250 ok'),
        DATA: inTurn('354 go', '503 5.5.1 MAIL first', '354 go'),
      },
    ],
    ['closes at DATA', { DATA: inTurn('354 go', cut, '354 go') }],
  ])('is replaced at once if the server %s during the next mail', async (_how, book) => {
    const script = await smtpScript(book);
    const { send } = sender(script.port);
    await send();
    await send();
    expect(script.accepted).toBe(2);
    expect(count(script.commands, '.')).toBe(2);
    await expect.poll(() => script.sockets.size).toBe(1);
  });

  test('is replaced by a new one if the server refuses the sender, and the others are kept', async () => {
    const script = await smtpScript({
      MAIL: (socket, command) => socket.write(command.includes('bad') ? '550 5.1.8 who?\r\n' : '250 ok\r\n'),
    });
    const { send } = sender(script.port);
    await Promise.all([send(), send(), send()]);
    await expect(send({ from: 'bad@forms.example' })).rejects.toThrow(
      'the server refused the sender: 550 5.1.8',
    );
    expect(count(script.commands, 'MAIL')).toBe(5);
    await Promise.all([send(), send()]);
    expect(script.accepted).toBe(4);
  });

  test('is not replaced after the text was sent, because the server may have the mail', async () => {
    const script = await smtpScript({ '.': inTurn(taken, cut, taken) });
    const { send } = sender(script.port);
    await send();
    await expect(send()).rejects.toThrow('the connection closed before the server accepted the message');
    expect(script.accepted).toBe(1);
  });
});

describe('the envelope', () => {
  const PIPELINING = '250-mail.test\r\n250 PIPELINING';
  const to = ['a@firm.example', 'b@firm.example'];

  test('is sent at once if the server offers PIPELINING, and the text when the server asks for it', async () => {
    const script = await smtpScript({ EHLO: PIPELINING, MAIL: hang, RCPT: hang, DATA: hang });
    const { send } = sender(script.port);
    const sending = send({ to });
    await expect.poll(() => script.commands.at(-1)).toBe('DATA');
    expect(script.commands.slice(1)).toEqual([
      'MAIL FROM:<relay@forms.example>',
      'RCPT TO:<a@firm.example>',
      'RCPT TO:<b@firm.example>',
      'DATA',
    ]);
    expect(script.wire).toMatch(/DATA\r\n$/);
    const [socket] = script.sockets;
    socket?.write('250 ok\r\n250 ok\r\n250 ok\r\n354 go\r\n');
    await sending;
    expect(script.commands.at(-1)).toBe('.');
  });

  test('with a refused recipient is not followed by the text, even if the server asks for it', async () => {
    const script = await smtpScript({ EHLO: PIPELINING, RCPT: inTurn('250 ok', '450 4.7.1 greylisted') });
    const { send } = sender(script.port);
    await expect(send({ to, text: 'secret=1\n' })).rejects.toMatchObject({
      message: 'the server refused a recipient: 450 4.7.1 (number 2 of 2 in `to`, `cc` and `bcc`)',
      retryAfterMs: 0,
    });
    await gone(script.sockets);
    expect(script.wire).not.toContain('secret');
    expect(script.commands).not.toContain('.');
  });

  test('has the size if the server wants to know it', async () => {
    const script = await smtpScript({ EHLO: '250-mail.test\r\n250 SIZE 10000' });
    const { send } = sender(script.port);
    await send();
    const [, mail = ''] = /DATA\r\n(.*)\.\r\n$/s.exec(script.wire) ?? [];
    expect(script.commands[1]).toBe(`MAIL FROM:<relay@forms.example> SIZE=${mail.length}`);
    await expect(send({ text: 'x'.repeat(10_000) })).rejects.toMatchObject({
      message: 'the message is too large for the server: 11 KB, and the limit is 9 KB',
      retryAfterMs: undefined,
    });
  });
});
