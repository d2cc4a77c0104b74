import net, { type AddressInfo } from 'node:net';
import { type Letter, readLetter } from './letter.ts';

export interface Mail {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** The login, if there was one. */
  readonly login: { readonly username: string; readonly password: string } | undefined;
  readonly letter: Letter;
}

export interface SmtpSink {
  readonly port: number;
  /** Every mail that it took, in order. */
  readonly mails: readonly Mail[];
  close(): Promise<void>;
}

/** The recipient that the sink refuses. */
export const refusedRecipient = 'refused@conformance.test';

/** As much SMTP (RFC 5321, with AUTH PLAIN of RFC 4954) as a client needs to hand over a mail, without TLS. */
export async function startSmtpSink(host: string, port = 0): Promise<SmtpSink> {
  const mails: Mail[] = [];
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    const hear = conversation((mail) => mails.push(mail));
    let unread = '';
    socket.write('220 sink.conformance.test ESMTP\r\n');
    socket.on('data', (bytes: Buffer) => {
      unread += bytes.toString('latin1');
      for (let end = unread.indexOf('\r\n'); end >= 0; end = unread.indexOf('\r\n')) {
        const reply = hear(unread.slice(0, end));
        unread = unread.slice(end + 2);
        if (reply !== undefined) socket.write(`${reply}\r\n`);
        if (reply?.startsWith('221')) socket.end();
      }
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** The sink's reply to each line, within one connection; `undefined` if it waits for more. */
function conversation(took: (mail: Mail) => void): (line: string) => string | undefined {
  let login: Mail['login'];
  let isLoginNext = false;
  let from = '';
  let to: string[] = [];
  let lines: string[] | undefined;
  const logIn = (coded: string) => {
    const [, username = '', password = ''] = Buffer.from(coded, 'base64').toString('utf8').split('\0');
    login = { username, password };
    return '235 2.7.0 ok';
  };
  return (line) => {
    if (lines) {
      if (line !== '.') {
        // A line that begins with a dot was sent with another before it (RFC 5321, 4.5.2).
        lines.push(line.startsWith('.') ? line.slice(1) : line);
        return undefined;
      }
      took({ envelope: { from, to }, login, letter: readLetter(lines.join('\r\n')) });
      lines = undefined;
      to = [];
      return '250 2.0.0 taken';
    }
    if (isLoginNext) {
      isLoginNext = false;
      return logIn(line);
    }
    const address = /<([^>]*)>/.exec(line)?.[1] ?? '';
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        return '250-sink.conformance.test\r\n250-8BITMIME\r\n250 AUTH PLAIN';
      case 'HELO':
      case 'NOOP':
        return '250 ok';
      case 'RSET':
        to = [];
        return '250 ok';
      case 'AUTH': {
        const coded = /^AUTH PLAIN (\S+)$/i.exec(line)?.[1];
        if (coded !== undefined) return logIn(coded);
        isLoginNext = true;
        return '334 ';
      }
      case 'MAIL':
        from = address;
        to = [];
        return '250 2.1.0 ok';
      case 'RCPT':
        if (address === refusedRecipient) return '550 5.1.1 nobody here';
        to.push(address);
        return '250 2.1.5 ok';
      case 'DATA':
        if (to.length === 0) return '503 5.5.1 to whom?';
        lines = [];
        return '354 go on';
      case 'QUIT':
        return '221 2.0.0 bye';
      default:
        return '500 5.5.2 what?';
    }
  };
}
