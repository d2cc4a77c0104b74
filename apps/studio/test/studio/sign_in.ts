/** `relay dev` as installed, and its owner's browser at the printed URL. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../../dist/relay.cjs', import.meta.url));

export function run(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [program, ...args], { cwd, env: { PATH: process.env.PATH, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Opens the URL in a line as the owner's browser would. */
export async function signIn(line: string) {
  const [address = ''] = /http:\S+/.exec(line) ?? [];
  const { origin } = new URL(address);
  const { headers } = await fetch(address, { redirect: 'manual' });
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
  /** Sends requests with its cookie. */
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(origin + path, { ...init, headers: { cookie, ...init.headers } });
  return { address, origin, cookie, ask };
}

export type Dev = Awaited<ReturnType<typeof startDev>>;

/** Waits for the first line, and signs in. */
export async function startDev(
  cwd: string,
  more: readonly string[] = [],
  env?: Readonly<Record<string, string>>,
) {
  const child = run(cwd, ['dev', '--port', '0', ...more], env);
  const lines = createInterface({ input: child.stdout });
  const [line = ''] = await once(lines, 'line');
  return { child, line, lines, ...(await signIn(line)) };
}
