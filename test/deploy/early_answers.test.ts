/** Behind real proxies, clients that send far too much get the relay's answer instead of a 502. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { answersIn } from '../attack/stage.ts';
import { startRelay, type TestRelay } from '../support/index.ts';
import { type KeptServer, startKeptServer } from '../support/kept_server.ts';

type Proxy = ReturnType<typeof nginx>;

const forms =
  'forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}';

const nginx = (name: string, lines: string) => ({
  name: `nginx, ${name}`,
  program: 'nginx',
  version: '-v',
  /** The server's config for the relay's address. */
  config: (relay: string, port: number, directory: string) => {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${directory}/${kind};`,
    );
    return `daemon off; master_process off; pid pid; error_log error.log; events {}
http {
  access_log off; client_max_body_size 0; ${temporary.join(' ')}
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://${relay}; ${lines} } }
}`;
  },
  args: (directory: string) => ['-p', directory, '-c', 'config', '-e', 'error.log'],
});
const kept = 'proxy_http_version 1.1; proxy_set_header Connection "";';

const proxies: readonly Proxy[] = [
  nginx('which passes a body on as it comes', 'proxy_request_buffering off;'),
  nginx('which reads the body first', 'proxy_request_buffering on;'),
  nginx('which keeps connections, as it comes', `proxy_request_buffering off; ${kept}`),
  nginx('which keeps connections, body first', `proxy_request_buffering on; ${kept}`),
  {
    name: 'Caddy',
    program: 'caddy',
    version: 'version',
    config: (relay, port) => `{\n\tadmin off\n\tauto_https off\n}\n:${port} {\n\treverse_proxy ${relay}\n}\n`,
    args: (directory) => ['run', '--config', join(directory, 'config'), '--adapter', 'caddyfile'],
  },
];

const piece = Buffer.alloc(50_000, 'x');

/** Posts 5 MB until an answer arrives: a proxy may forward it and close the connection meanwhile. */
async function post(port: number, to: string) {
  const socket = net.connect(port, '127.0.0.1');
  let received = '';
  const answered = new Promise<void>((resolve, reject) => {
    socket.once('error', reject).once('close', resolve);
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      if (received.endsWith('}')) socket.destroy();
    });
  });
  const head = [
    `POST ${to} HTTP/1.1`,
    'Host: forms.test',
    'Content-Type: application/x-www-form-urlencoded',
    'Connection: close',
  ];
  socket.write([...head, `Content-Length: ${100 * piece.length}`, '', ''].join('\r\n'));
  let pieces = 100;
  const more = () => {
    if (received !== '' || pieces === 0) return;
    pieces -= 1;
    socket.write(piece, more);
  };
  more();
  await answered;
  const [answer] = answersIn(received);
  return [answer?.status, answer?.body];
}

/** Retries, because proxies differ in how long they read before they reset the client's connection. */
async function answerTo(port: number, to: string, tries = 5): ReturnType<typeof post> {
  try {
    return await post(port, to);
  } catch (error) {
    const isReset = error instanceof Error && /EPIPE|ECONNRESET/.test(error.message);
    if (!isReset || tries === 1) throw error;
    return answerTo(port, to, tries - 1);
  }
}

for (const { name, program, version, config, args } of proxies) {
  const isInstalled = spawnSync(program, [version]).status === 0;
  if (!isInstalled) console.warn(`SKIPPED: early answers behind ${name}, because there is no ${program}.`);

  describe.skipIf(!isInstalled)(`behind ${name}`, () => {
    let relay: TestRelay;
    let proxy: KeptServer | undefined;
    const answers = (path: string) => answerTo(proxy?.port ?? 0, path);

    beforeAll(async () => {
      relay = await startRelay({ config: forms });
      proxy = await startKeptServer({
        name: 'proxy',
        command: (port, directory) => {
          writeFileSync(join(directory, 'config'), config(new URL(relay.origin).host, port, directory));
          return ['env', `HOME=${directory}`, program, ...args(directory)];
        },
        hello: 'GET / HTTP/1.0\r\n\r\n',
      });
    });
    afterAll(async () => {
      await proxy?.close();
      await relay?.close();
    });

    // Repeated, because it is a race whether the RST arrives before the answer is read.
    test('5 MB get a 400 from a form, and a 404 elsewhere', async () => {
      const [status, body] = await answers('/api/v1/submit/contact');
      expect([status, body]).toEqual([400, expect.stringContaining('"the body is over 64 KB"')]);
      expect((await answers('/api/v1/submit/nobody'))[0]).toBe(404);
    });
  });
}
