/** Processes on a core of their own, and what they used of it. */
import { type ChildProcess, execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export type Child = ChildProcess & { readonly stdout: Readable };

/** Puts this process, which is the load and the sink, on a core of its own. `false` where that cannot be. */
export function pinThisProcess(): boolean {
  try {
    execFileSync('taskset', ['-a', '-c', '-p', '1', String(process.pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** This Node with these arguments, on the other core. */
export const spawnNode = (args: readonly string[], env: NodeJS.ProcessEnv, isPinned: boolean): Child =>
  spawnCommand([process.execPath, ...args], env, isPinned);

/** A command on the other core. Its log is written, as it always is, but to /dev/null. */
export function spawnCommand(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  isPinned: boolean,
  stdio: StdioOptions = ['ignore', 'pipe', 'ignore'],
): Child {
  const [command = '', ...rest] = [...(isPinned ? ['taskset', '-c', '0'] : []), ...words];
  const child = spawn(command, rest, {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { PATH: process.env.PATH, ...env },
    stdio,
  }) as Child;
  const kill = () => child.kill();
  process.on('exit', kill);
  child.on('exit', () => process.off('exit', kill));
  return child;
}

/** CPU time so far, of all threads, user and system; from the 14th and 15th field of Linux's /proc. */
export function cpuSeconds({ pid }: Child): number {
  const fields = readProc(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** CPU time of all threads so far, as Linux counts it to the nanosecond. */
export function cpuMs(pid: number | undefined): number {
  const ns = readdirSync(`/proc/${pid}/task`)
    .map((task) => `/proc/${pid}/task/${task}/schedstat`)
    .filter((path) => existsSync(path))
    .map((path) => Number(readFileSync(path, 'utf8').split(' ')[0]));
  return ns.reduce((sum, one) => sum + one, 0) / 1e6;
}

export const peakRssMb = (child: Child): number => memoryMb(child, 'VmHWM');
export const rssMb = (child: Child): number => memoryMb(child, 'VmRSS');

function memoryMb({ pid }: Child, name: string): number {
  const [, kb] = new RegExp(`${name}:\\s+(\\d+)`).exec(readProc(`/proc/${pid}/status`)) ?? [];
  return Math.round(Number(kb) / 1024);
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
