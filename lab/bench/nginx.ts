/** nginx as a reverse proxy, which only passes on what it gets: the limit of what any relay could do. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Child } from './process.ts';

/** One worker, kept-alive connections to the sink, no log. `undefined` where nginx is not installed. */
export async function startNginx(
  sink: string,
  isPinned: boolean,
): Promise<{ readonly origin: string; readonly process: Child } | undefined> {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'bench-nginx-'));
  const config = join(folder, 'nginx.conf');
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${folder}/pid; error_log /dev/null;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  keepalive_requests 100000000;
  upstream sink { server ${new URL(sink).host}; keepalive 64; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://sink; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`,
  );
  const [command = '', ...args] = [...(isPinned ? ['taskset', '-c', '0'] : []), 'nginx', '-c', config];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  process.on('exit', () => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 10));
  return { origin: `http://127.0.0.1:${port}`, process: child };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      resolve(true);
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
  });
