import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export const has = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v "$1"`, 'sh', program], { env: systemEnv }).status === 0;

/** Programs for administrators are not in everybody's path. */
export const systemEnv = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };

interface Answer {
  readonly stdout: string;
  readonly stderr: string;
}

/** The output of a program. Throws with all of it when it fails. */
export function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Answer {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...systemEnv, ...env },
    maxBuffer: 2 ** 28,
    timeout: 600_000,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`);
  return { stdout, stderr };
}

/** Does something in a folder that is gone afterwards. */
export async function inFolder<T>(work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-check-'));
  try {
    return await work(folder);
  } finally {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Leaves mounts of an image behind; why the work failed matters more.
    }
  }
}

/** Does something while a program runs, which is ended afterwards, and shows what the program said where it fails. */
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

/** Tries again while it fails, for as long as a slow machine may take. */
export async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + 30_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > until) throw error;
    }
  }
}
