import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './nats.ts';

/** Where Debian has its programs, which are not in PATH. */
const versions = '/usr/lib/postgresql';
const [version] = existsSync(versions)
  ? readdirSync(versions).sort((one, other) => Number(other) - Number(one))
  : [];
const programs = join(versions, version ?? '', 'bin');

/** Whether Debian's `postgresql` is here, or must be. */
export const hasPostgres = Boolean(process.env.REQUIRE_POSTGRES) || existsSync(join(programs, 'postgres'));
if (!hasPostgres) console.warn('SKIPPED: without postgresql, its store is not tested');

/** PostgreSQL refuses to run as root, so it runs as Debian's user for it. */
const asUser =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
const words = (program: string, ...options: string[]) =>
  [...asUser, join(programs, program), ...options] as [string, ...string[]];

/** Each connection has a process in a session of its own, which answers until it notices that the server is dead. */
const processesOf = ({ pid }: ChildProcess) => [
  pid as number,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
];
const isAlive = (pid: number) => existsSync(`/proc/${pid}`);
const killAll = (server: ChildProcess) => {
  const pids = processesOf(server);
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  return pids;
};
const running = new Set<ChildProcess>();
// A test that fails may close nothing.
process.once('exit', () => running.forEach(killAll));

/** A real PostgreSQL that takes the user `relay` without a password. */
export async function startPostgres() {
  const above = mkdtempSync(join(tmpdir(), 'postgres-'));
  chmodSync(above, 0o777);
  const folder = join(above, 'data');
  const [init, ...initOptions] = words(
    'initdb',
    '-D',
    folder,
    '-U',
    'relay',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-sync',
    '--locale=C.UTF-8',
  );
  execFileSync(init, initOptions, { stdio: 'ignore', cwd: '/' });
  const port = await freePort();
  let server: ChildProcess | undefined;
  const kill = async () => {
    const ended = server;
    server = undefined;
    if (!ended) return;
    const exit = new Promise((resolve) => ended.once('exit', resolve));
    const pids = killAll(ended);
    running.delete(ended);
    await exit;
    while (pids.some(isAlive)) await sleep(5);
  };
  const start = async () => {
    const [program, ...options] = words(
      'postgres',
      '-D',
      folder,
      '-p',
      `${port}`,
      '-h',
      '127.0.0.1',
      '-k',
      '',
    );
    server = spawn(program, options, { stdio: 'ignore', cwd: '/' });
    running.add(server);
    while (!(await answers(port))) await sleep(20);
  };
  await start();
  return {
    /** A database of its own, without a schema. */
    url: `postgres://127.0.0.1:${port}/postgres`,
    /** As a power cut does. Written data stays on the disk. */
    kill,
    /** On the same port, with what it has kept. */
    start,
    close: async () => {
      await kill();
      rmSync(above, { recursive: true });
    },
  };
}

/** Whether it has recovered: it says with its first byte whether it lets the user in. */
const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const parts = Buffer.from('user\0relay\0database\0postgres\0\0');
    const head = Buffer.alloc(8);
    head.writeInt32BE(parts.length + 8);
    head.writeInt32BE(196_608, 4);
    const socket = net.connect(port, '127.0.0.1', () => socket.write(Buffer.concat([head, parts])));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString('latin1', 0, 1) === 'R');
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
