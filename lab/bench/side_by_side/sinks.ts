/** The sinks that both builds deliver to, one pair each. They write down every byte that counts. */
import { createServer, type Socket } from 'node:net';
import { listen } from '../../../test/support/listen.ts';
import { startSmtpSink } from '../../../test/support/smtp_sink.ts';

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
  let mailsTaken = 0;
  const note = (text: string) => void texts.push(text);
  const http = createServer((socket) => onRequests(socket, note));
  const smtp = await startSmtpSink({
    onRecipient: (address) => (address.startsWith('no') ? '550 5.1.1 no such mailbox' : undefined),
  });
  return {
    http: await listen(http),
    smtp: smtp.port,
    taken: () => {
      const mails = smtp.mails
        .slice(mailsTaken)
        .map(({ envelope: { from, to }, raw }) => [from, ...to, raw].join('\n'));
      mailsTaken = smtp.mails.length;
      const taken = [...texts, ...mails].sort();
      texts = [];
      return taken;
    },
    close: () => {
      http.close();
      void smtp.close();
    },
  };
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
