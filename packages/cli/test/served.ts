/** The built relay, as a process that ends with its test. */
import { type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../../../dist/relay.cjs', import.meta.url));

interface Served extends Pick<SpawnOptions, 'cwd' | 'env'> {
  /** Options for Node. */
  readonly node?: readonly string[];
  /** Words before `serve`. */
  readonly args?: readonly string[];
  readonly stderr?: 'pipe' | 'ignore' | number;
}

/** Starts `relay serve`, on a free port unless `env` sets one. */
export function startServe({ env, cwd, node = [], args = [], stderr = 'pipe' }: Served) {
  const child = spawn(process.execPath, [...node, program, ...args, 'serve'], {
    cwd,
    env: { HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', stderr],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child as ChildProcessByStdio<null, Readable, Readable>;
}

/** Starts it and waits until it listens. */
export async function serve(given: Served) {
  const child = startServe(given);
  const [started] = await once(child.stdout.setEncoding('utf8'), 'data');
  const origin = /http:\/\/[\w.:]+/.exec(started)?.[0] ?? '';
  return { child, started: String(started), origin, port: Number(new URL(origin).port) };
}
