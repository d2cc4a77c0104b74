/** Artifacts other than the package, each made as the manual describes, in a folder outside the checkout. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { Miniflare } from 'miniflare';
import { copyInto, librariesOf } from '../../scripts/artifacts/root.ts';
import { buildContainers } from '../../scripts/deploy/image.ts';
import { has, tempFolder } from '../../scripts/machine.ts';
import { type Environment, type Mounted, packageFolder, startProgram } from './mounts.ts';
import { type Place, placeIn } from './place.ts';
import type { Where } from './promises.ts';

export interface Artifact {
  readonly place?: Place;
  /** Runs a `relay` command there, if the artifact has commands. */
  readonly command?: (env: Environment, words: readonly string[]) => Command;
  /** `config`: the text of the config that the environment names. */
  readonly start: (env: Environment, config?: string) => Promise<Mounted>;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
}

/** Each resolves with `undefined` if this machine cannot run it, and says why. */
export const artifacts: Readonly<
  Record<string, { readonly where: Where; readonly make: () => Promise<Artifact | undefined> }>
> = {
  systemd: { where: 'systemd', make: systemd },
  executable: { where: 'executable', make: executable },
  image: { where: 'container', make: () => container('node') },
  'image-executable': { where: 'container', make: () => container('executable') },
  worker: { where: 'Worker', make: worker },
};

const root = new URL('../../', import.meta.url).pathname;
const chroot = '/usr/sbin/chroot';
const own = { HOST: '127.0.0.1', PORT: '0' };

function skipped(why: string): undefined {
  console.log(`SKIPPED: ${why}`);
}

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

/** Runs the unit's own command, as a user who owns only its state folder. */
async function systemd(): Promise<Artifact | undefined> {
  if (!isRoot) return skipped('only root on Linux can start a service as another user');
  const unit = await readFile(join(root, 'deploy/systemd/form-relay.service'), 'utf8');
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
  const service = tempFolder('service');
  const node = join(service, 'node');
  copyFileSync(process.execPath, node);
  const [program = '', ...args] = command
    .replace('/usr/bin/node', node)
    .replace('/opt/form-relay', await packageFolder())
    .split(' ');
  const uid = 61_234;
  const place = placeIn(service, 'etc/form-relay', 'var/lib/form-relay');
  const state = place.state.outside;
  mkdirSync(state, { recursive: true, mode: 0o755 });
  chmodSync(state, 0o700);
  chownSync(state, uid, uid);
  const seen = {
    config: { ...place.config, inside: place.config.outside },
    state: { inside: state, outside: state },
  };
  const run = (env: Environment, words: readonly string[]) => ({
    program,
    args: [...args.slice(0, -1), ...words],
    env: { ...own, ...env, NODE_ENV: 'production' },
    uid,
    gid: uid,
  });
  return { place: seen, command: run, start: serving(run) };
}

/** Runs in a root with only its libraries, as user 1000, who can write to one folder. */
async function executable(): Promise<Artifact | undefined> {
  if (!isRoot) return skipped('only root on Linux can try the executable in an empty root');
  const folder = tempFolder('root');
  fillRoot(folder);
  const command = (env: Environment, words: readonly string[]) => ({
    program: chroot,
    args: ['--userspec=1000:1000', folder, '/relay', ...words],
    env: { ...own, ...env },
  });
  return { place: placeIn(folder, '/etc/form-relay', '/data'), command, start: serving(command) };
}

const serving = (command: NonNullable<Artifact['command']>) => (env: Environment) => {
  const { program, args, ...options } = command(env, ['serve']);
  return startProgram(program, args, options);
};

/** Builds the executable into a folder, with its libraries. */
function fillRoot(folder: string): void {
  const relay = join(folder, 'relay');
  execFileSync('npx', ['tsx', 'scripts/executable.ts', '--out', relay], { stdio: 'ignore' });
  chmodSync(relay, 0o755);
  rmSync(join(folder, 'relay.licences.txt'), { force: true });
  copyInto(folder, librariesOf(relay));
  mkdirSync(join(folder, 'data'));
  chownSync(join(folder, 'data'), 1000, 1000);
}

let containers: ReturnType<typeof buildContainers> | undefined;

/** Runs as its own user, in a folder that only the image has written to, like a new volume. Passes its own health check. */
async function container(which: 'node' | 'executable'): Promise<Artifact | undefined> {
  if (!isRoot || !has('buildah')) return skipped('images need buildah, and root on Linux');
  containers ??= buildContainers();
  const { root, inside, entrypoint, healthCheck } = containers[which];
  const command = (env: Environment, words: readonly string[]) => ({
    program: 'buildah',
    args: [...inside({ ...own, ...env }), ...entrypoint, ...words],
    env: process.env,
  });
  const start = async (env: Environment) => {
    const mounted = await serving(command)(env);
    const PORT = new URL(mounted.origin).port;
    execFileSync('buildah', [...inside({ PORT }), ...healthCheck], { stdio: 'ignore' });
    return mounted;
  };
  return { place: placeIn(root, '/etc/form-relay', '/var/lib/form-relay'), command, start };
}

const wrangler = 'wrangler@4.164.0';
/**
 * Compressed. A tenth more than Wrangler's output; Cloudflare accepts 3 MB
 * (https://developers.cloudflare.com/workers/platform/limits/).
 */
const mostBytes = 1_100_000;

/** The project of docs/deploy/cloudflare.md, bundled by Wrangler, in workerd. */
async function worker(): Promise<Artifact | undefined> {
  const npx = ['--yes', '-p', 'node@24', '-p', wrangler, 'wrangler'];
  const run = (...words: string[]) =>
    execFileSync('npx', [...npx, ...words], {
      encoding: 'utf8',
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    run('--version');
  } catch {
    return skipped(`${wrangler} cannot be had through npm here`);
  }
  const folder = tempFolder('worker');
  cpSync(join(root, 'deploy/cloudflare'), folder, { recursive: true });
  cpSync(join(await packageFolder(), 'node_modules'), join(folder, 'node_modules'), { recursive: true });
  cpSync(join(root, 'examples/plugins/blocklist.mjs'), join(folder, 'blocklist.mjs'));
  const main = await readFile(join(folder, 'worker.js'), 'utf8');
  const withPlugin = main.replace('{ config }', '{ config, plugins: [blocklist] }');
  await writeFile(join(folder, 'worker.js'), `import blocklist from './blocklist.mjs';\n${withPlugin}`);
  const start = async (env: Environment, config = '') => {
    await writeFile(join(folder, 'webform.yaml'), config);
    const out = join(folder, 'out');
    const bundled = run('deploy', '--dry-run', '--cwd', folder, '--outdir', out);
    const missing = ['env.KEPT ', 'env.ASIDE ', 'env.COUNTS '].filter((name) => !bundled.includes(name));
    if (missing.length > 0) throw new Error(`${bundled}\nlacks ${missing.join(', ')}`);
    const contents = await readFile(join(out, 'worker.js'), 'utf8');
    const { length } = gzipSync(contents, { level: 9 });
    if (length > mostBytes) throw new Error(`the Worker has ${length} bytes compressed`);
    const { CONFIG_FILE: _, ...bindings } = env;
    const queue = { maxBatchSize: 10, maxBatchTimeout: 1, maxRetries: 100, deadLetterQueue: 'aside' };
    const texts = (await readdir(out)).filter((name) => name.endsWith('.yaml'));
    const modules = [
      { type: 'ESModule' as const, path: 'worker.js', contents },
      ...texts.map((path) => ({ type: 'Text' as const, path, contents: config })),
    ];
    let said = '';
    const flare = new Miniflare({
      handleRuntimeStdio: (...streams: readonly Readable[]) => {
        for (const stream of streams) stream.on('data', (bytes) => (said += bytes));
      },
      modules,
      bindings,
      ...{
        compatibilityDate: '2026-04-01',
        compatibilityFlags: ['nodejs_compat'],
        host: '127.0.0.1',
        port: 0,
      },
      queueProducers: { KEPT: 'kept', ASIDE: 'aside' },
      queueConsumers: { kept: queue },
      durableObjects: { COUNTS: { className: 'Counts', useSQLite: true } },
    });
    const { origin } = await flare.ready;
    return { origin, line: '', log: () => said, stop: async () => flare.dispose().then(() => 0) };
  };
  return { start };
}
