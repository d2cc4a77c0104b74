import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './nats.ts';

/** Whether Debian's `redis-server` is here, or must be. */
export const hasRedis = (() => {
  if (process.env.REQUIRE_REDIS) return true;
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

/** A real Redis that writes each change to its disk. */
export async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const port = await freePort();
  let server: ChildProcess | undefined;
  const kill = async () => {
    const ended = server;
    server = undefined;
    if (!ended) return;
    const exit = new Promise((resolve) => ended.once('exit', resolve));
    ended.kill('SIGKILL');
    await exit;
  };
  const start = async () => {
    const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
    server = spawn('redis-server', [...options, '--appendonly', 'yes', '--appendfsync', 'always'], {
      stdio: 'ignore',
    });
    process.once('exit', () => server?.kill('SIGKILL'));
    while (!(await answers(port))) await sleep(20);
  };
  await start();
  return {
    port,
    /** As a power cut does. Written data stays on the disk. */
    kill,
    /** On the same port, with what it has kept. */
    start,
    close: async () => {
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });
