/**
 * Builds both images on a base of npm's Node and this machine's libraries, since the one that the Dockerfile names cannot be had
 * everywhere. Needs Debian and root.
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from './run.ts';

const base = 'localhost/node-of-this-machine';
const file = 'deploy/container/Dockerfile';

/** A container of an image, with the root folder of its files. */
export interface Container {
  readonly root: string;
  /** The arguments of buildah that run a command in it, as the image's user: `[...inside(env), ...command]`. */
  readonly inside: (env: Readonly<Record<string, string | undefined>>) => readonly string[];
  readonly entrypoint: readonly string[];
  readonly healthCheck: readonly string[];
}

/** Containers of both images. Throws if they cannot be built. */
export function buildContainers(): Readonly<Record<'node' | 'executable', Container>> {
  const folder = fs.mkdtempSync(join(tmpdir(), 'relay-images-'));
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')];
  process.once('exit', () => {
    for (const command of ['umount', 'rm']) spawnSync('buildah', [...store, command, '--all']);
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const buildah = (command: string, ...args: readonly string[]) =>
    run('buildah', [...store, command, ...args]).stdout.trim();
  makeBase(join(folder, 'base'));
  const first = buildah('from', 'scratch');
  buildah('copy', '--quiet', first, join(folder, 'base'), '/');
  const certificates = process.env.NODE_EXTRA_CA_CERTS
    ? ['--env', `NODE_EXTRA_CA_CERTS=${certificateFile}`]
    : [];
  const variables = ['--env', 'npm_config_prefer_offline=true', '--env', 'PATH=/usr/bin'];
  buildah('config', ...certificates, ...variables, first);
  buildah('commit', '--quiet', first, base);
  const cache = run('npm', ['config', 'get', 'cache']).stdout.trim();
  fs.mkdirSync(cache, { recursive: true });
  const apart = ['--isolation', 'chroot', '--network', 'host', '--pull-never', '--format', 'docker'];
  const own = ['--build-arg', `BASE=${base}`, '--volume', `${cache}:/root/.npm`];
  const context = ['--file', file, '--ignorefile', `${file}.dockerignore`];
  // Both begin with the same stage, whose layers the second takes from the first.
  const build = (...target: readonly string[]): Container => {
    buildah('bud', '--layers', ...apart, ...own, ...context, ...target, '--tag', 'form-relay', '.');
    const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', 'form-relay'));
    const { User, Healthcheck, Labels, Entrypoint } = Docker.config;
    if (User !== '1000:1000' || !Healthcheck || !Labels['org.opencontainers.image.title'])
      throw new Error(JSON.stringify(Docker.config, undefined, 2));
    const [{ size }] = JSON.parse(buildah('images', '--json', 'form-relay'));
    console.log(`image ${target.at(-1) ?? 'node'}: ${size}`);
    const name = buildah('from', '--pull-never', 'form-relay');
    return {
      root: buildah('mount', name),
      inside: (env) => {
        const given = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
        return [...store, 'run', '--isolation', 'chroot', '--network', 'host', ...given, name, '--'];
      },
      entrypoint: Entrypoint,
      healthCheck: Healthcheck.Test.slice(1),
    };
  };
  return { node: build(), executable: build('--target', 'executable') };
}

const certificateFile = '/etc/ssl/certs/ca-certificates.crt';
const programs =
  'sh bash env rm mkdir ln cp mv cat uname sleep sed dirname basename ldd grep chmod chown'.split(' ');
const libraries = ['libc6', 'libstdc++6', 'libgcc-s1'];

/** A root folder with Node, npm and as much of Debian as they need. */
function makeBase(folder: string): void {
  const folders = 'usr/bin usr/lib usr/lib64 usr/local/bin etc/ssl/certs tmp root proc sys dev run'.split(
    ' ',
  );
  for (const path of folders) fs.mkdirSync(join(folder, path), { recursive: true });
  for (const path of ['bin', 'lib', 'lib64']) fs.symlinkSync(`usr/${path}`, join(folder, path));
  fs.chmodSync(join(folder, 'tmp'), 0o1777);
  const copy = (path: string) => {
    fs.mkdirSync(join(folder, dirname(path)), { recursive: true });
    fs.copyFileSync(fs.realpathSync(path), join(folder, path));
  };
  for (const program of programs) copy(`/usr/bin/${program}`);
  // The Node of the Dockerfile, which only the executable needs to have been built with.
  const node = run('npx', ['--yes', '-p', 'node@24', 'node', '-p', 'process.execPath']).stdout.trim();
  fs.copyFileSync(node, join(folder, 'usr/bin/node'));
  const needed = run('ldd', [node, ...programs.map((name) => `/usr/bin/${name}`)].filter(isBinary)).stdout;
  const files = run('dpkg', ['--listfiles', ...libraries]).stdout.match(/^\S+\.so[\d.]*$/gm) ?? [];
  for (const path of new Set([...(needed.match(/\/\S+\.so\S*/g) ?? []), ...files]))
    if (fs.existsSync(path)) copy(path);
  const [npm = ''] =
    /.*\/npm(?=\/bin\/)/.exec(fs.realpathSync(run('sh', ['-c', 'command -v npm']).stdout.trim())) ?? [];
  fs.cpSync(npm, join(folder, 'usr/lib/npm'), { recursive: true });
  fs.writeFileSync(join(folder, 'usr/bin/npm'), '#!/bin/sh\nexec node /usr/lib/npm/bin/npm-cli.js "$@"\n', {
    mode: 0o755,
  });
  for (const path of ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', certificateFile])
    if (fs.existsSync(path)) copy(path);
  fs.writeFileSync(join(folder, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/tmp:/bin/sh\n');
}

/** `ldd` itself is a script. */
const isBinary = (path: string) => !path.endsWith('/ldd');
