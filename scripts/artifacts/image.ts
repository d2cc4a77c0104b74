/**
 * Builds the executable's image as a file for `docker load` and `podman load`, following the Dockerfile's
 * stage `executable`. Needs neither Docker nor root, because there is no base image.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { hostNode, printedBy } from './host_node.ts';
import { certificateFile, copyInto, copyTo, librariesOf, ownersOf } from './root.ts';

interface ImageOptions {
  /** The executable. */
  readonly executable: string;
  readonly version: string;
  readonly revision: string;
  /** Seconds since 1970, so that the same sources give the same image. */
  readonly epoch: number;
  /** An empty folder. */
  readonly work: string;
  readonly out: string;
}

/** Fills a folder with the executable, its libraries, the licences of both, and CA certificates. */
function fillRoot(folder: string, executable: string): void {
  copyTo(executable, join(folder, 'relay'));
  copyTo(`${executable}.licences.txt`, join(folder, 'usr/share/doc/form-relay/licences.txt'));
  const libraries = librariesOf(executable);
  const licences = ownersOf(libraries).map((owner) => `/usr/share/doc/${owner.split(':')[0]}/copyright`);
  copyInto(folder, [...libraries, ...licences]);
  mkdirSync(join(folder, 'etc/ssl/certs'), { recursive: true });
  const certificates = printedBy(hostNode(), "require('node:tls').rootCertificates.join('\\n')");
  writeFileSync(join(folder, certificateFile), certificates);
  mkdirSync(join(folder, 'tmp'));
  chmodSync(join(folder, 'tmp'), 0o1777);
}

export function writeImage({ executable, version, revision, epoch, work, out }: ImageOptions): void {
  const [root, state, files] = ['root', 'state', 'files'].map((name) => join(work, name)) as [
    string,
    string,
    string,
  ];
  fillRoot(root, executable);
  mkdirSync(join(state, 'var/lib/form-relay'), { recursive: true });
  mkdirSync(files);
  const tar = (file: string, ...words: readonly string[]) =>
    execFileSync('tar', ['--numeric-owner', '--sort=name', `--mtime=@${epoch}`, '-f', file, ...words]);
  const layer = join(files, 'layer.tar');
  tar(layer, '-c', '--owner=0', '--group=0', '-C', root, '.');
  // A new volume gets the folder's owner and mode.
  tar(
    layer,
    '-r',
    '--owner=0',
    '--group=0',
    '--mode=0755',
    '--no-recursion',
    '-C',
    state,
    './var',
    './var/lib',
  );
  tar(layer, '-r', '--owner=1000', '--group=1000', '--mode=0700', '-C', state, './var/lib/form-relay');
  const created = new Date(epoch * 1_000).toISOString();
  const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64'];
  const config = JSON.stringify({
    created,
    architecture,
    os: 'linux',
    config: configIn(readFileSync('deploy/container/Dockerfile', 'utf8'), { version, revision }),
    rootfs: { type: 'layers', diff_ids: [`sha256:${hashOf(layer)}`] },
    history: [{ created, created_by: 'npm run artifacts' }],
  });
  const id = createHash('sha256').update(config).digest('hex');
  writeFileSync(join(files, `${id}.json`), config);
  // The layer is compressed, because podman 4 cannot load an archive that is compressed as a whole.
  writeFileSync(join(files, 'layer.tar.gz'), gzipSync(readFileSync(layer)));
  rmSync(layer);
  const Layers = ['layer.tar.gz'];
  const RepoTags = [`form-relay:${version}`, 'form-relay:latest'];
  writeFileSync(join(files, 'manifest.json'), JSON.stringify([{ Config: `${id}.json`, RepoTags, Layers }]));
  tar(out, '-c', '--owner=0', '--group=0', '-C', files, `${id}.json`, 'manifest.json', ...Layers);
}

export const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Parts of an image's config that follow from Dockerfile instructions. */
const instructions: Readonly<Record<string, (text: string, given: Given) => object>> = {
  COPY: () => ({}),
  ARG: () => ({}),
  ENV: (text, { config }) => ({ Env: [...config.Env, text] }),
  USER: (User) => ({ User }),
  EXPOSE: (port) => ({ ExposedPorts: { [`${port}/tcp`]: {} } }),
  STOPSIGNAL: (StopSignal) => ({ StopSignal }),
  HEALTHCHECK: (text) => ({ Healthcheck: healthCheckIn(text) }),
  ENTRYPOINT: (text) => ({ Entrypoint: JSON.parse(text) }),
  CMD: (text) => ({ Cmd: JSON.parse(text) }),
  LABEL: (text, { version, revision }) => {
    const labels = [...text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S+))/g)].map(([, key, quoted, bare = '']) => [
      key,
      quoted ?? bare.replace('$' + '{VERSION}', version).replace('$' + '{REVISION}', revision),
    ]);
    return { Labels: Object.fromEntries(labels) };
  },
};

interface Given extends Pick<ImageOptions, 'version' | 'revision'> {
  readonly config: { readonly Env: readonly string[] };
}

/** An image's config from the stage's instructions. Throws on an unknown instruction. */
function configIn(dockerfile: string, given: Omit<Given, 'config'>): object {
  const [, stage = ''] = /^FROM scratch AS executable\n([\s\S]*?)^FROM /m.exec(dockerfile) ?? [];
  const lines = stage.replaceAll('\\\n', ' ').split('\n');
  let config: Given['config'] = Object.assign({ Env: [] }, { WorkingDir: '/' });
  for (const line of lines.filter((one) => one !== '' && !one.startsWith('#'))) {
    const [, instruction = '', text = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    const says = instructions[instruction];
    if (!says)
      throw new Error(
        `deploy/container/Dockerfile has an instruction that image files do not support: ${line}`,
      );
    config = { ...config, ...says(text, { ...given, config }) };
  }
  return config;
}

function healthCheckIn(text: string) {
  const seconds = (name: string) => Number(new RegExp(`--${name}=(\\d+)s`).exec(text)?.[1] ?? 0) * 1e9;
  const [, command = ''] = /CMD (\[.*)$/.exec(text) ?? [];
  return {
    Test: ['CMD', ...JSON.parse(command)],
    Interval: seconds('interval'),
    Timeout: seconds('timeout'),
    StartPeriod: seconds('start-period'),
  };
}
