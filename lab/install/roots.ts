/** Roots of a fresh Debian: each trial writes into a layer of its own, which then shows all that is left. */
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

export const has = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } })
    .status === 0;

/** A minimal Debian from this machine's mirror; where that is out of reach, of this machine's own files. */
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

/** A layer with Node 24 and its npm, as nodejs.org has them in /usr/local. */
function makeNode(): string {
  const folder = join(work, 'node');
  copyTo(hostNode(), join(folder, 'usr/local/bin/node'));
  copyNpm(join(folder, 'usr/local/lib/node_modules/npm'));
  for (const name of ['npm', 'npx'])
    run('ln', '-s', `../lib/node_modules/npm/bin/${name}-cli.js`, join(folder, `usr/local/bin/${name}`));
  copyInto(folder, ['/etc/resolv.conf', certificateFile]);
  return folder;
}

export interface Root {
  readonly path: string;
  /** A program in it. `user`: as Ada, who has a home, instead of root. */
  run(as: 'root' | 'user', line: string, env?: Readonly<Record<string, string>>): Ran;
  /** The words that start a program in it: `[program, ...args]`. */
  words(
    as: 'root' | 'user' | number,
    line: string,
    env?: Readonly<Record<string, string>>,
  ): readonly string[];
  /** Files and folders that were not there before, and files that changed. */
  left(): readonly string[];
  /** Ends every program in it: npx leaves its own running. */
  end(): Promise<void>;
  close(): void;
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

// Where this machine trusts an authority of its own, npm has to.
const ofMachine = process.env.NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS: certificateFile } : {};

const paths = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
let base: { readonly folder: string; readonly is: string } | undefined;
let node: string | undefined;

/** Makes what all roots share. Says in words what they are of. @param tarball What mmdebstrap made before. */
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

/** @param artifacts Their folder, which is /artifacts in it. */
export function openRoot(artifacts: string, withNode: boolean): Root {
  if (!base || !node) throw new Error('prepare() comes first');
  const folder = fs.mkdtempSync(join(work, 'root-'));
  const [path, upper, own] = ['merged', 'upper', 'own'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const one of [path, upper, own]) fs.mkdirSync(one);
  const lower = withNode ? `${node}:${base.folder}` : base.folder;
  const mount = (target: string, ...words: readonly string[]) => {
    run('mount', ...words, target);
    mounted.push(target);
  };
  mount(path, '-t', 'overlay', 'overlay', '-o', `lowerdir=${lower},upperdir=${upper},workdir=${own}`);
  mount(join(path, 'proc'), '-t', 'proc', 'proc');
  mount(join(path, 'dev'), '--bind', '/dev');
  mount(join(path, 'artifacts'), '--bind', artifacts);
  const words: Root['words'] = (as, line, env = {}) => {
    const home = as === 'user' ? '/home/ada' : '/root';
    const id = as === 'user' ? 1_000 : as === 'root' ? 0 : as;
    const bin = as === 'user' ? `${home}/.local/bin:` : '';
    const set = Object.entries({ HOME: home, PATH: bin + paths, ...ofMachine, ...env }).map(
      ([key, value]) => `${key}=${value}`,
    );
    return [
      'chroot',
      `--userspec=${id}:${id}`,
      path,
      'env',
      '-i',
      ...set,
      'sh',
      '-c',
      `cd "$HOME" 2> /dev/null || cd /; ${line}`,
    ];
  };
  return {
    path,
    words,
    run: (as, line, env) => {
      const [program = '', ...args] = words(as, line, env);
      const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 170_000 });
      return { status, stdout, stderr };
    },
    left: () => leftIn(upper, lower.split(':')),
    end: async () => {
      for (
        const until = performance.now() + 10_000;
        ;
        await new Promise((resolve) => setTimeout(resolve, 100))
      ) {
        const running = runningIn(path);
        for (const id of running) process.kill(id, performance.now() > until ? 'SIGKILL' : 'SIGTERM');
        if (running.length === 0) return;
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

/** Caches that npm keeps, and programs' own scratch. */
const isScratch = (path: string) =>
  /^(root|home\/ada)\/\.npm\b|^tmp\b|^proc\b|^dev\b|^artifacts\b/.test(path);

const leftIn = (upper: string, lower: readonly string[]): readonly string[] =>
  fs.readdirSync(upper, { recursive: true, encoding: 'utf8' }).filter((path) => {
    if (isScratch(path)) return false;
    const isThere = lower.some((one) => fs.existsSync(join(one, path)));
    return !(isThere && fs.lstatSync(join(upper, path)).isDirectory());
  });
