import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Debian has it where not everybody looks. */
export const program = existsSync('/usr/sbin/nats-server') ? '/usr/sbin/nats-server' : 'nats-server';

/** Whether Debian's `nats-server` is here, or must be. */
export const hasNats = (() => {
  if (process.env.REQUIRE_NATS) return true;
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

export interface NatsServer {
  readonly port: number;
  /** As a power cut does. What it keeps stays on the disk. */
  kill(): Promise<void>;
  /** On the same port, with what it has kept; with more lines in its configuration. */
  start(more?: string): Promise<void>;
  /** Stops for good, and removes what it has kept. */
  close(): Promise<void>;
}

const running = new Set<ChildProcess>();
// A test that fails may close nothing.
process.once('exit', () => {
  for (const server of running) server.kill('SIGKILL');
});

/** A real JetStream. `more`: lines of its configuration. */
export async function startNats(more = ''): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'nats-'));
  const port = await freePort();
  let server: ChildProcess | undefined;
  let ended = Promise.resolve();
  const kill = async () => {
    server?.kill('SIGKILL');
    await ended;
    server = undefined;
  };
  const start = async (lines = more) => {
    const path = join(folder, 'nats.conf');
    writeFileSync(path, `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${folder}/kept" }\n${lines}\n`);
    const started = spawn(program, ['-c', path], { stdio: 'ignore' });
    server = started;
    running.add(started);
    started.once('exit', () => running.delete(started));
    ended = new Promise((resolve) => {
      started.once('exit', () => resolve());
      started.once('error', () => resolve());
    });
    await greets(port, started);
  };
  await start();
  return {
    port,
    kill,
    start,
    close: async () => {
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Below those that the system gives to connections: nobody takes it while the server is away. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = net.createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

async function greets(port: number, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null || server.pid === undefined) throw new Error('nats-server did not start');
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, '127.0.0.1');
      socket.once('data', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('data', () => socket.destroy());
    });
    if (isThere) return;
    await sleep(20);
  }
}

export interface Wire {
  readonly port: number;
  /** Nothing comes through any more, and nobody is told: as when a cable is pulled. */
  stop(): void;
  /** Ends connections, and takes no more. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** A port of its own that leads to another. */
export async function startWire(to: number): Promise<Wire> {
  const sockets = new Set<net.Socket>();
  let isStopped = false;
  let isCut = false;
  const server = net.createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = net.connect(to, '127.0.0.1');
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (!isStopped) other.write(bytes);
      });
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as net.AddressInfo).port,
    stop: () => {
      isStopped = true;
    },
    cut,
    mend: () => {
      isStopped = false;
      isCut = false;
    },
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
