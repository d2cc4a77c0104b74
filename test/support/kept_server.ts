/** Real servers that write to disk, have their own folder and port, and can be killed abruptly. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface Kind {
  readonly name: string;
  /** Prepares the server's folder. */
  readonly prepare?: (folder: string) => void;
  /** The program and its options. `more`: more lines of its configuration. */
  readonly command: (port: number, folder: string, more: string) => readonly string[];
  /** The client's first bytes. Default: the server speaks first. */
  readonly hello?: string | Buffer;
  /** Whether the server's first bytes accept the client. */
  readonly isReady?: (answer: Buffer) => boolean;
}

export type KeptServer = Awaited<ReturnType<typeof startKeptServer>>;

/** Whether this machine has the program. */
export const isInstalled = (program: string) => spawnSync(program, ['--version']).status === 0;

/** A server may have one process per connection, which answers until it notices that the server is dead. */
const processesOf = ({ pid }: ChildProcess): readonly number[] => {
  const children = `/proc/${pid}/task/${pid}/children`;
  if (pid === undefined || !existsSync(children)) return pid === undefined ? [] : [pid];
  return [pid, ...readFileSync(children, 'utf8').trim().split(' ').filter(Boolean).map(Number)];
};

const isAlive = (pid: number) => existsSync(`/proc/${pid}`);

function killAll(server: ChildProcess): readonly number[] {
  const pids = processesOf(server);
  for (const pid of pids) if (pid === server.pid || isAlive(pid)) process.kill(pid, 'SIGKILL');
  return pids;
}

const running = new Set<ChildProcess>();

// A failed test may close nothing.
process.once('exit', () => running.forEach(killAll));

/** How many ports to try: another process may take one before the server does. */
const mostPorts = 5;

export async function startKeptServer(kind: Kind, more = '', tries = 1) {
  const folder = mkdtempSync(join(tmpdir(), `${kind.name}-`));
  kind.prepare?.(folder);
  const port = await freePort();
  let server: ChildProcess | undefined;
  let ended = Promise.resolve();

  const kill = async () => {
    const pids = server && running.has(server) ? killAll(server) : [];
    await ended;
    while (pids.some(isAlive)) await sleep(5);
  };

  const start = async (lines = more) => {
    const [program = '', ...options] = kind.command(port, folder, lines);
    const started = spawn(program, options, { stdio: 'ignore', cwd: '/' });
    server = started;
    running.add(started);
    ended = new Promise((resolve) => {
      const end = () => {
        running.delete(started);
        resolve();
      };
      started.once('exit', end).once('error', end);
    });
    while (!(await letsIn(kind, port))) {
      if (!running.has(started)) throw new Error(`${program} did not start`);
      await sleep(20);
    }
  };

  const close = async () => {
    await kill();
    rmSync(folder, { recursive: true });
  };

  try {
    await start();
  } catch (error) {
    await close();
    if (tries === mostPorts) throw error;
    return startKeptServer(kind, more, tries + 1);
  }
  return {
    port,
    /** Kills the server as a power failure would. Written data stays on disk. */
    kill,
    /** Restarts on the same port with the stored data, and with more lines of configuration. */
    start,
    /** Stops for good, and deletes the stored data. */
    close,
  };
}

const letsIn = ({ hello = '', isReady = () => true }: Kind, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(hello));
    socket.once('data', (answer: Buffer) => {
      socket.destroy();
      resolve(isReady(answer));
    });
    socket.once('error', () => resolve(false)).once('close', () => resolve(false));
  });

/** Below the range for outgoing connections, so that nobody takes the port while the server is down. */
export async function freePort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  const server = net.createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  await new Promise((resolve) => server.close(resolve));
  return isFree ? port : freePort();
}
