/** A real nginx on a Unix socket. */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/** `confOf`: returns the contents of the block `http`, for a server that listens on this socket. */
export async function startNginx(confOf: (socketPath: string) => string) {
  const directory = mkdtempSync(join(tmpdir(), 'form-relay-nginx-'));
  const socketPath = join(directory, 'nginx.sock');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  writeFileSync(
    join(directory, 'nginx.conf'),
    `pid nginx.pid; error_log error.log; events {} http { access_log off; ${temporary.join(' ')}\n${confOf(socketPath)}\n}`,
  );
  const nginx = (...args: readonly string[]) =>
    promisify(execFile)('nginx', ['-p', directory, '-c', 'nginx.conf', '-e', 'error.log', ...args]);
  // Returns when nginx listens.
  await nginx();
  return {
    ask: ask.bind(undefined, socketPath),
    stop: async () => {
      await nginx('-s', 'stop');
      rmSync(directory, { recursive: true });
    },
  };
}

export interface NginxRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: string;
}

async function ask(socketPath: string, { body, ...options }: NginxRequest) {
  const headers = { host: 'forms.example.com', ...options.headers };
  const request = http.request({ socketPath, agent: false, ...options, headers }).end(body);
  const [response]: http.IncomingMessage[] = await once(request, 'response');
  if (!response) throw new Error('no answer');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}
