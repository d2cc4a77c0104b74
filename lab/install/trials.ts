/** Ways to install a relay on an empty Debian as the manual describes, and to remove it. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { eventually, freePort, has, tempFolder } from '../../scripts/machine.ts';
import { type Mounted, startProgram } from '../runtimes/mounts.ts';
import type { Ran, Root } from './roots.ts';

export interface Given {
  readonly artifacts: string;
  readonly files: Readonly<Record<'executable' | 'package' | 'image', string>>;
  readonly smtpPort: number;
}

type As = 'root' | 'user';
type Step<T> = (root: Root, as: As, given: Given) => Promise<T>;

/** This machine cannot run the trial. */
export class Skipped extends Error {}

export interface Trial {
  readonly as: As;
  readonly withNode?: boolean;
  /** Programs that this machine must have. */
  readonly needs?: readonly string[];
  /** Files that count as left behind. Default: all. */
  readonly leaves?: RegExp;
  readonly install: Step<Mounted>;
  readonly remove: Step<void>;
}

const mailbox = 'office@firm.example';

export function succeeded(ran: Ran): string {
  assert.equal(ran.status, 0, `${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}

const start = ([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  startProgram(program, args, { env: { PATH: process.env.PATH, ...env } });

/** Everything by install.sh; then the service's own command serves. */
const byScript = (more: string, fetched = (line: string) => line): Pick<Trial, 'install' | 'remove'> => ({
  install: async (root, as, { smtpPort }) => {
    const port = await freePort();
    const line = fetched(
      `sh /artifacts/install.sh ${more} --to ${mailbox} --smtp 127.0.0.1:${smtpPort} --port ${port} --service yes`,
    );
    const said = succeeded(root.run(as, line));
    assert.match(said, /^Installed {2}\S+\/bin\/relay, version/m);
    // Running it again upgrades, and keeps existing files.
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

/** Runs a unit's command as the unit's user with the unit's variables. */
async function startService(root: Root, home?: string): Promise<Mounted> {
  const unit = join(
    root.path,
    home ? `${home}/.config` : '/etc',
    `systemd/${home ? 'user' : 'system'}/form-relay.service`,
  );
  verify(unit, home !== undefined);
  const text = readFileSync(unit, 'utf8');
  // Without the header, which is for people who copy the file, and with the comments on its settings.
  if (!home) assert.match(text, /^\[Unit\]\n(.*\n)+# /);
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(text) ?? [];
  const variables = text.matchAll(/^Environment="?(\w+)=([^"\n]*)"?$/gm);
  const config = home ? `${home}/.config/form-relay` : '/etc/form-relay';
  const file = readFileSync(join(root.path, config, '.env'), 'utf8');
  const ofFile = file.matchAll(/^(\w+)='?([^'\n]*)'?$/gm);
  const env = Object.fromEntries([...variables, ...ofFile].map(([, name, value = '']) => [name, value]));
  if (home) return start(root.words('user', `exec ${command}`, env));
  // systemd creates it for the service's user.
  const [state, id] = [join(root.path, 'var/lib/form-relay'), 61_234];
  mkdirSync(state, { mode: 0o700 });
  spawnSync('chown', [`${id}:${id}`, state]);
  return start(root.words(id, `exec ${command}`, { ...env, INVOCATION_ID: 'a' }));
}

/** The programs that it names are in the root, so the check runs there. */
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

/** Runs as PID 1: starts the service, restarts it after a crash, reloads a changed config, stops it. */
const bySystemd = (): Trial => {
  let boot: ReturnType<typeof spawn> | undefined;
  const inside = (line: string): Ran => {
    const children = `/proc/${boot?.pid}/task/${boot?.pid}/children`;
    const leader = existsSync(children) ? readFileSync(children, 'utf8').trim() : '';
    return spawnSync('nsenter', ['--target', leader, '--all', 'sh', '-c', line], { encoding: 'utf8' });
  };
  return {
    as: 'root',
    needs: ['systemd-nspawn'],
    leaves: /relay/,
    install: async (root, _, { artifacts, smtpPort }) => {
      const apt =
        'apt-get update && apt-get install -qy --no-install-recommends -o Dpkg::Options::=--force-unsafe-io systemd-sysv';
      if (root.run('root', apt, { DEBIAN_FRONTEND: 'noninteractive' }).status !== 0)
        throw new Skipped('apt cannot install systemd-sysv in this root');
      // systemd-nspawn mounts its own.
      for (const own of ['dev', 'proc']) spawnSync('umount', [join(root.path, own)]);
      const how = ['--quiet', '--boot', '--register=no', '--keep-unit', '--console=pipe'];
      const place = [`--directory=${root.path}`, `--bind-ro=${artifacts}:/artifacts`];
      let said = '';
      boot = spawn('systemd-nspawn', [...how, ...place], { stdio: ['ignore', 'ignore', 'pipe'] });
      boot.stderr?.on('data', (text) => {
        said += text;
      });
      await eventually(() => inside('systemctl is-active multi-user.target').status === 0).catch(() => {
        throw new Skipped(`systemd does not boot in systemd-nspawn here: ${said.trim()}`);
      });
      const port = await freePort();
      const to = `--to ${mailbox} --smtp 127.0.0.1:${smtpPort} --port ${port}`;
      assert.match(succeeded(inside(`sh /artifacts/install.sh ${to} --service yes`)), /^Started/m);
      const origin = `http://127.0.0.1:${port}`;
      succeeded(inside('systemctl kill --signal KILL form-relay'));
      await eventually(async () => (await fetch(`${origin}/readyz`)).status === 200);
      succeeded(inside('systemctl reload form-relay'));
      return {
        ...{ origin, line: '', log: () => inside('journalctl --unit form-relay').stdout },
        stop: async () => {
          succeeded(inside('systemctl stop form-relay.socket form-relay.service'));
          assert.match(succeeded(inside('systemctl show --property Result form-relay')), /=success/);
          return 0;
        },
      };
    },
    remove: async () => {
      try {
        if (boot) succeeded(inside('sh /artifacts/install.sh --uninstall --purge'));
      } finally {
        inside('systemctl poweroff --force');
        boot?.kill();
      }
    },
  };
};

const config = (smtpPort: number) => `forms:
  contact:
    fields: [{name: name, required: true}, {name: email, type: email, required: true}, {name: message, type: textarea}]
    outputs: [{type: smtp, host: 127.0.0.1, port: ${smtpPort}, from: website@firm.example, to: ${mailbox}, mapping: "*"}]
`;

/** Writes a config to the home folder, and serves it. */
async function serve(root: Root, as: As, { smtpPort }: Given, relay: string): Promise<Mounted> {
  const home = as === 'root' ? 'root' : 'home/ada';
  writeFileSync(join(root.path, home, 'webform.yaml'), config(smtpPort));
  // The mail server's name is only an example.
  assert.match(succeeded(root.run(as, `${relay} config validate`)), /^the config loads, but 1 output/);
  return start(root.words(as, `exec ${relay} serve`, { HOST: '127.0.0.1', PORT: '0' }));
}

const removeConfig = (root: Root, as: As) => succeeded(root.run(as, 'rm webform.yaml'));

const npm = 'npm install --global --no-audit --no-fund --no-update-notifier';

/** With npm only. As a user, into the home folder. */
const byNpm = (prefix: string): Pick<Trial, 'install' | 'remove'> => ({
  install: async (root, as, given) => {
    succeeded(root.run(as, `${npm} ${prefix} /artifacts/${given.files.package}`));
    return serve(root, as, given, 'relay');
  },
  remove: async (root, as) => {
    succeeded(root.run(as, `npm uninstall --global ${prefix} form-relay`));
    // Folders that npm created.
    root.run(as, 'rmdir .local/lib/node_modules .local/lib .local/bin .local');
    removeConfig(root, as);
  },
});

/** From npm's cache; nothing is installed. */
const byNpx: Pick<Trial, 'install' | 'remove'> = {
  install: (root, as, given) =>
    serve(root, as, given, `npx --yes --package /artifacts/${given.files.package} relay`),
  remove: async (root, as) => void removeConfig(root, as),
};

/** Downloaded from a web server. */
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
  // A separate process, because this one waits for the script.
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

const setting = (env: Readonly<Record<string, string>>) =>
  Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);

/** Loaded, then run as its own user, with only its own files. */
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
    const how = ['--isolation', 'chroot', '--network', 'host', ...setting(env)];
    return start(['buildah', 'run', ...how, name, '--', '/relay', 'serve']);
  },
  remove: async () => {
    spawnSync('buildah', ['rm', container]);
    spawnSync('buildah', ['rmi', '--force', 'localhost/form-relay:latest']);
  },
};

const container = `form-relay-trial-${process.pid}`;

/** Loaded and run as in docs/deploy/container.md: a read-only root, no capabilities, and a user that the image does not know. */
const byEngine = (engine: 'docker' | 'podman'): Trial => {
  const conf = join(tempFolder('engine'), 'containers.conf');
  // Podman would raise limits, and crun supports one kind of control groups; this works without either.
  writeFileSync(
    conf,
    `[containers]\ndefault_ulimits = []\n[engine]\nruntime = "${has('runc') ? 'runc' : 'crun'}"\n`,
  );
  const env = { ...process.env, CONTAINERS_CONF: conf };
  const ran = (...words: readonly string[]) => spawnSync(engine, words, { encoding: 'utf8', env });
  return {
    as: 'root',
    needs: [engine],
    install: async (_, __, { artifacts, files, smtpPort }) => {
      const { status, stderr } = ran('info');
      if (status !== 0) throw new Skipped(`${engine} does not run here: ${stderr.trim().split('\n').at(-1)}`);
      assert.match(succeeded(ran('load', '--input', join(artifacts, files.image))), /form-relay:/);
      const file = join(tempFolder('container'), 'webform.yaml');
      writeFileSync(file, config(smtpPort));
      const port = await freePort();
      const own = { HOST: '127.0.0.1', PORT: `${port}`, CONFIG_FILE: '/etc/form-relay/webform.yaml' };
      const confined = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
      const how = ['--rm', '--name', container, '--network', 'host', '--user', '61234:61234', ...confined];
      const volume = ['--volume', `${file}:/etc/form-relay/webform.yaml:ro`];
      const command = [engine, 'run', ...how, ...volume, ...setting(own), 'form-relay'];
      const relay = await start(command, env).catch((error: Error) => {
        // crun supports no hybrid control groups. On such a machine, Podman cannot start any image.
        const [why] = /OCI runtime error: .*/.exec(error.message) ?? [];
        throw why ? new Skipped(`${engine} does not run here: ${why}`) : error;
      });
      succeeded(ran('exec', container, '/relay', 'health'));
      return {
        ...relay,
        stop: async () => {
          succeeded(ran('stop', '-t', '30', container));
          // The engine exits by itself after the container.
          const code = await relay.ended;
          assert.equal(code, 0, 'the exit code after SIGTERM');
          return code;
        },
      };
    },
    remove: async () => {
      ran('rm', '--force', container);
      ran('rmi', '--force', 'form-relay:latest');
    },
  };
};

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
  'install.sh, executable, under systemd': bySystemd(),
  'image, loaded by buildah': image,
  'image, run by Docker': byEngine('docker'),
  'image, run by Podman': byEngine('podman'),
};
