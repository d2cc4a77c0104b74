/** The relay as a systemd service: passed sockets, readiness, and reloading. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import { program } from './served.ts';

interface Service {
  /** The process that the sockets are meant for. Default: this one. */
  readonly listenPid?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly sockets?: number;
}

/** A relay that starts on demand, with listening sockets from file descriptor 3 on, as systemd starts it. */
async function startService({ listenPid = '$$', env = {}, sockets = 1 }: Service) {
  const folder = tempFolder();
  writeFileSync(join(folder, 'webform.yaml'), 'forms: {}');
  const servers = await Promise.all(
    Array.from({ length: sockets }, async () => {
      const server = createServer();
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return server;
    }),
  );
  const [first] = servers;
  const port = first ? (first.address() as AddressInfo).port : 0;
  // From here on, the kernel queues connections that nothing accepts yet.
  const handles = servers.map((server) => (server as unknown as { _handle: { fd: number } })._handle.fd);
  const script = `read go; LISTEN_PID=${listenPid} LISTEN_FDS=${sockets} exec "$0" "$@"`;
  const child = spawn('sh', ['-c', script, process.execPath, program, 'serve'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['pipe', 'pipe', 'pipe', ...handles],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for (const server of servers) server.close();
  return { folder, port, child, go: () => child.stdin?.end('go\n') };
}

/** Reads a stream up to the wanted text. */
async function heard(stream: NodeJS.ReadableStream | null, wanted: RegExp): Promise<string> {
  let text = '';
  for await (const piece of stream ?? []) {
    text += piece;
    if (wanted.test(text)) return text;
  }
  throw new Error(`it ended with: ${text}`);
}

test('connections made before the relay runs are answered, on the passed socket', async () => {
  const { port, child, go } = await startService({});
  const request = get({ port, host: '127.0.0.1', path: '/healthz' });
  await once(request, 'socket').then(([socket]) => once(socket, 'connect'));
  const answer = once(request, 'response');
  go();
  const [response] = await answer;
  expect([response.statusCode, await json(response)]).toEqual([200, { message: 'ok' }]);
  expect(await heard(child.stdout, /\n/)).toMatch(
    /^Form Relay listens on the socket that systemd opened with webform/,
  );
});

test('a socket that is meant for another process is not used', async () => {
  const { child, go } = await startService({ listenPid: '1' });
  go();
  expect(await heard(child.stdout, /\n/)).toMatch(/^Form Relay listens on http:\/\/127\.0\.0\.1:\d+ with/);
});

test('a file descriptor that is not a listening socket is rejected, with the reason', () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'file'), '');
  for (const from of ['<file', '<&-', '<>/dev/null', '|']) {
    // File descriptor 3 is a file, closed, a device, or a pipe.
    const end = 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$1" serve';
    const script =
      from === '|' ? `true | (exec 3<&0; exec sh -c '${end}' "$0" "$1")` : `exec 3${from}; ${end}`;
    const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, program], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', CONFIG_INLINE: 'forms: {}' },
      encoding: 'utf8',
    });
    expect([from, status]).toEqual([from, 1]);
    expect(stderr).toContain('cannot listen on the socket that systemd passes');
  }
});

/** A fake systemd-notify(1), which records how it was called. */
function placeholder(script: string) {
  const folder = tempFolder();
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'systemd-notify'), 0o755);
  return { folder, PATH: `${folder}:${process.env.PATH}` };
}

test('a waiting service manager is told when the relay is ready, and gets none of its secrets', async () => {
  const { folder, PATH } = placeholder(`{ echo "$@"; env; } > "$0.new"; mv "$0.new" "$0.called"`);
  const { port, go } = await startService({
    env: { PATH, NOTIFY_SOCKET: '/run/notify', KEEP_SECRET: 'a secret' },
  });
  go();
  await fetch(`http://127.0.0.1:${port}/healthz`);
  await expect.poll(() => existsSync(join(folder, 'systemd-notify.called'))).toBe(true);
  const called = readFileSync(join(folder, 'systemd-notify.called'), 'utf8');
  expect(called).toMatch(/^--ready\n/);
  expect(called).toContain('NOTIFY_SOCKET=/run/notify\n');
  expect(called).not.toContain('secret');
});

test('SIGHUP reloads the config at once, and ends nothing', async () => {
  const { folder, port, child, go } = await startService({ env: { CACHE_TTL: '1h' } });
  go();
  expect(await heard(child.stdout, /\n/)).toContain('(0 forms)');
  writeFileSync(
    join(folder, 'new.yaml'),
    'forms: {contact: {fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}}',
  );
  renameSync(join(folder, 'new.yaml'), join(folder, 'webform.yaml'));
  child.kill('SIGHUP');
  expect(await heard(child.stderr, /"forms":1/)).not.toContain('"level":"error"');
  expect((await fetch(`http://127.0.0.1:${port}/api/v1/form/contact`)).status).toBe(200);
});
