import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import tls from 'node:tls';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ClientError, failed } from '../../packages/relay/src/base/client_error.ts';
import type { SmtpMessage } from '../../packages/relay/src/base/effects.ts';
import {
  createSmtpClient,
  type SmtpClientOptions,
} from '../../packages/relay/src/transports/smtp/smtp_client.ts';
import * as certificates from '../support/certificates.ts';
import { runs } from '../support/fuzz.ts';
import { type Book, beginTls, inTurn, startSmtpScript } from '../support/smtp_script.ts';
import { type SmtpSinkOptions, startSmtpSink } from '../support/smtp_sink.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const sample = {
  host: '127.0.0.1',
  tls: 'opportunistic',
  from: 'relay@forms.example',
  to: ['office@firm.example'],
  subject: 'Contact',
  text: 'email=a@b.example\nname=Ann\n',
  messageId: 'b7-0@forms.example',
  date: Date.UTC(2026, 1, 3, 4, 5, 6),
  timeoutMs: 5000,
} satisfies Partial<SmtpMessage>;
const credentials = { username: 'u', password: 'pässword' };
const trusting = { ca: certificates.ca };

async function startSink(options?: SmtpSinkOptions) {
  const sink = await startSmtpSink(options);
  cleanups.push(sink.close);
  return sink;
}

function send(
  message: Partial<SmtpMessage> & { port: number },
  options?: SmtpClientOptions,
): Promise<unknown> {
  return createSmtpClient(options)({ ...sample, ...message });
}

/** The reason of the failure that must come. */
async function failure(sending: Promise<unknown>): Promise<string> {
  const error = await sending.then(
    () => expect.unreachable('the mail counts as delivered'),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(ClientError);
  return (error as ClientError).message;
}

/** A connection that believes to go to the host and port of the message, and goes to `port`. */
function leadTo(port: number): SmtpClientOptions {
  return { ...trusting, connect: (to) => net.connect({ ...to, port, host: '127.0.0.1' }) };
}

async function startScript(book?: Book) {
  const script = await startSmtpScript(book);
  cleanups.push(script.close);
  return script;
}

const gone = (sockets: ReadonlySet<unknown>) => expect.poll(() => sockets.size, { interval: 5 }).toBe(0);

function header(raw: string, name: string): string | undefined {
  const unfolded = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]/g, ' ');
  return new RegExp(`^${name}: (.*)$`, 'im').exec(unfolded)?.[1];
}

describe('the message', () => {
  test('has the headers of an automatic mail, and the text as its body', async () => {
    const sink = await startSink();
    await send({ port: sink.port, to: ['a@firm.example', 'b@firm.example'], replyTo: 'ann@home.example' });
    const [mail] = sink.mails;
    expect(mail?.envelope).toEqual({ from: 'relay@forms.example', to: ['a@firm.example', 'b@firm.example'] });
    const raw = mail?.raw ?? '';
    expect(header(raw, 'From')).toBe('relay@forms.example');
    expect(header(raw, 'To')).toBe('a@firm.example, b@firm.example');
    expect(header(raw, 'Reply-To')).toBe('ann@home.example');
    expect(header(raw, 'Subject')).toBe('Contact');
    expect(header(raw, 'Date')).toBe('Tue, 03 Feb 2026 04:05:06 +0000');
    expect(header(raw, 'Message-ID')).toBe('<b7-0@forms.example>');
    expect(header(raw, 'Auto-Submitted')).toBe('auto-generated');
    expect(header(raw, 'Content-Type')).toBe('text/plain; charset=utf-8');
    expect(raw.slice(raw.indexOf('\r\n\r\n') + 4)).toBe('email=a@b.example\r\nname=Ann\r\n');
  });

  test('has no Reply-To unless one is given', async () => {
    const sink = await startSink();
    await send({ port: sink.port });
    expect(header(sink.mails[0]?.raw ?? '', 'Reply-To')).toBeUndefined();
  });

  test('may have no text at all', async () => {
    const sink = await startSink();
    await send({ port: sink.port, text: '' });
    expect(sink.mails[0]?.raw).toMatch(/\r\n\r\n(\r\n)?$/);
  });

  test.each(['[192.0.2.1]', '[IPv6:2001:db8::1]'])('may come from %s', async (literal) => {
    const script = await startScript();
    await send({ port: script.port, from: `relay@${literal}`, messageId: `b7-0@${literal}` });
    // Case does not matter to the tag (RFC 5321, 2.4).
    const sender = `relay@${literal}`.toLowerCase();
    expect(script.commands[1]?.toLowerCase()).toBe(`mail from:<${sender}>`);
    expect(header(script.wire, 'From')?.toLowerCase()).toContain(sender);
    expect(header(script.wire, 'Message-ID')).toMatch(/^<[^@\s]+@\[[^\]\s]+\]>$/);
  });

  test.each([
    'Hello\r\nBcc: evil@evil.example',
    'Hello\nBcc: evil@evil.example',
    'Hello\rBcc: evil@evil.example',
    'Hello\r\n\r\nBcc: evil@evil.example',
  ])('gets no header from a subject like %j', async (subject) => {
    const sink = await startSink();
    await send({ port: sink.port, subject });
    const [mail] = sink.mails;
    expect(mail?.envelope.to).toEqual(['office@firm.example']);
    expect(header(mail?.raw ?? '', 'Bcc')).toBeUndefined();
    expect(header(mail?.raw ?? '', 'Subject')).toMatch(/^Hello +Bcc: evil@evil\.example$/);
  });

  test('gets no recipient from an address that holds two', async () => {
    const script = await startScript();
    await send({ port: script.port, to: ['a@b.example, evil@evil.example'] });
    expect(script.commands.filter((line) => line.startsWith('RCPT'))).toHaveLength(1);
    expect(script.wire).not.toContain('<evil@evil.example>');
  });

  test('keeps a subject in any language', async () => {
    const sink = await startSink();
    await send({ port: sink.port, subject: 'Grüße 👋 日本' });
    const words = header(sink.mails[0]?.raw ?? '', 'Subject') ?? '';
    expect(words).toMatch(/^[\x20-\x7e]+$/);
    expect(decodeWords(words)).toBe('Grüße 👋 日本');
  });

  test('arrives as it was written, whatever was written', async () => {
    const script = await startScript();
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      fc.constantFrom('.', '..', '.dot', '=20', 'From here', '', 'x'.repeat(2000), 'é'.repeat(2000)),
    );
    const text = fc
      .array(line, { maxLength: 8 })
      .map((lines) => `${lines.join('\n').replaceAll('\r', ' ')}\n`);
    await fc.assert(
      fc.asyncProperty(text, async (text) => {
        script.wire = '';
        await send({ port: script.port, text });
        const [, stuffed = ''] = /\r\nDATA\r\n(.*\r\n)\.\r\n/s.exec(script.wire) ?? [];
        const raw = stuffed.replace(/(?<=\r\n)\./g, '');
        expect(raw.split('\r\n').every((line) => line.length <= 998 && !/[\r\n]/.test(line))).toBe(true);
        expect(decodeBody(raw).replaceAll('\r\n', '\n')).toBe(text);
      }),
      runs(100, 0.1),
    );
  });

  test('has stuffed dots and CRLF alone on the wire', async () => {
    const script = await startScript();
    await send({ port: script.port, text: '.\n..\r\n.x\ra\n.\n' });
    const body = () => script.wire.slice(script.wire.indexOf('\r\n\r\n') + 4);
    expect(body()).toBe('..\r\n...\r\n..x\r\na\r\n..\r\n.\r\n');
    expect(script.wire).not.toMatch(/[^\r]\n|\r[^\n]/);
    expect(script.commands.filter((line) => line === '.')).toHaveLength(1);
  });
});

describe('TLS', () => {
  test('is not used where the server offers none', async () => {
    const sink = await startSink({ tls: 'none' });
    await send({ port: sink.port });
    expect(sink.mails).toMatchObject([{ secure: false, user: undefined }]);
  });

  test('is used where the server offers STARTTLS', async () => {
    const sink = await startSink({ tls: 'starttls' });
    await send({ port: sink.port }, trusting);
    await send({ port: sink.port, tls: 'required', host: 'localhost' }, leadTo(sink.port));
    expect(sink.mails).toMatchObject([{ secure: true }, { secure: true }]);
  });

  test('is used from the first byte on port 465', async () => {
    const sink = await startSink({ tls: 'implicit' });
    await send({ port: 465, tls: 'required', host: 'mail.test' }, leadTo(sink.port));
    expect(sink.mails).toMatchObject([{ secure: true }]);
  });

  test('is never left out when it is required', async () => {
    const script = await startScript();
    expect(await failure(send({ port: script.port, tls: 'required' }))).toBe(
      'the server offers no STARTTLS and tls is "required"',
    );
    expect(script.commands.filter((line) => line !== 'QUIT')).toHaveLength(1);
    await gone(script.sockets);
  });

  test.each(['opportunistic', 'required'] as const)(
    'is not given up when %s STARTTLS is refused',
    async (tls) => {
      const script = await startScript({
        EHLO: '250-mail.test\r\n250 STARTTLS',
        STARTTLS: '454 4.7.0 not now',
      });
      expect(await failure(send({ port: script.port, tls }))).toBe('the server refused STARTTLS: 454 4.7.0');
      expect(script.commands.at(-1)).toBe('STARTTLS');
      await gone(script.sockets);
    },
  );

  test('believes nothing that was said before it began', async () => {
    const script = await startScript({
      EHLO: '250-mail.test\r\n250 STARTTLS',
      STARTTLS: (socket) => {
        socket.removeAllListeners('data');
        socket.write('220 go\r\n250 AUTH PLAIN\r\n');
        new tls.TLSSocket(socket, { isServer: true, ...certificates.server })
          .on('error', () => {})
          .on('data', function (this: net.Socket) {
            this.write('250 mail.test\r\n');
          });
      },
    });
    // The handshake itself fails: plain bytes are in its way.
    await failure(send({ port: script.port, credentials }, trusting));
    await gone(script.sockets);
  });

  test.each([
    [
      'an unknown authority',
      '127.0.0.1',
      {},
      /^certificate not trusted: (UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)\w+$/,
    ],
    ['another name', 'other.test', trusting, /^certificate not trusted: ERR_TLS_CERT_ALTNAME_INVALID$/],
    ['another address', '127.0.0.2', trusting, /^certificate not trusted: ERR_TLS_CERT_ALTNAME_INVALID$/],
  ])('refuses a certificate of %s', async (_what, host, options, reason) => {
    const starttls = await startSink({ tls: 'starttls' });
    const implicit = await startSink({ tls: 'implicit' });
    for (const [port, sink] of [
      [587, starttls],
      [465, implicit],
    ] as const) {
      const connect = () => net.connect(sink.port, '127.0.0.1');
      expect(await failure(send({ host, port }, { ...options, connect }))).toMatch(reason);
      expect(sink.mails).toEqual([]);
      await expect.poll(sink.openConnections, { interval: 5 }).toBe(0);
    }
  });

  test('on 465 fails against a server that speaks plainly', async () => {
    const script = await startScript();
    expect(await failure(send({ port: 465 }, leadTo(script.port)))).toMatch(
      /^TLS failed: (ERR_SSL_\w+|EPROTO)$/,
    );
    await gone(script.sockets);
  });
});

describe('credentials', () => {
  const auth = credentials;

  test.each(['none', 'starttls', 'implicit'] as const)('go to a loopback server with TLS %s', async (tls) => {
    const sink = await startSink({ tls, auth });
    await send({ port: tls === 'implicit' ? 465 : 587, credentials }, leadTo(sink.port));
    expect(sink.mails).toMatchObject([{ user: 'u', secure: tls !== 'none' }]);
  });

  test.each(['localhost', 'LOCALHOST', '127.8.9.10', '::1'])('go in the clear to %s', async (host) => {
    const sink = await startSink({ auth });
    await send({ host, port: 587, credentials }, leadTo(sink.port));
    expect(sink.mails).toMatchObject([{ user: 'u' }]);
  });

  test.each(['mail.test', '192.0.2.1', '127.0.0.1.evil.test', '0.0.0.0', '::ffff:127.0.0.1', '2001:db8::1'])(
    'never go in the clear to %s',
    async (host) => {
      const script = await startScript({ EHLO: '250-mail.test\r\n250 AUTH PLAIN' });
      expect(await failure(send({ host, port: 587, credentials }, leadTo(script.port)))).toBe(
        'the password is not sent in the clear, and the server offers no STARTTLS (port 465 may do)',
      );
      expect(script.commands.filter((line) => line !== 'QUIT')).toEqual([expect.stringMatching(/^EHLO /)]);
      await gone(script.sockets);
    },
  );

  test('go to any host over TLS', async () => {
    const sink = await startSink({ tls: 'starttls', auth });
    await send({ host: 'mail.test', port: 587, credentials }, leadTo(sink.port));
    expect(sink.mails).toMatchObject([{ user: 'u', secure: true }]);
  });

  test.each([
    ['no AUTH', '250 mail.test', ''],
    [
      'AUTH LOGIN only',
      '250-mail.test\r\n250 AUTH LOGIN CRAM-MD5',
      ', only LOGIN, CRAM-MD5; use `auth: login`',
    ],
    [
      "Microsoft's",
      '250-mail.test\r\n250 AUTH LOGIN XOAUTH2',
      ', only LOGIN, XOAUTH2; use `auth: login` or `auth: oauth2`',
    ],
    ['something like PLAIN', '250-mail.test\r\n250 AUTH PLAINTEXT XPLAIN', ', only PLAINTEXT, XPLAIN'],
    ['PLAIN as another word', '250-AUTH.test\r\n250-XAUTH PLAIN\r\n250 SIZE', ''],
    ['it in two ways', '250-mail.test\r\n250-AUTH ntlm GSSAPI\r\n250 AUTH=NTLM', ', only NTLM, GSSAPI'],
    ['what is no name', `250-mail.test\r\n250 AUTH visitor@home.example <b> ${'X'.repeat(21)}`, ''],
  ])('stay home where the server offers %s', async (_what, EHLO, only) => {
    const script = await startScript({ EHLO });
    expect(await failure(send({ port: script.port, credentials }))).toBe(
      `a username is set and the server offers no AUTH PLAIN${only}`,
    );
    expect(script.commands.filter((line) => line !== 'QUIT')).toHaveLength(1);
    await gone(script.sockets);
  });

  test('go by PLAIN even where LOGIN comes first', async () => {
    const script = await startScript({
      EHLO: '250-mail.test\r\n250 AUTH LOGIN PLAIN',
      AUTH: '235 2.7.0 welcome',
    });
    await send({ port: script.port, credentials });
    expect(script.commands[1]).toBe(`AUTH PLAIN ${Buffer.from('\0u\0pässword').toString('base64')}`);
  });

  test.each([
    ['username', { username: 'u\0admin', password: 'p' }],
    ['password', { username: 'u', password: 'p\0' }],
  ])('stay home where the %s holds what ends it', async (key, wrong) => {
    const script = await startScript({ EHLO: '250-mail.test\r\n250 AUTH PLAIN', AUTH: '235 2.7.0 welcome' });
    expect(await failure(send({ port: script.port, credentials: wrong }))).toBe(
      `\`${key}\` holds a control character, which would end it in the midst of the login`,
    );
    expect(script.commands.filter((line) => line !== 'QUIT')).toHaveLength(1);
  });

  test('stay home where the server offers AUTH only before TLS', async () => {
    const offers = inTurn('250-mail.test\r\n250-STARTTLS\r\n250 AUTH PLAIN', '250 mail.test');
    const script = await startScript({ EHLO: offers, STARTTLS: beginTls });
    expect(await failure(send({ host: 'mail.test', port: 587, credentials }, leadTo(script.port)))).toBe(
      'a username is set and the server offers no AUTH PLAIN once TLS has begun, but only before',
    );
    expect(script.wire).not.toContain('AUTH');
  });

  test('go by LOGIN where that is wanted, and by nothing else', async () => {
    const login = { ...credentials, mechanism: 'LOGIN' } as const;
    const sink = await startSink({ tls: 'starttls', auth: { ...auth, methods: ['LOGIN'] } });
    await send({ port: sink.port, credentials: login }, trusting);
    expect(sink.mails).toMatchObject([{ user: 'u', secure: true }]);
    const wrong = { ...login, password: 'wrong' };
    expect(await failure(send({ port: sink.port, credentials: wrong }, trusting))).toBe(
      'authentication refused: 535 5.7.8',
    );
    const script = await startScript({ EHLO: '250-mail.test\r\n250 AUTH PLAIN' });
    expect(await failure(send({ port: script.port, credentials: login }))).toBe(
      'a username is set and the server offers no AUTH LOGIN, only PLAIN; use `auth: plain`',
    );
  });

  test('end where the server refuses the name alone', async () => {
    const login = { ...credentials, mechanism: 'LOGIN' } as const;
    const script = await startScript({
      EHLO: '250-mail.test\r\n250 AUTH LOGIN',
      AUTH: '334 VXNlcm5hbWU6',
      [Buffer.from('u').toString('base64')]: '535 5.7.8 who?',
    });
    expect(await failure(send({ port: script.port, credentials: login }))).toBe(
      'authentication refused: 535 5.7.8',
    );
    expect(script.commands.slice(1, 3)).toEqual(['AUTH LOGIN', Buffer.from('u').toString('base64')]);
  });

  test.each([
    ['550 5.7.30 Basic', '550 5.7.30: Microsoft takes no password for this mailbox; use `auth: oauth2`'],
    ['535 5.7.139 for u', '535 5.7.139: Microsoft takes no password for this mailbox; use `auth: oauth2`'],
    ['534-5.7.9 for u\r\n534 5.7.9 no', '534 5.7.9: it takes no password in this way'],
    ['535 5.7.8 u is unknown', '535 5.7.8'],
    ['454 4.7.0 later, u', '454 4.7.0'],
  ])('that are refused are told by what the codes mean: %j', async (AUTH, expected) => {
    const script = await startScript({ EHLO: '250-mail.test\r\n250 AUTH PLAIN', AUTH });
    expect(await failure(send({ port: script.port, credentials }))).toBe(
      `authentication refused: ${expected}`,
    );
  });

  // Nobody has a certificate for these.
  test.each([
    ['smtp.gmail.com', '534 5.7.9', /Google takes no password of an account, but an app password/],
    ['smtp.gmail.com', '535 5.7.8', /Google takes no password of an account, but an app password/],
    ['smtp.gmail.com', '454 4.7.0', /4\.7\.0$/],
    ['notgmail.com', '535 5.7.8', /5\.7\.8$/],
    ['smtp.office365.com', '535 5.7.3', /5\.7\.3$/],
  ])('that %s refuses with %s', (host, reply, expected) => {
    expect(failed('login_refused', { reply, host, isToken: false }).message).toMatch(expected);
  });

  test('that are wrong fail the mail', async () => {
    const sink = await startSink({ auth });
    const wrong = { username: 'u', password: 'wrong' };
    expect(await failure(send({ port: sink.port, credentials: wrong }))).toBe(
      'authentication refused: 535 5.7.8',
    );
    expect(sink.mails).toEqual([]);
  });

  test('may have an empty password', async () => {
    const withoutPassword = { username: 'u', password: '' };
    const sink = await startSink({ auth: withoutPassword });
    await send({ port: sink.port, credentials: withoutPassword });
    expect(sink.mails).toMatchObject([{ user: 'u' }]);
  });
});

describe('a refusal', () => {
  test.each([
    [
      'the server refused the connection: 554 5.3.2',
      { greeting: '554 5.3.2 no service for visitor@home.example' },
    ],
    ['the server refused HELO: 550 5.7.1', { EHLO: '502 no', HELO: '550 5.7.1 visitor@home.example' }],
    ['the server refused the sender: 550 5.1.8', { MAIL: '550 5.1.8 visitor@home.example' }],
    ['the server refused a recipient: 550 5.7.1', { RCPT: '550 5.7.1 visitor@home.example' }],
    ['the server refused a recipient: 450', { RCPT: '450 visitor@home.example' }],
    [
      'the server refused a recipient: 550 5.1.1',
      { RCPT: '550-5.1.1 visitor@home.example\r\n550 5.1.1 gone' },
    ],
    ['the server refused the message: 451 4.3.0', { DATA: '451 4.3.0 visitor@home.example' }],
    ['the server refused the message: 552 5.2.3', { '.': '552 5.2.3 visitor@home.example' }],
    ['the answer is not SMTP', { greeting: 'HTTP/1.1 400 Bad Request' }],
    ['the answer is not SMTP', { RCPT: '334 visitor@home.example' }],
    ['the connection closed before the server accepted the message: 421 4.3.2', { EHLO: '421 4.3.2 bye' }],
  ])('is told by its codes alone: %s', async (reason, book) => {
    const script = await startScript(book);
    const told = await failure(send({ port: script.port, to: ['visitor@home.example'] }));
    // A 421 may be told as what it refused or as the end of the connection.
    if (reason.includes('421')) expect(told).toMatch(/: 421 4\.3\.2$/);
    else expect(told).toBe(reason);
    await gone(script.sockets);
  });

  test.each([true, false])(
    'of one recipient keeps the mail from all (pipelining: %s)',
    async (pipelining) => {
      const sink = await startSink({
        onRecipient: (address) => (address.startsWith('b@') ? `550 5.1.1 no ${address}` : undefined),
        server: { hidePIPELINING: !pipelining },
      });
      const to = ['a@firm.example', 'b@firm.example', 'c@firm.example'];
      expect(await failure(send({ port: sink.port, to }))).toBe(
        'the server refused a recipient: 550 5.1.1 (number 2 of 3 in `to`, `cc` and `bcc`)',
      );
      await expect.poll(sink.openConnections, { interval: 5 }).toBe(0);
      expect(sink.mails).toEqual([]);
    },
  );

  test.each([
    ['the server refused the sender: 550 5.1.8', { onSender: () => '550 5.1.8 who?' }],
    ['the server refused a recipient: 550 5.1.1', { onRecipient: () => '550 5.1.1 who?' }],
    ['the server refused the message: 554 5.6.0', { onMessage: () => '554 5.6.0 spam' }],
    ['the message is larger than the server takes: 1 KB, and at most 0 KB', { server: { size: 100 } }],
  ])('by a real server is a failure: %s', async (reason, options) => {
    const sink = await startSink(options);
    expect(await failure(send({ port: sink.port }))).toBe(reason);
    expect(sink.mails).toEqual([]);
    await expect.poll(sink.openConnections, { interval: 5 }).toBe(0);
  });
});

describe('a reply', () => {
  const login = { EHLO: '250-mail.test\r\n250 AUTH PLAIN', AUTH: '235 ok' };

  // RFC 5321, 4.2.1. Else a refusal might pass for an acceptance.
  test.each([
    ['greeting', '220-mail.test\r\n554 no'],
    ['greeting', '554-no\r\n220 mail.test'],
    ['EHLO', '250-mail.test\r\n550 no'],
    ['EHLO', '550-no\r\n250 AUTH PLAIN'],
    ['AUTH', '235-ok\r\n535 no'],
    ['AUTH', '535-no\r\n235 ok'],
    ['MAIL', '250-ok\r\n550 no'],
    ['RCPT', '250-ok\r\n550 no'],
    ['RCPT', '550-no\r\n250 ok'],
    ['DATA', '354-go\r\n554 no'],
    ['DATA', '554-no\r\n354 go'],
    ['.', '250-ok\r\n550 no'],
    ['.', '550-no\r\n250 ok'],
    ['.', '250-ok\r\nno\r\n250 ok'],
    ['.', '250-ok\r\n\r\n250 ok'],
    ['.', '250ok'],
    ['.', '2500 ok'],
    ['.', ' 250 ok'],
    ['.', '\x00250 ok'],
  ])('at %s whose lines do not agree, or are none, is no acceptance: %j', async (stage, reply) => {
    const script = await startScript({ ...login, [stage]: reply });
    expect(await failure(send({ port: script.port, credentials }))).toBe('the answer is not SMTP');
    await gone(script.sockets);
  });

  test.each([
    ['in one line', 'x'.repeat(1_000)],
    ['in many lines', '250-x\r\n'.repeat(200)],
  ])('that never ends is given up: %s', async (_, piece) => {
    const script = await startScript({
      EHLO: (socket) => {
        const goOn = () => {
          while (!socket.destroyed && socket.write(piece)) {}
        };
        socket.on('drain', goOn);
        goOn();
      },
    });
    expect(await failure(send({ port: script.port }))).toBe('the answer is not SMTP');
    await gone(script.sockets);
  });

  test.each([
    ['lines of one code', '250-2.0.0 taken\r\n250-and\r\n250 queued'],
    ['a bare code', '250'],
    ['a bare line feed at its end', '250-2.0.0 taken\n250 queued'],
  ])('may be %s', async (_, reply) => {
    const script = await startScript({ '.': reply });
    await send({ port: script.port });
  });

  test('that begins before its mail is none: the mail goes over another connection', async () => {
    const script = await startScript();
    const client = createSmtpClient();
    cleanups.push(client.close);
    await client({ ...sample, port: script.port });
    const [kept] = [...script.sockets];
    kept?.write('250');
    await gone(script.sockets);
    await client({ ...sample, port: script.port });
    expect(script.accepted).toBe(2);
    expect(script.commands.filter((command) => command === '.')).toHaveLength(2);
  });
});

describe('EHLO', () => {
  function machineIsCalled(name: string) {
    const hostname = vi.spyOn(os, 'hostname').mockReturnValue(name);
    syncBuiltinESMExports();
    cleanups.push(() => {
      hostname.mockRestore();
      syncBuiltinESMExports();
    });
  }

  test('says the name that it is given', async () => {
    const sink = await startSink();
    await send({ port: sink.port }, { ehloName: 'forms.firm.example' });
    expect(sink.mails).toMatchObject([{ ehlo: 'forms.firm.example' }]);
  });

  test.each([
    ['its name, where that is one of the DNS', 'web1.firm.example', 'web1.firm.example'],
    ['its address, where it has no name for others', 'web1', '[127.0.0.1]'],
    ['its address, where every machine has this name', 'localhost.localdomain', '[127.0.0.1]'],
    ['its address, where the name is no name', 'my_web 1.firm.example', '[127.0.0.1]'],
  ])('says of the machine %s', async (_, name, said) => {
    machineIsCalled(name);
    const sink = await startSink();
    await send({ port: sink.port });
    expect(sink.mails).toMatchObject([{ ehlo: said }]);
  });

  test.each([
    ['192.0.2.1', '[192.0.2.1]'],
    ['::ffff:192.0.2.1', '[192.0.2.1]'],
    ['2001:db8::1', '[IPv6:2001:db8::1]'],
    ['fe80::1%eth0', '[IPv6:fe80::1]'],
  ])('says the address %s as %s', async (localAddress, said) => {
    const script = await startScript();
    const connect = () =>
      Object.defineProperty(net.connect(script.port, '127.0.0.1'), 'localAddress', { value: localAddress });
    machineIsCalled('web1');
    await send({ port: script.port }, { connect });
    expect(script.commands[0]).toBe(`EHLO ${said}`);
  });
});

describe('a broken connection', () => {
  const closed = 'the connection closed before the server accepted the message';

  test.each([
    ['greeting', 'the connection closed before the server greeted'],
    ['EHLO', 'the connection closed before the server answered EHLO'],
    ['STARTTLS', 'the connection closed before TLS began'],
    ['AUTH', 'the connection closed before the server answered to the login'],
    ...['MAIL', 'RCPT', 'DATA', '.'].map((stage) => [stage, closed]),
  ])('at %s is a failure', async (stage = '', reason = '') => {
    const extension = stage === 'STARTTLS' ? 'STARTTLS' : 'AUTH PLAIN';
    for (const cut of ['end', 'resetAndDestroy'] as const) {
      const script = await startScript({
        EHLO: `250-mail.test\r\n250 ${extension}`,
        AUTH: '235 ok',
        [stage]: (socket) => socket[cut](),
      });
      const login = stage === 'STARTTLS' ? {} : { credentials };
      expect(await failure(send({ port: script.port, ...login }))).toBe(reason);
      await gone(script.sockets);
    }
  });

  test('while the message is on its way is a failure', async () => {
    const script = await startScript({
      DATA: (socket) => {
        socket.write('354 go\r\n');
        socket.once('data', () => socket.resetAndDestroy());
      },
    });
    expect(await failure(send({ port: script.port, text: 'x\n'.repeat(500_000) }))).toBe(closed);
  });

  test('in the TLS handshake is a failure', async () => {
    const script = await startScript({ greeting: (socket) => socket.once('data', () => socket.destroy()) });
    expect(await failure(send({ port: 465 }, leadTo(script.port)))).toBe(
      'the connection closed before TLS began',
    );
  });

  test.each(['end', 'resetAndDestroy'] as const)('after the message was taken is none (%s)', async (cut) => {
    const script = await startScript({
      '.': (socket) => {
        socket.write('250 2.0.0 taken\r\n');
        socket[cut]();
      },
    });
    await send({ port: script.port });
    await gone(script.sockets);
  });

  test('that never was is told as such', async () => {
    const script = await startScript();
    for (const cleanup of cleanups.splice(0)) await cleanup();
    expect(await failure(send({ port: script.port }))).toBe('connect ECONNREFUSED');
    expect(await failure(send({ host: 'localhost', port: script.port }))).toBe('connect ECONNREFUSED');
    // A resolver may take its time to say so.
    expect(await failure(send({ host: 'nowhere.invalid', port: 25, timeoutMs: 60_000 }))).toMatch(
      /^could not resolve the host: (ENOTFOUND|EAI_AGAIN)$/,
    );
  }, 60_000);
});

describe('the time limit', () => {
  const hang = () => {};

  test.each(['greeting', 'EHLO', 'STARTTLS', 'MAIL', 'RCPT', 'DATA', '.'])(
    'ends a wait at %s',
    async (stage) => {
      const script = await startScript({
        EHLO: stage === 'STARTTLS' ? '250-mail.test\r\n250 STARTTLS' : '250 mail.test',
        [stage]: hang,
      });
      const start = performance.now();
      expect(await failure(send({ port: script.port, timeoutMs: 150 }))).toMatch(
        /^no complete answer within 150 ms: time was up before /,
      );
      expect(performance.now() - start).toBeLessThan(10_000);
      await gone(script.sockets);
    },
  );

  test.each([
    ['greeting', 'the server greeted'],
    ['EHLO', 'the server answered EHLO'],
    ['STARTTLS', 'TLS began'],
    ['AUTH', 'the server answered to the login'],
    ['.', 'the server accepted the message'],
  ])('says what it waited for: %s', { retry: 3 }, async (stage, expected) => {
    const script = await startScript({
      EHLO: `250-mail.test\r\n250 ${stage === 'STARTTLS' ? stage : 'AUTH PLAIN'}`,
      ...(stage !== 'STARTTLS' && { AUTH: '235 2.7.0 welcome' }),
      [stage]: hang,
    });
    const withLogin = stage !== 'STARTTLS' && { credentials };
    expect(await failure(send({ port: script.port, timeoutMs: 1_000, ...withLogin }))).toBe(
      `no complete answer within 1000 ms: time was up before ${expected}`,
    );
  });

  test('ends a TLS handshake', async () => {
    const script = await startScript({ greeting: hang });
    expect(await failure(send({ port: 465, timeoutMs: 150 }, leadTo(script.port)))).toMatch(
      /^no complete answer within 150 ms: time was up before /,
    );
    await gone(script.sockets);
  });

  test('is over everything, however lively the server', async () => {
    const script = await startScript({
      EHLO: (socket) => {
        const timer = setInterval(() => socket.write('250-still here\r\n'), 20);
        socket.on('close', () => clearInterval(timer));
      },
    });
    expect(await failure(send({ port: script.port, timeoutMs: 200 }))).toMatch(
      /^no complete answer within 200 ms: time was up before /,
    );
    await gone(script.sockets);
  });

  test('ends a connect', async () => {
    let socket: net.Socket | undefined;
    const connect = () => {
      socket = new net.Socket();
      return socket;
    };
    expect(await failure(send({ port: 25, timeoutMs: 100 }, { connect }))).toBe(
      'no complete answer within 100 ms: time was up before the server greeted',
    );
    expect(socket?.destroyed).toBe(true);
  });

  test.each(['hangs', 'resets', 'answers'])('leaves no socket behind when QUIT %s', async (what) => {
    const QUIT = { hangs: hang, resets: (socket: net.Socket) => socket.resetAndDestroy() }[what];
    const script = await startScript(QUIT && { QUIT });
    const client = createSmtpClient();
    await client({ ...sample, port: script.port });
    client.close();
    await expect.poll(() => script.sockets.size).toBe(0);
    expect(script.commands.at(-1)).toBe('QUIT');
  });
});

test('many messages at once do not mix', async () => {
  const sink = await startSink({ tls: 'starttls', auth: credentials });
  const client = createSmtpClient(trusting);
  const to = Array.from({ length: 20 }, (_, i) => `n${i}@firm.example`);
  await Promise.all(
    to.map((address) => client({ ...sample, port: sink.port, credentials, to: [address], text: address })),
  );
  expect(sink.mails.map(({ envelope }) => envelope.to[0]).sort()).toEqual(to.sort());
  for (const { envelope, raw } of sink.mails) expect(raw).toContain(`\r\n\r\n${envelope.to[0]}`);
});

/** RFC 2047, as far as nodemailer writes it. */
function decodeWords(value: string): string {
  const decode = (_: string, encoding: string, text: string) =>
    encoding === 'B'
      ? Buffer.from(text, 'base64').toString()
      : Buffer.from(decodeHex(text.replaceAll('_', ' ')), 'latin1').toString();
  return value.replace(/\?= (?==\?)/g, '?=').replace(/=\?UTF-8\?([BQ])\?(.*?)\?=/gi, decode);
}

function decodeHex(text: string): string {
  return text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function decodeBody(raw: string): string {
  const body = raw.slice(raw.indexOf('\r\n\r\n') + 4);
  switch (header(raw, 'Content-Transfer-Encoding')) {
    case 'base64':
      return Buffer.from(body, 'base64').toString();
    case 'quoted-printable':
      return Buffer.from(decodeHex(body.replace(/=\r\n/g, '')), 'latin1').toString();
    default:
      return body;
  }
}
