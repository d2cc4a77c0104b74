/** The built relay with several workers, as a process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Starts it, and waits until it listens; `env.CONFIG_INLINE` is its config. */
export async function startWorkers(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pids = () => childrenOf(child.pid ?? 0);
  onTestFinished(() => {
    const all = [child.pid ?? 0, ...pids()];
    for (const pid of all) kill(pid, 'SIGKILL');
  });
  const log: Record<string, unknown>[] = [];
  createInterface(child.stderr).on('line', (line) => log.push(JSON.parse(line)));
  const printed: string[] = [];
  const output = createInterface(child.stdout).on('line', (line) => printed.push(line));
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  await Promise.race([once(output, 'line'), ended]);
  const [origin = 'http://127.0.0.1:1'] = /http:\/\/[\d.:]+/.exec(printed.join('\n')) ?? [];
  const events = (name: string) => log.filter(({ event }) => event === name);
  return { child, origin, pids, log, events, printed, ended };
}

/** Over a connection of its own, which goes to the next worker. */
export async function ask(
  url: string,
  { body, headers = {} }: { readonly body?: string; readonly headers?: Record<string, string> } = {},
): Promise<Answer> {
  const asking = request(url, {
    method: body === undefined ? 'GET' : 'POST',
    agent: false,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
  });
  asking.end(body);
  const [answer] = await once(asking, 'response');
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** Whether a process runs. */
export function runs(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children
      .split(' ')
      .filter((one) => one !== '')
      .map(Number);
  } catch {
    return [];
  }
}
