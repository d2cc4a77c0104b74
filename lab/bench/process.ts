/** Processes pinned to a core, and their resource usage. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export type Child = ChildProcess & { readonly stdout: Readable };

let isPinned = false;

/** Pins this process, which runs the load and the sink, to a core. Returns `false` if that is impossible. */
export function pinThisProcess(): boolean {
  try {
    execFileSync('taskset', ['-a', '-c', '-p', '1', String(process.pid)], { stdio: 'ignore' });
    isPinned = true;
  } catch {}
  return isPinned;
}

/** Starts Node with these arguments on the other core. */
export const spawnNode = (args: readonly string[], env: NodeJS.ProcessEnv): Child =>
  spawnCommand([process.execPath, ...args], env);

/** Starts a command on the other core, with its log written to /dev/null. */
export function spawnCommand(words: readonly string[], env: NodeJS.ProcessEnv, core = '0'): Child {
  const [command = '', ...rest] = [...(isPinned ? ['taskset', '-c', core] : []), ...words];
  const child = spawn(command, rest, {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  }) as Child;
  const kill = () => child.kill();
  process.on('exit', kill);
  child.on('exit', () => process.off('exit', kill));
  return child;
}

/** The address in the first line that a server prints. */
export async function addressOf(child: Child): Promise<string> {
  const [line] = await once(createInterface(child.stdout), 'line');
  return /http:\/\/[\w.]+:\d+/.exec(line)?.[0] ?? `http://127.0.0.1:${JSON.parse(line).port}`;
}

/** CPU time of all threads so far, as Linux counts it to the nanosecond. */
export const cpuSeconds = ({ pid }: Pick<ChildProcess, 'pid'>): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((task) => `/proc/${pid}/task/${task}/schedstat`)
    .filter((path) => existsSync(path))
    .reduce((sum, path) => sum + Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e9, 0);

/** Not `maxRSS`, which on Linux starts at the parent process's usage. */
export function peakRssMb({ pid }: Pick<ChildProcess, 'pid'>): number {
  const [, kb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kb) / 1024);
}

export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
