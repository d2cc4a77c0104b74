/**
 * Builds both images on a base of npm's Node and this machine's libraries, because the Dockerfile's base
 * image is not available everywhere. Needs Debian and root.
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificateFile, copyInto, copyNpm, copyTo, makeRoot } from '../artifacts/root.ts';
import { run } from '../machine.ts';

const base = 'localhost/node-of-this-machine';
const file = 'deploy/container/Dockerfile';

/** A container of an image, and the root folder of its files. */
export interface Container {
  readonly root: string;
  /** Arguments of buildah that run a command in it as the image's user: `[...inside(env), ...command]`. */
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
  // Both start with the same stage, whose layers the second build reuses.
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

const libraries = ['libc6', 'libstdc++6', 'libgcc-s1'];

/** A root folder with Node, npm and the parts of Debian that they need. */
function makeBase(folder: string): void {
  // The Dockerfile's Node version, which only the executable must be built with.
  const node = run('npx', ['--yes', '-p', 'node@24', 'node', '-p', 'process.execPath']).stdout.trim();
  makeRoot(folder, node);
  copyTo(node, join(folder, 'usr/bin/node'));
  copyInto(folder, run('dpkg', ['--listfiles', ...libraries]).stdout.match(/^\S+\.so[\d.]*$/gm) ?? []);
  copyNpm(join(folder, 'usr/lib/npm'));
  fs.writeFileSync(join(folder, 'usr/bin/npm'), '#!/bin/sh\nexec node /usr/lib/npm/bin/npm-cli.js "$@"\n', {
    mode: 0o755,
  });
  copyInto(folder, ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', certificateFile]);
  fs.appendFileSync(join(folder, 'etc/passwd'), 'node:x:1000:1000::/tmp:/bin/sh\n');
}
