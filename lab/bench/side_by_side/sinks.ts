/** The sinks that both builds deliver to, one pair each. They write down every byte that counts. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface Sinks {
  readonly http: number;
  readonly smtp: number;
  /** Deliveries since the last call, sorted by their text: those of one submission are under way together. */
  taken(): readonly string[];
  close(): void;
}

/** How an HTTP sink answers, by the first part of the path. Everything else is a 200 without a body. */
const answers: Readonly<Record<string, string>> = {
  created: 'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"id":4711}',
  chunked: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nx-trailer: a\r\n\r\n',
  hints: 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  nothing: 'HTTP/1.1 204 No Content\r\n\r\n',
  last: 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
  old: 'HTTP/1.0 200 OK\r\n\r\nuntil the end',
  moved: 'HTTP/1.1 307 Temporary Redirect\r\nlocation: /hook\r\ncontent-length: 0\r\n\r\n',
  seen: 'HTTP/1.1 303 See Other\r\nlocation: /hook\r\ncontent-length: 0\r\n\r\n',
  astray: 'HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n',
  refused: 'HTTP/1.1 400 Bad Request\r\ncontent-length: 7\r\n\r\nno such',
  missing: 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n',
  broken: 'HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n',
  busy: 'HTTP/1.1 503 Service Unavailable\r\nretry-after: 3600\r\ncontent-length: 0\r\n\r\n',
  garbage: 'SSH-2.0-sink\r\n\r\n',
  cut: 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ncut short',
  silent: '',
};

/** After these, the sink closes the connection. */
const closes = new Set(['last', 'old', 'garbage', 'cut', 'silent']);

export async function startSinks(): Promise<Sinks> {
  let texts: string[] = [];
  const note = (text: string) => void texts.push(text);
  const http = createServer((socket) => onRequests(socket, note));
  const smtp = createServer((socket) => onMails(socket, note));
  return {
    http: await portOf(http),
    smtp: await portOf(smtp),
    taken: () => {
      const taken = texts.sort();
      texts = [];
      return taken;
    },
    close: () => {
      http.close();
      smtp.close();
    },
  };
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** The order of headers says nothing, and neither do capitals in their names. */
function onRequests(socket: Socket, note: (text: string) => void): void {
  let text = '';
  socket.setNoDelay(true).on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    for (;;) {
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [line = '', ...headers] = text.slice(0, end).split('\r\n');
      const body = bodyOf(text.slice(end + 4), headers);
      if (!body) return;
      text = text.slice(end + 4 + body.length);
      note([line, ...headers.map(lowered).sort(), '', body.content].join('\n'));
      const name = line.split(/[ /?]+/)[1] ?? '';
      socket.write(answers[name] ?? 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 'latin1');
      if (closes.has(name)) return void socket.end();
    }
  });
}

export const lowered = (header: string): string => header.replace(/^[^:]+/, (name) => name.toLowerCase());

/** The body behind a head, and its length as sent; `undefined` until all of it is there. */
export function bodyOf(
  text: string,
  headers: readonly string[],
): { readonly content: string; readonly length: number } | undefined {
  const all = headers.map(lowered);
  if (!all.some((header) => header.startsWith('transfer-encoding:'))) {
    const length = Number(all.find((header) => header.startsWith('content-length:'))?.slice(15) ?? 0);
    return text.length < length ? undefined : { content: text.slice(0, length), length };
  }
  let content = '';
  for (let at = 0; ; ) {
    const end = text.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const size = Number.parseInt(text.slice(at, end), 16);
    if (text.length < end + size + 4) return undefined;
    if (size === 0) return { content, length: text.indexOf('\r\n\r\n', at) + 4 };
    content += text.slice(end + 2, end + 2 + size);
    at = end + size + 4;
  }
}

/** A recipient `no…` is refused. */
function onMails(socket: Socket, note: (text: string) => void): void {
  let text = '';
  let dialogue = '';
  let isInMail = false;
  socket.setNoDelay(true).on('error', () => undefined);
  socket.write('220 sink ESMTP\r\n');
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    for (;;) {
      const ending = isInMail ? '\r\n.\r\n' : '\r\n';
      const end = text.indexOf(ending);
      if (end < 0) return;
      const said = text.slice(0, end);
      text = text.slice(end + ending.length);
      if (isInMail) {
        isInMail = false;
        note(`${dialogue}${said}`);
        dialogue = '';
        socket.write('250 2.0.0 taken\r\n');
        continue;
      }
      const verb = said.slice(0, 4).toUpperCase();
      if (verb === 'MAIL') dialogue = '';
      if (verb === 'MAIL' || verb === 'RCPT') dialogue += `${said}\n`;
      isInMail = verb === 'DATA' && dialogue.includes('RCPT');
      const isRefused = /^RCPT TO:<no/i.test(said);
      if (verb === 'QUIT') return void socket.end('221 bye\r\n');
      if (verb === 'EHLO') socket.write('250-sink\r\n250-PIPELINING\r\n250 SIZE 10485760\r\n');
      else if (verb === 'DATA') socket.write(isInMail ? '354 go\r\n' : '503 5.5.1 no\r\n');
      else socket.write(isRefused ? '550 5.1.1 no such mailbox\r\n' : '250 2.1.0 ok\r\n');
    }
  });
}
