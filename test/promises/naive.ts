/** A form relay as somebody writes it on a Sunday: strings are put together, and nothing is refused, bounded or awaited. */
import net, { type AddressInfo } from 'node:net';
import type { Adapter, OutputDeclared, ProductConfig } from './adapter.ts';

export const naive: Adapter = {
  name: 'A naive relay',
  async start(config) {
    const sockets = new Set<net.Socket>();
    const server = net.createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      let unread = '';
      socket.on('data', (bytes: Buffer) => {
        unread += bytes.toString('latin1');
        if (unread.length > 200_000) unread = unread.slice(0, 200_000);
        for (let request = requestIn(unread); request; request = requestIn(unread)) {
          unread = request.rest;
          socket.write(answerTo(request, config));
        }
      });
      socket.on('end', () => {
        // No more bytes follow.
        const request = requestIn(unread, true);
        if (request) answerTo(request, config);
        socket.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      stop: async () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    };
  },
};

interface Request {
  readonly line: string;
  readonly head: string;
  readonly body: string;
  readonly rest: string;
}

function requestIn(unread: string, isAll = false): Request | undefined {
  const [blank = ''] = /\r?\n\r?\n/.exec(unread) ?? [];
  if (blank === '') return undefined;
  const head = unread.slice(0, unread.indexOf(blank));
  const after = unread.slice(head.length + blank.length);
  const length = Number(/content-length\s*: *\D*(\d+)/i.exec(head)?.[1] ?? 0);
  const isChunked = /chunked/i.test(head);
  const end = isChunked ? after.indexOf('0\r\n\r\n') + 5 : Math.min(length, isAll ? after.length : length);
  if (after.length < end || (isChunked && end === 4)) return undefined;
  const body = isChunked
    ? after.slice(0, end).replaceAll(/^[+\dA-Fa-fx]+[^\r]{0,9}\r\n|\r\n/g, '')
    : after.slice(0, end);
  return { line: head.split(/\r?\n/)[0] ?? '', head, body, rest: after.slice(end) };
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

function answerTo({ line, head, body }: Request, { forms }: ProductConfig): string {
  const [method = '', target = ''] = line.split(' ');
  const rewritten = /^x-original-url: *(\S+)/im.exec(head)?.[1] ?? target;
  const path = decoded(decoded(rewritten.split('?')[0] ?? ''))
    .replaceAll(/[\0\s]|\.json$|;.*$|\/+$/g, '')
    .toLowerCase();
  const name = path.split('/').at(-1) ?? '';
  const values: [string, string][] = `${rewritten.split('?')[1] ?? ''}&${body}`
    .split('&')
    .filter(Boolean)
    .map((pair) => pair.split('='))
    .map(([key = '', ...value]) => [decoded(key), decoded(value.join('='))]);
  const form = forms[name] ?? (name in {} ? { outputs: [] } : undefined);
  for (const output of form?.outputs ?? []) deliver(output, values);
  const shown = `${method} ${target} ${head} ${body}`.slice(0, 20_000);
  const words = form ? 'ok' : `no form: ${shown}\n    at answer (/srv/app.js:1:1)`;
  const next = values.find(([key]) => /next|redirect/.test(key))?.[1];
  const text = JSON.stringify({ message: words });
  return [
    `HTTP/1.1 ${next ? 302 : 200} OK`,
    'content-type: text/plain',
    'x-powered-by: Naive 1.0',
    `set-cookie: id=${Math.random()}`,
    'access-control-allow-origin: *',
    'access-control-allow-credentials: true',
    ...(next ? [`location: ${next}`] : []),
    `content-length: ${Buffer.byteLength(text)}`,
    '',
    text,
  ].join('\r\n');
}

/** Says it, whether or not anybody understands. */
function say(host: string, port: number, lines: string): void {
  const socket = net.connect(port, host, () => socket.end(Buffer.from(lines, 'latin1')));
  socket.on('error', () => {}).resume();
}

function deliver(output: OutputDeclared, values: readonly (readonly [string, string])[]): void {
  const get = (name: string) => values.find(([key]) => key === name)?.[1] ?? '';
  const render = (text = '') => text.replaceAll(/\{\{ \.fields\.(\w+) \}\}/g, (_, name) => get(name));
  if (output.type === 'smtp') {
    const to = render(output.to)
      .split(/[,;\s<>]+/)
      .filter((one) => one.includes('@'));
    const text = values.map(([key, value]) => `${key}=${value}`).join('\r\n');
    const subject = render(output.subject);
    say(
      output.host ?? '',
      Number(output.port),
      [
        'EHLO me',
        'AUTH PLAIN AGEAYg==',
        'MAIL FROM:<me@here.test>',
        ...to.map((one) => `RCPT TO:<${one}>`),
        'DATA',
        `Subject: ${subject}`,
        'Content-Type: text/html',
        '',
        text,
        '.',
        '',
      ].join('\r\n'),
    );
    return;
  }
  if (output.url === undefined) return;
  const url = new URL(output.url);
  const body = values.map(([key, value]) => `${key}=${value}`).join('&');
  const headers = Object.entries(output.headers ?? {}).map(([name, value]) => `${name}: ${render(value)}`);
  say(
    url.hostname,
    Number(url.port),
    [
      `POST ${url.pathname} HTTP/1.1`,
      `Host: ${url.host}`,
      ...headers,
      'Connection: close',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  );
}
