/** This machine's programs, folders and ports, for scripts/ and lab/. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** A file of the checkout. */
export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

export const has = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v "$1"`, 'sh', program], { env: systemEnv }).status === 0;

/** The paths of administrators' programs are not in everybody's PATH. */
export const systemEnv = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };

interface Answer {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program, and returns its output. Throws with all output if it fails. */
export function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Answer {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...systemEnv, ...env },
    maxBuffer: 2 ** 28,
    timeout: 600_000,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${status}\n${stdout}${stderr}`);
  return { stdout, stderr };
}

/** Runs `work` while a program runs, then stops the program. Shows the program's output if `work` fails. */
export async function alongside<T>(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  work: () => Promise<T>,
): Promise<T> {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...systemEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  try {
    return await work();
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${said}`);
  } finally {
    child.kill();
    await ended;
  }
}

/** Retries while the attempt fails or returns `false`, for as long as a slow machine may take. */
export async function eventually<T>(attempt: () => T | Promise<T>, ms = 30_000): Promise<T> {
  for (const until = performance.now() + ms; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const isLate = performance.now() > until;
    try {
      const result = await attempt();
      if (result !== false) return result;
      if (isLate) throw new Error(`not within ${ms} ms: ${attempt}`);
    } catch (error) {
      if (isLate) throw error;
    }
  }
}

const folders: string[] = [];
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** An empty folder, removed when this process exits, that every user may read. */
export function tempFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `relay-${name}-`));
  folders.push(folder);
  chmodSync(folder, 0o755);
  return folder;
}

/** Another server may take a port while nobody listens on it, but such servers on this machine end soon. */
const patienceMs = 20_000;

/** Uses a port below the range for outgoing connections, so that it stays free while nobody listens on it. */
export async function listenLow(server: Server, wanted = 0): Promise<number> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const port = wanted || 20_000 + Math.floor(Math.random() * 12_000);
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', 511, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return port;
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isTaken || performance.now() > until) throw error;
      if (wanted) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** An unused port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenLow(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
