/** Roots with a fresh Debian: each trial writes into an overlay, which then shows everything left behind. */
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hostNode } from '../../scripts/artifacts/host_node.ts';
import { certificateFile, copyInto, copyNpm, copyTo, makeRoot } from '../../scripts/artifacts/root.ts';

const run = (program: string, ...words: readonly string[]) =>
  execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const work = fs.mkdtempSync(join(tmpdir(), 'relay-install-'));
const mounted: string[] = [];
process.on('exit', () => {
  for (const path of mounted.toReversed()) spawnSync('umount', ['--lazy', path]);
  fs.rmSync(work, { recursive: true, force: true });
});

/** A minimal Debian from this machine's mirror; without a mirror, from this machine's own files. */
function makeDebian(tarball: string | undefined): { readonly folder: string; readonly is: string } {
  const folder = join(work, 'debian');
  if (tarball !== undefined) {
    fs.mkdirSync(folder);
    run('tar', '-x', '-f', tarball, '-C', folder, '--exclude=./dev/*');
    return { folder, is: tarball };
  }
  const [, suite = 'stable'] =
    /^VERSION_CODENAME=(.*)$/m.exec(fs.readFileSync('/etc/os-release', 'utf8')) ?? [];
  const sources = ['/etc/apt/sources.list', ...filesIn('/etc/apt/sources.list.d')]
    .filter((path) => fs.existsSync(path))
    .map((path) => fs.readFileSync(path, 'utf8'));
  const [, mirror = 'http://deb.debian.org/debian'] =
    /^(?:URIs: |deb )(https?:\S*debian\/?)(?=\s)/m.exec(sources.join('\n')) ?? [];
  const { status } = spawnSync('mmdebstrap', ['--variant=minbase', '--include=curl', suite, folder, mirror], {
    stdio: 'ignore',
    timeout: 300_000,
  });
  if (status === 0) return { folder, is: `Debian ${suite} from ${mirror}` };
  fs.rmSync(folder, { recursive: true, force: true });
  makeRoot(folder, process.execPath);
  return { folder, is: "a root of this machine's own files, since mmdebstrap reached no mirror" };
}

const filesIn = (folder: string): readonly string[] =>
  fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => join(folder, name)) : [];

/** A layer with Node 24 and npm in /usr/local, as distributed by nodejs.org. */
function makeNode(): string {
  const folder = join(work, 'node');
  copyTo(hostNode(), join(folder, 'usr/local/bin/node'));
  copyNpm(join(folder, 'usr/local/lib/node_modules/npm'));
  for (const name of ['npm', 'npx'])
    run('ln', '-s', `../lib/node_modules/npm/bin/${name}-cli.js`, join(folder, `usr/local/bin/${name}`));
  copyInto(folder, ['/etc/resolv.conf', certificateFile]);
  return folder;
}

export type Root = ReturnType<typeof openRoot>;
export type Ran = ReturnType<Root['run']>;
type Variables = Readonly<Record<string, string>>;

// If this machine trusts an authority of its own, npm must trust it, too.
const ofMachine = process.env.NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS: certificateFile } : {};

const paths = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
let base: { readonly folder: string; readonly is: string } | undefined;
let node: string | undefined;

/** Makes the layers that all roots share, and describes them. @param tarball Made by mmdebstrap. */
export function prepare(tarball?: string): string {
  base ??= makeDebian(tarball);
  node ??= makeNode();
  fs.mkdirSync(join(base.folder, 'home/ada'), { recursive: true });
  run('chown', '1000:1000', join(base.folder, 'home/ada'));
  const passwd = join(base.folder, 'etc/passwd');
  fs.writeFileSync(passwd, `${fs.readFileSync(passwd, 'utf8')}ada:x:1000:1000::/home/ada:/bin/sh\n`);
  fs.mkdirSync(join(base.folder, 'artifacts'), { recursive: true });
  return base.is;
}

/** @param artifacts Their folder, mounted as /artifacts. */
export function openRoot(artifacts: string, withNode: boolean) {
  if (!base || !node) throw new Error('prepare() comes first');
  const folder = fs.mkdtempSync(join(work, 'root-'));
  const made = (name: string) => {
    fs.mkdirSync(join(folder, name));
    return join(folder, name);
  };
  const [path, upper, own] = [made('merged'), made('upper'), made('own')];
  const lower = withNode ? `${node}:${base.folder}` : base.folder;
  const mount = (target: string, ...words: readonly string[]) => {
    run('mount', ...words, target);
    mounted.push(target);
  };
  mount(path, '-t', 'overlay', 'overlay', '-o', `lowerdir=${lower},upperdir=${upper},workdir=${own}`);
  mount(join(path, 'proc'), '-t', 'proc', 'proc');
  mount(join(path, 'dev'), '--bind', '/dev');
  mount(join(path, 'artifacts'), '--bind', artifacts);
  /** The command line that starts a program in it, `[program, ...args]`. `user`: runs as Ada, who has a home, instead of root. */
  const words = (as: 'root' | 'user' | number, line: string, env: Variables = {}) => {
    const home = as === 'user' ? '/home/ada' : '/root';
    const id = as === 'user' ? 1_000 : as === 'root' ? 0 : as;
    const bin = as === 'user' ? `${home}/.local/bin:` : '';
    const set = Object.entries({ HOME: home, PATH: bin + paths, ...ofMachine, ...env }).map(
      ([key, value]) => `${key}=${value}`,
    );
    const shell = ['sh', '-c', `cd "$HOME" 2> /dev/null || cd /; ${line}`];
    return ['chroot', `--userspec=${id}:${id}`, path, 'env', '-i', ...set, ...shell];
  };
  return {
    path,
    words,
    run: (as: 'root' | 'user', line: string, env?: Variables) => {
      const [program = '', ...args] = words(as, line, env);
      return spawnSync(program, args, { encoding: 'utf8', timeout: 170_000 });
    },
    /** Files and folders that are new, and files that changed. */
    left: () => leftIn(upper, lower.split(':')),
    /** Ends every program in it: npx leaves its child running. */
    end: async () => {
      const until = performance.now() + 10_000;
      for (let running = runningIn(path); running.length > 0; running = runningIn(path)) {
        for (const id of running) process.kill(id, performance.now() > until ? 'SIGKILL' : 'SIGTERM');
        await sleep(100);
      }
    },
    close: () => {
      for (const target of ['artifacts', 'dev', 'proc', '']) {
        const at = join(path, target);
        spawnSync('umount', ['--lazy', at]);
        mounted.splice(mounted.indexOf(target === '' ? path : at), 1);
      }
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

const runningIn = (path: string): readonly number[] =>
  fs.readdirSync('/proc').flatMap((id) => {
    try {
      return /^\d+$/.test(id) && fs.readlinkSync(`/proc/${id}/root`) === path ? [Number(id)] : [];
    } catch {
      return [];
    }
  });

/** npm's caches, and temporary files of programs. */
const isScratch = (path: string) =>
  /^(root|home\/ada)\/\.npm\b|^tmp\b|^proc\b|^dev\b|^artifacts\b/.test(path);

const leftIn = (upper: string, lower: readonly string[]): readonly string[] =>
  fs.readdirSync(upper, { recursive: true, encoding: 'utf8' }).filter((path) => {
    if (isScratch(path)) return false;
    const isThere = lower.some((one) => fs.existsSync(join(one, path)));
    return !(isThere && fs.lstatSync(join(upper, path)).isDirectory());
  });
