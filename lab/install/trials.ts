/** Ways from an empty Debian to a relay that answers, each as the manual has it, and back. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { freePort } from '../../scripts/deploy/systemd.ts';
import { tempFolder } from '../../scripts/temp_folder.ts';
import { type Mounted, startProgram } from '../runtimes/mounts.ts';
import type { Ran, Root } from './roots.ts';

export interface Given {
  readonly artifacts: string;
  readonly files: Readonly<Record<'executable' | 'package' | 'image', string>>;
  readonly smtpPort: number;
}

type As = 'root' | 'user';
type Step<T> = (root: Root, as: As, given: Given) => Promise<T>;

export interface Trial {
  readonly as: As;
  readonly withNode?: boolean;
  /** Programs of this machine. */
  readonly needs?: readonly string[];
  readonly install: Step<Mounted>;
  readonly remove: Step<void>;
}

const mailbox = 'office@firm.example';

export function succeeded(ran: Ran): string {
  assert.equal(ran.status, 0, `${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}

const start = ([program = '', ...args]: readonly string[]) =>
  startProgram(program, args, { env: { PATH: process.env.PATH } });

/** Everything by install.sh; the service's own command then serves. */
const byScript = (more: string, fetched = (line: string) => line): Pick<Trial, 'install' | 'remove'> => ({
  install: async (root, as, { smtpPort }) => {
    const port = await freePort();
    const line = fetched(
      `sh /artifacts/install.sh ${more} --to ${mailbox} --smtp 127.0.0.1:${smtpPort} --port ${port} --service yes`,
    );
    const said = succeeded(root.run(as, line));
    assert.match(said, /^Installed {2}\S+\/bin\/relay, version/m);
    // The same again is an upgrade, and keeps what there is.
    const again = succeeded(root.run(as, fetched(`sh /artifacts/install.sh ${more} --service yes`)));
    assert.match(again, /^Installed {2}\S+ again, version/m);
    assert.match(again, /^Kept {7}\S+\/webform\.yaml$/m);
    assert.doesNotMatch(again, /^Wrote/m);
    return as === 'root' ? startService(root) : startService(root, '/home/ada');
  },
  remove: async (root, as) => {
    const kept = succeeded(root.run(as, fetched('sh /artifacts/install.sh --uninstall')));
    assert.match(kept, /^Kept {7}\S+\/form-relay$/m);
    const config = as === 'root' ? '/etc/form-relay' : '/home/ada/.config/form-relay';
    assert.ok(existsSync(join(root.path, config, 'webform.yaml')));
    succeeded(root.run(as, fetched('sh /artifacts/install.sh --uninstall --purge')));
  },
});

/** Starts what a unit starts, as the user that it names, with the variables that it sets. */
async function startService(root: Root, home?: string): Promise<Mounted> {
  const unit = join(
    root.path,
    home ? `${home}/.config` : '/etc',
    `systemd/${home ? 'user' : 'system'}/form-relay.service`,
  );
  verify(unit, home !== undefined);
  const text = readFileSync(unit, 'utf8');
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(text) ?? [];
  const variables = text.matchAll(/^Environment="?(\w+)=([^"\n]*)"?$/gm);
  const config = home ? `${home}/.config/form-relay` : '/etc/form-relay';
  const file = readFileSync(join(root.path, config, '.env'), 'utf8');
  const ofFile = file.matchAll(/^(\w+)='?([^'\n]*)'?$/gm);
  const env = Object.fromEntries([...variables, ...ofFile].map(([, name, value = '']) => [name, value]));
  if (home) return start(root.words('user', `exec ${command}`, env));
  // systemd makes it for the service's user.
  const [state, id] = [join(root.path, 'var/lib/form-relay'), 61_234];
  mkdirSync(state, { mode: 0o700 });
  spawnSync('chown', [`${id}:${id}`, state]);
  return start(root.words(id, `exec ${command}`, { ...env, INVOCATION_ID: 'a' }));
}

/** The programs that it names are in the root, where its command is run. */
function verify(unit: string, isOfUser: boolean): void {
  const folder = tempFolder('units');
  const units = isOfUser ? [unit] : [unit, unit.replace(/service$/, 'socket')];
  const copies = units.map((path) => {
    const copy = join(folder, basename(path));
    writeFileSync(copy, readFileSync(path, 'utf8').replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'));
    return copy;
  });
  const words = ['verify', ...(isOfUser ? ['--user'] : []), ...copies];
  const env = { PATH: process.env.PATH, XDG_RUNTIME_DIR: folder };
  const { stdout, stderr, error } = spawnSync('systemd-analyze', words, { encoding: 'utf8', env });
  if (error) console.log('SKIPPED: without systemd-analyze, the units are not verified');
  else assert.equal(stdout + stderr, '');
}

const config = (smtpPort: number) => `forms:
  contact:
    fields: [{name: name, required: true}, {name: email, type: email, required: true}, {name: message, type: textarea}]
    outputs: [{type: smtp, host: 127.0.0.1, port: ${smtpPort}, from: website@firm.example, to: ${mailbox}, mapping: "*"}]
`;

/** A config in the home, and a command that serves it. */
async function serve(root: Root, as: As, { smtpPort }: Given, relay: string): Promise<Mounted> {
  const home = as === 'root' ? 'root' : 'home/ada';
  writeFileSync(join(root.path, home, 'webform.yaml'), config(smtpPort));
  // The mail server's name is an example's.
  assert.match(succeeded(root.run(as, `${relay} config validate`)), /^loads, but an example/);
  return start(root.words(as, `exec ${relay} serve`, { HOST: '127.0.0.1', PORT: '0' }));
}

const removeConfig = (root: Root, as: As) => succeeded(root.run(as, 'rm webform.yaml'));

const npm = 'npm install --global --no-audit --no-fund --no-update-notifier';

/** By npm alone. As a user, into the home. */
const byNpm = (prefix: string): Pick<Trial, 'install' | 'remove'> => ({
  install: async (root, as, given) => {
    succeeded(root.run(as, `${npm} ${prefix} /artifacts/${given.files.package}`));
    return serve(root, as, given, 'relay');
  },
  remove: async (root, as) => {
    succeeded(root.run(as, `npm uninstall --global ${prefix} form-relay`));
    // Folders that npm made.
    root.run(as, 'rmdir .local/lib/node_modules .local/lib .local/bin .local');
    removeConfig(root, as);
  },
});

/** Out of npm's cache; nothing is installed. */
const byNpx: Pick<Trial, 'install' | 'remove'> = {
  install: (root, as, given) =>
    serve(root, as, given, `npx --yes --package /artifacts/${given.files.package} relay`),
  remove: async (root, as) => void removeConfig(root, as),
};

/** From a web server. */
const overHttp: Pick<Trial, 'install' | 'remove'> = {
  install: (root, as, given) => served(given, (origin) => overUrl(origin).install(root, as, given)),
  remove: (root, as, given) => served(given, (origin) => overUrl(origin).remove(root, as, given)),
};

const overUrl = (origin: string) =>
  byScript('', (line) =>
    line.replace(
      'sh /artifacts/install.sh',
      `curl -fsSL ${origin}/install.sh | FORM_RELAY_FROM=${origin} sh -s --`,
    ),
  );

async function served<T>({ artifacts }: Given, work: (origin: string) => Promise<T>): Promise<T> {
  // A process of its own: this one waits for the script.
  const code = `
    const { createReadStream, existsSync } = require('node:fs');
    require('node:http').createServer((request, response) => {
      const path = ${JSON.stringify(artifacts)} + request.url;
      if (existsSync(path)) createReadStream(path).pipe(response); else response.writeHead(404).end();
    }).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port); });`;
  const server = await startProgram(process.execPath, ['-e', code], {});
  try {
    return await work(server.origin);
  } finally {
    await server.stop();
  }
}

/** Loaded, then run as its own user, with nothing but its own files. */
const image: Trial = {
  as: 'root',
  needs: ['buildah'],
  install: async (_, __, { artifacts, files, smtpPort }) => {
    const buildah = (...words: readonly string[]) =>
      succeeded(spawnSync('buildah', words, { encoding: 'utf8' })).trim();
    buildah('pull', '--quiet', `docker-archive:${join(artifacts, files.image)}`);
    const name = buildah('from', '--pull-never', '--name', container, 'localhost/form-relay:latest');
    const folder = buildah('mount', name);
    mkdirSync(join(folder, 'etc/form-relay'), { recursive: true });
    writeFileSync(join(folder, 'etc/form-relay/webform.yaml'), config(smtpPort));
    const env = { HOST: '127.0.0.1', PORT: '0', CONFIG_FILE: '/etc/form-relay/webform.yaml' };
    const set = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
    const how = ['--isolation', 'chroot', '--network', 'host', ...set];
    return start(['buildah', 'run', ...how, name, '--', '/relay', 'serve']);
  },
  remove: async () => {
    spawnSync('buildah', ['rm', container]);
    spawnSync('buildah', ['rmi', '--force', 'localhost/form-relay:latest']);
  },
};

const container = `form-relay-trial-${process.pid}`;

export const trials: Readonly<Record<string, Trial>> = {
  'install.sh, executable, root': { as: 'root', ...byScript('') },
  'install.sh, executable, user': { as: 'user', ...byScript('') },
  'install.sh, package, root': { as: 'root', withNode: true, ...byScript('--artifact package') },
  'install.sh, package, user': { as: 'user', withNode: true, ...byScript('--artifact package') },
  'install.sh from a URL, user': { as: 'user', ...overHttp },
  'npm install --global, root': { as: 'root', withNode: true, ...byNpm('') },
  'npm install --global, user': { as: 'user', withNode: true, ...byNpm('--prefix ~/.local') },
  'npx --package, root': { as: 'root', withNode: true, ...byNpx },
  'npx --package, user': { as: 'user', withNode: true, ...byNpx },
  'image, loaded by buildah': image,
  'image, loaded by podman': {
    ...image,
    needs: ['podman', 'buildah'],
    install: async (...given) => {
      const [, , { artifacts, files }] = given;
      const said = succeeded(
        spawnSync('podman', ['load', '--input', join(artifacts, files.image)], { encoding: 'utf8' }),
      );
      assert.match(said, /Loaded image: localhost\/form-relay:/);
      return image.install(...given);
    },
  },
};
