/** The installed package and the function's folder, on each runtime, in every way to start them. */
import { execFile, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { tempFolder } from '../../scripts/machine.ts';
import { apiGatewayEvent } from '../../test/support/lambda_events.ts';
import { startLambda } from '../../test/support/lambda_runtime.ts';
import { listen } from '../../test/support/listen.ts';

export type Environment = Readonly<Record<string, string>>;

export interface Runtime {
  readonly name: string;
  /** The npm package that contains the program. */
  readonly package: string;
  readonly program: 'node' | 'bun' | 'deno';
}

export const runtimes: readonly Runtime[] = [
  { name: 'node20', package: 'node@20', program: 'node' },
  { name: 'node22', package: 'node@22', program: 'node' },
  { name: 'node24', package: 'node@24', program: 'node' },
  { name: 'node26', package: 'node@26', program: 'node' },
  { name: 'bun', package: 'bun@1', program: 'bun' },
  { name: 'deno', package: 'deno@2', program: 'deno' },
];

export interface Installed extends Runtime {
  readonly version: string;
  /** The program itself: npm may install a wrapper script, and a signal would end only the script. */
  readonly path: string;
}

const ask =
  'process.stdout.write(JSON.stringify([process.execPath, process.versions.bun ?? process.versions.deno ?? process.version.slice(1)]))';

/** Installs through npm, unless this very Node is wanted. Rejects if npm does not have it. */
export async function installed(runtime: Runtime): Promise<Installed> {
  const isThis = runtime.program === 'node' && process.version.startsWith(`v${runtime.package.slice(5)}.`);
  const evaluate = runtime.program === 'deno' ? ['eval', ask] : ['-e', ask];
  const [program, ...args] = isThis
    ? [process.execPath, ...evaluate]
    : ['npx', '--yes', '-p', runtime.package, runtime.program, ...evaluate];
  const { stdout } = await promisify(execFile)(program as string, args, { timeout: 300_000 });
  const [path, version] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  return { ...runtime, path, version };
}

/** A running relay. */
export interface Mounted {
  readonly origin: string;
  /** The line with its address. */
  readonly line: string;
  /** The log so far. */
  log(): string;
  /** Sends SIGTERM, and returns the exit code. */
  stop(): Promise<number | null>;
}

export interface Mount {
  readonly name: 'relay serve' | 'createNodeServer' | 'fetch' | 'Lambda';
  readonly isOn: (runtime: Runtime) => boolean;
  readonly start: (runtime: Installed, env: Environment) => Promise<Mounted>;
}

const everywhere = () => true;

export const mounts: readonly Mount[] = [
  {
    name: 'relay serve',
    isOn: everywhere,
    start: program('node_modules/form-relay/dist/relay.cjs', 'serve'),
  },
  { name: 'createNodeServer', isOn: everywhere, start: program('serve_node.mjs') },
  { name: 'fetch', isOn: everywhere, start: program('serve_fetch.mjs') },
  { name: 'Lambda', isOn: ({ program }) => program === 'node', start: onLambda },
];

let package_: Promise<string> | undefined;

/** A folder with the package installed as in docs/deploy/systemd.md, and with programs that embed it. */
export function packageFolder(): Promise<string> {
  package_ ??= (async () => {
    const folder = tempFolder('package');
    const npm = (...args: string[]) => promisify(execFile)('npm', args);
    const { stdout } = await npm('pack', '--silent', '--ignore-scripts', '--pack-destination', folder);
    await npm('install', '--no-audit', '--prefix', folder, join(folder, stdout.trim()));
    for (const name of ['serve_node.mjs', 'serve_fetch.mjs'])
      await copyFile(new URL(name, import.meta.url), join(folder, name));
    return folder;
  })();
  return package_;
}

/** Runs a program in that folder. */
function program(file: string, ...words: string[]): Mount['start'] {
  return async ({ path: runtime, program }, env) => {
    const cwd = await packageFolder();
    const args = [...(program === 'deno' ? ['run', '-A', '--quiet'] : []), join(cwd, file), ...words];
    const own = { PATH: process.env.PATH, HOME: process.env.HOME, HOST: '127.0.0.1', PORT: '0' };
    return startProgram(runtime, args, { cwd, env: { ...own, ...env } });
  };
}

/** Starts a program that prints its address. `ended` resolves with the exit code, however it ended. */
export async function startProgram(
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>,
): Promise<Mounted & { readonly ended: Promise<number | null> }> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const ended = once(child, 'exit')
    .finally(() => process.off('exit', end))
    .then(([code]): number | null => code);
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const listening = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const [address] = /http:\/\/[\w.[\]:]+:\d+/.exec(line) ?? [];
      if (address) return { origin: address, line };
    }
    throw new Error(`ended before listening:\n${log}`);
  })();
  return {
    ...(await listening),
    log: () => log,
    stop: async () => {
      child.kill('SIGTERM');
      const late = setTimeout(end, 20_000);
      return ended.finally(() => clearTimeout(late));
    },
    ended,
  };
}

/** Runs the function behind a server that turns requests into events, one at a time. */
async function onLambda({ path: node }: Installed, env: Environment): Promise<Mounted> {
  const lambda = await startLambda({ env: env as Record<string, string>, node });
  let turn: Promise<unknown> = lambda.init;
  const server = http.createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    const { method = '', url = '', headers } = incoming;
    const event = apiGatewayEvent({ method, target: url, headers: headers as Environment, body });
    turn = turn
      .then(() => lambda.invoke(event))
      .then(({ result }) => {
        outgoing.writeHead(result.statusCode, result.headers);
        outgoing.end(Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8'));
      })
      .catch(() => outgoing.writeHead(502).end());
  });
  return {
    line: '',
    origin: `http://127.0.0.1:${await listen(server)}`,
    log: lambda.log,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await lambda.close();
      return 0;
    },
  };
}
