import net, { type AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import * as certificates from './certificates.ts';

/** What to say at `greeting`, at a command's first word, or at the `.` that ends a mail; or what to do. */
export type Book = Readonly<Record<string, Line>>;
type Line = string | ((socket: net.Socket, command: string) => void);

/** Each time the next one, and the last one for ever. */
export function inTurn(...lines: readonly Line[]): Line {
  let turn = 0;
  return (socket, command) => {
    const line = lines[Math.min(turn, lines.length - 1)] ?? '';
    turn += 1;
    say(socket, line, command);
  };
}

/** The answer to STARTTLS after which the script goes on inside TLS. */
export const beginTls = '220 2.0.0 go';

function say(socket: net.Socket, line: Line, command: string) {
  if (typeof line === 'function') line(socket, command);
  else socket.write(`${line}\r\n`);
}

export interface SmtpScript {
  readonly port: number;
  /** Every byte received, one character a byte. Tests may clear it. */
  wire: string;
  /** Every line received outside of mails, and the dots that end them. */
  readonly commands: readonly string[];
  /** Open now. */
  readonly sockets: ReadonlySet<net.Socket>;
  /** Connections since the start. */
  readonly accepted: number;
  close(): Promise<void>;
}

/** A server that plays by the book until a line of the book says otherwise; it keeps every byte. */
export async function startSmtpScript(book: Book = {}): Promise<SmtpScript> {
  const replies: Book = {
    greeting: '220 mail.test',
    EHLO: '250 mail.test',
    MAIL: '250 2.1.0 ok',
    RCPT: '250 2.1.5 ok',
    DATA: '354 go',
    '.': '250 2.0.0 taken',
    QUIT: '221 bye',
    ...book,
  };
  const script = { port: 0, wire: '', commands: [] as string[], sockets: new Set<net.Socket>(), accepted: 0 };
  const server = net.createServer((socket) => {
    script.accepted += 1;
    script.sockets.add(socket);
    socket.on('close', () => script.sockets.delete(socket));
    socket.on('error', () => {});
    converse(socket);
    say(socket, replies.greeting ?? '', '');
  });
  const converse = (socket: net.Socket) => {
    const reply = (key: string, command = '') => say(socket, replies[key] ?? '502 what?', command);
    let rest = '';
    let inData = false;
    socket.on('data', (chunk) => {
      script.wire += chunk.toString('latin1');
      rest += chunk.toString('latin1');
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (inData && line !== '.') continue;
        script.commands.push(line);
        const key = line.split(' ')[0] ?? '';
        inData = key === 'DATA';
        reply(key, line);
        if (key === 'STARTTLS' && replies.STARTTLS === beginTls) {
          socket.removeAllListeners('data');
          const secured = new TLSSocket(socket, { isServer: true, ...certificates.server });
          return converse(secured.on('error', () => {}));
        }
      }
    });
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  script.port = (server.address() as AddressInfo).port;
  const close = () => {
    for (const socket of script.sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return Object.assign(script, { close });
}
