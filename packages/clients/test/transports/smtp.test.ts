import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import tls from 'node:tls';
import * as certificates from '../../../../test/support/certificates.ts';
import { beginTls, failureOf, inTurn, smtpScript, smtpSink } from '../../../../test/support/index.ts';
import type { SmtpMessage } from '../../../core/src/services.ts';
import { createSmtpClient, type SmtpClientOptions } from '../../src/smtp/smtp_client.ts';
import { sampleMail } from './sample_mail.ts';

const credentials = { username: 'u', password: 'pässword' };
const trusting = { ca: certificates.ca };

function send(
  message: Partial<SmtpMessage> & { port: number },
  options?: SmtpClientOptions,
): Promise<unknown> {
  return createSmtpClient(options)({ ...sampleMail, ...message });
}

/** The reason of the failure, which must occur. */
const failure = async (sending: Promise<unknown>) => (await failureOf(sending)).message;

/** Makes connections to the message's host and port go to `port` instead. */
function leadTo(port: number): SmtpClientOptions {
  return { ...trusting, connect: (to) => net.connect({ ...to, port, host: '127.0.0.1' }) };
}

const gone = (sockets: ReadonlySet<unknown>) => expect.poll(() => sockets.size, { interval: 5 }).toBe(0);

describe('TLS', () => {
  test.each(['opportunistic', 'required'] as const)(
    'is not skipped if %s STARTTLS is refused',
    async (tls) => {
      const script = await smtpScript({
        EHLO: '250-mail.test\r\n250 STARTTLS',
        STARTTLS: '454 4.7.0 not now',
      });
      expect(await failure(send({ port: script.port, tls }))).toBe('the server refused STARTTLS: 454 4.7.0');
      expect(script.commands.at(-1)).toBe('STARTTLS');
      await gone(script.sockets);
    },
  );

  test('ignores everything sent before TLS started', async () => {
    const script = await smtpScript({
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
    // The handshake itself fails, because plain bytes precede it.
    await failure(send({ port: script.port, credentials }, trusting));
    await gone(script.sockets);
  });

  test.each([
    ['no authority', '127.0.0.1', {}, /^certificate not trusted: (UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)\w+$/],
    ['another name', 'other.test', trusting, /^certificate not trusted: ERR_TLS_CERT_ALTNAME_INVALID$/],
    ['another address', '127.0.0.2', trusting, /^certificate not trusted: ERR_TLS_CERT_ALTNAME_INVALID$/],
  ])('refuses a certificate of %s', async (_what, host, options, reason) => {
    const starttls = await smtpSink({ tls: 'starttls' });
    const implicit = await smtpSink({ tls: 'implicit' });
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
});

describe('credentials', () => {
  test.each([
    ['username', { username: 'u\0admin', password: 'p' }],
    ['password', { username: 'u', password: 'p\0' }],
  ])('are not sent if the %s contains a separator', async (key, wrong) => {
    const script = await smtpScript({ EHLO: '250-mail.test\r\n250 AUTH PLAIN', AUTH: '235 2.7.0 welcome' });
    expect(await failure(send({ port: script.port, credentials: wrong }))).toBe(
      `\`${key}\` contains a control character, which would break the login`,
    );
    expect(script.commands.filter((line) => line !== 'QUIT')).toHaveLength(1);
  });

  test('are not sent if the server offers AUTH only before TLS', async () => {
    const offers = inTurn('250-mail.test\r\n250-STARTTLS\r\n250 AUTH PLAIN', '250 mail.test');
    const script = await smtpScript({ EHLO: offers, STARTTLS: beginTls });
    expect(await failure(send({ host: 'mail.test', port: 587, credentials }, leadTo(script.port)))).toBe(
      'a username is set and the server offers no AUTH PLAIN',
    );
    expect(script.wire).not.toContain('AUTH');
  });
});

test.each([
  ['the server refused the connection: 554 5.3.2', { greeting: '554 5.3.2 no, visitor@home.example' }],
  ['the server refused HELO: 550 5.7.1', { EHLO: '502 no', HELO: '550 5.7.1 visitor@home.example' }],
  ['the server refused the sender: 550 5.1.8', { MAIL: '550 5.1.8 visitor@home.example' }],
  ['the server refused a recipient: 550 5.7.1', { RCPT: '550 5.7.1 visitor@home.example' }],
  ['the server refused a recipient: 450', { RCPT: '450 visitor@home.example' }],
  ['the server refused a recipient: 550 5.1.1', { RCPT: '550-5.1.1 visitor@home.example\r\n550 5.1.1 no' }],
  ['the server refused the message: 451 4.3.0', { DATA: '451 4.3.0 visitor@home.example' }],
  ['the server refused the message: 552 5.2.3', { '.': '552 5.2.3 visitor@home.example' }],
  ['the response is not SMTP', { greeting: 'HTTP/1.1 400 Bad Request' }],
  ['the response is not SMTP', { RCPT: '334 visitor@home.example' }],
  ['the connection closed before the server accepted the message: 421 4.3.2', { EHLO: '421 4.3.2 bye' }],
])('a refusal is reported only with its codes: %s', async (reason, book) => {
  const script = await smtpScript(book);
  const message = await failure(send({ port: script.port, to: ['visitor@home.example'] }));
  // A 421 may be reported as a refusal or as the end of the connection.
  if (reason.includes('421')) expect(message).toMatch(/: 421 4\.3\.2$/);
  else expect(message).toBe(reason);
  await gone(script.sockets);
});

test('after a reply that starts before its mail, the mail is sent over another connection', async () => {
  const script = await smtpScript();
  const client = createSmtpClient();
  onTestFinished(client.close);
  await client({ ...sampleMail, port: script.port });
  const [kept] = [...script.sockets];
  kept?.write('250');
  await gone(script.sockets);
  await client({ ...sampleMail, port: script.port });
  expect(script.accepted).toBe(2);
  expect(script.commands.filter((command) => command === '.')).toHaveLength(2);
});

describe('EHLO', () => {
  function machineIsCalled(name: string) {
    const hostname = vi.spyOn(os, 'hostname').mockReturnValue(name);
    syncBuiltinESMExports();
    onTestFinished(() => {
      hostname.mockRestore();
      syncBuiltinESMExports();
    });
  }

  test.each([
    ['its name, if that may be in the DNS', 'web1.firm.example', 'web1.firm.example'],
    ['its address, if its name is local', 'web1', '[127.0.0.1]'],
    ['its address, if every machine has this name', 'localhost.localdomain', '[127.0.0.1]'],
    ['its address, if the name is not a host name', 'my_web 1.firm.example', '[127.0.0.1]'],
  ])('sends %s', async (_, name, said) => {
    machineIsCalled(name);
    const sink = await smtpSink();
    await send({ port: sink.port });
    expect(sink.mails).toMatchObject([{ ehlo: said }]);
  });

  test.each([
    ['192.0.2.1', '[192.0.2.1]'],
    ['::ffff:192.0.2.1', '[192.0.2.1]'],
    ['2001:db8::1', '[IPv6:2001:db8::1]'],
    ['fe80::1%eth0', '[IPv6:fe80::1]'],
  ])('sends the address %s as %s', async (localAddress, said) => {
    const script = await smtpScript();
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
    ['AUTH', 'the connection closed before the server responded to the login'],
    ...['MAIL', 'RCPT', 'DATA', '.'].map((stage) => [stage, closed]),
  ])('at %s makes the delivery fail', async (stage = '', reason = '') => {
    const extension = stage === 'STARTTLS' ? 'STARTTLS' : 'AUTH PLAIN';
    for (const cut of ['end', 'resetAndDestroy'] as const) {
      const script = await smtpScript({
        EHLO: `250-mail.test\r\n250 ${extension}`,
        AUTH: '235 ok',
        [stage]: (socket) => socket[cut](),
      });
      const login = stage === 'STARTTLS' ? {} : { credentials };
      expect(await failure(send({ port: script.port, ...login }))).toBe(reason);
      await gone(script.sockets);
    }
  });

  test.each(['end', 'resetAndDestroy'] as const)(
    'after the message was accepted does not make it fail (%s)',
    async (cut) => {
      const script = await smtpScript({
        '.': (socket) => {
          socket.write('250 2.0.0 taken\r\n');
          socket[cut]();
        },
      });
      await send({ port: script.port });
      await gone(script.sockets);
    },
  );
});

describe('the timeout', () => {
  const hang = () => {};

  test.each(['greeting', 'EHLO', 'STARTTLS', 'MAIL', 'RCPT', 'DATA', '.'])('applies at %s', async (stage) => {
    const script = await smtpScript({
      EHLO: stage === 'STARTTLS' ? '250-mail.test\r\n250 STARTTLS' : '250 mail.test',
      [stage]: hang,
    });
    const start = performance.now();
    expect(await failure(send({ port: script.port, timeoutMs: 150 }))).toMatch(
      /^no complete response within 150 ms: time was up before /,
    );
    expect(performance.now() - start).toBeLessThan(10_000);
    await gone(script.sockets);
  });

  test('before a greeting without TLS says that the port may want TLS', async () => {
    const script = await smtpScript({ greeting: () => {} });
    const { port } = script;
    const words = 'no complete response within 50 ms: time was up before the server greeted';
    expect(await failure(send({ port, timeoutMs: 50 }))).toBe(
      `${words}; if this port uses TLS from the start, set \`tls: implicit\``,
    );
    expect(await failure(send({ port, timeoutMs: 50, tls: 'implicit' }))).toMatch(/before TLS began$/);
  });

  test.each(['hangs', 'resets', 'answers'])(
    'leaves no socket behind if the server, after QUIT, %s',
    async (what) => {
      const QUIT = { hangs: hang, resets: (socket: net.Socket) => socket.resetAndDestroy() }[what];
      const script = await smtpScript(QUIT && { QUIT });
      const client = createSmtpClient();
      await client({ ...sampleMail, port: script.port });
      client.close();
      await expect.poll(() => script.sockets.size).toBe(0);
      expect(script.commands.at(-1)).toBe('QUIT');
    },
  );
});

/** A password is sent in the clear only to this machine, judged by its name and by the address of the connection. */

const credentialsSmtpLoopback = { username: 'relay', password: 'hunter2' };

/** The users whose passwords the server got if the client believes that it is connected to `peer`. */
async function usersAfterMailTo(host: string, peer?: string) {
  const sink = await smtpSink({ auth: credentialsSmtpLoopback });
  const connect = () => {
    const socket = net.connect(sink.port, '127.0.0.1');
    if (peer !== undefined) Object.defineProperty(socket, 'remoteAddress', { value: peer });
    return socket;
  };
  return createSmtpClient({ connect })({
    ...sampleMail,
    host,
    port: 587,
    credentials: credentialsSmtpLoopback,
  }).then(
    () => sink.mails.map(({ user }) => user),
    (error: Error) => error.message,
  );
}

test.each(['localhost', 'Mail.LocalHost', '127.255.255.255', '[::1]'])('%s is this machine', async (host) =>
  expect(await usersAfterMailTo(host)).toEqual(['relay']),
);

test.each([
  ...['localhost.evil.example', '.localhost', 'notlocalhost', '127.0.0.256', '127.1', '1127.0.0.1', '::11'],
  ...['[::1', '128.0.0.1'],
])('%s is not', async (host) =>
  expect(await usersAfterMailTo(host)).toMatch(/^the password is not sent unencrypted/),
);

test('a name of this machine with a different address is not', async () =>
  expect(await usersAfterMailTo('mail.localhost', '192.0.2.1')).toMatch(/not sent unencrypted/));
