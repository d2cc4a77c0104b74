import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { relayWith, tempFolder } from '../support/index.ts';
import { pathOf, read, readYaml } from './files.ts';

const dockerfile = read('deploy/container/Dockerfile');
/** Matching lines in both images. */
const both = (pattern: RegExp) => [...dockerfile.matchAll(pattern)].map(([, found]) => found);

/** Files of the checkout that these files import, and those that the imported ones import. */
function importsOf(files: readonly string[]): Set<string> {
  const found = new Set(files);
  for (const file of found) {
    for (const [, path = ''] of read(file).matchAll(/^[ie}].* from '(\.{1,2}\/[^']+\.\w+)'/gm))
      found.add(join(file, '..', path));
  }
  return found;
}

test('the images are built from files that exist and are not excluded from the build', () => {
  const sources = [...dockerfile.matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap(([, from = '']) =>
    from.split(' '),
  );
  const seen = [...read('deploy/container/Dockerfile.dockerignore').matchAll(/^!(.*)$/gm)].map(
    ([, path]) => path,
  );
  expect([...new Set(sources)].sort()).toEqual(seen.sort());
  expect(sources.filter((path) => !existsSync(pathOf(path)))).toEqual([]);
  const isSeen = (path: string) => seen.some((one) => path === one || path.startsWith(`${one}/`));
  const run = [...dockerfile.matchAll(/\btsx (\S+)/g)].map(([, path = '']) => path);
  expect(run).toEqual(['scripts/executable.ts']);
  expect([...importsOf(['tsdown.config.ts', ...run])].filter((path) => !isSeen(path))).toEqual([]);
});

test('the user is the same as in the Kubernetes pods', () => {
  const [{ spec }] = readYaml('deploy/kubernetes/deployment.yaml');
  const { runAsUser, runAsGroup } = spec.template.spec.securityContext;
  const user = `${runAsUser}:${runAsGroup}`;
  expect(both(/^USER (.*)$/gm)).toEqual([user, user]);
});

test('the health check passes while the relay answers, and fails when it does not', async () => {
  const [, command = ''] = /^HEALTHCHECK .*?CMD (\["node".*)$/m.exec(dockerfile) ?? [];
  const [node, ...args]: readonly string[] = JSON.parse(command);
  expect(node).toBe('node');
  const relay = await relayWith({ config: 'forms: {}' });
  const check = (PORT: string) =>
    promisify(execFile)(process.execPath, args, { env: { PORT } }).then(
      () => 'healthy',
      ({ code }) => `exit code ${code}`,
    );
  expect(await check(new URL(relay.origin).port)).toBe('healthy');
  expect(await check('1')).toBe('exit code 1');
});

test('the containers in Compose run as in the manual, with their data outside', () => {
  const manual = ['container', 'container-volumes-secrets']
    .map((name) => read(`docs/deploy/${name}.md`))
    .join('');
  const [{ services }] = readYaml('deploy/container/compose.yaml');
  const { 'form-relay': relay } = services;
  const [, run = ''] = /^docker run --detach (.*?)^```/ms.exec(manual) ?? [];
  expect(run).toContain(
    `--restart ${relay.restart} --stop-timeout ${Number.parseInt(relay.stop_grace_period, 10)}`,
  );
  expect(run).toContain(`--publish ${relay.ports[0]}`);
  expect(run).toContain(
    `--read-only --cap-drop ${relay.cap_drop[0]} --security-opt no-new-privileges --memory ${relay.mem_limit}`,
  );
  expect([relay.read_only, relay.security_opt]).toEqual([true, ['no-new-privileges:true']]);
  for (const name of Object.keys(relay.environment)) expect(manual).toContain(`--env ${name}`);
  const [config, kept] = relay.volumes;
  expect(run).toContain(`:${config.split(':').slice(1).join(':')}"`);
  expect(manual).toContain(`--volume ${kept.source}:${kept.target}`);
  expect(manual).toContain(`keep: {in: ${kept.target}}`);
  expect(existsSync(pathOf(`deploy/container/${relay.build.context}/${relay.build.dockerfile}`))).toBe(true);
});

test('pin.sh adds current digests to the tags, and updates old ones', async () => {
  const folder = tempFolder();
  const pinned = ['deploy/container/Dockerfile', 'deploy/caddy/compose.yaml', 'deploy/compose/compose.yaml'];
  for (const path of [...pinned, 'deploy/container/pin.sh']) cpSync(pathOf(path), join(folder, path));
  mkdirSync(join(folder, 'bin'));
  const pin = async (registry: string) => {
    writeFileSync(join(folder, 'bin/skopeo'), `#!/bin/sh\n${registry}\n`);
    chmodSync(join(folder, 'bin/skopeo'), 0o755);
    const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
    await promisify(execFile)('sh', [join(folder, 'deploy/container/pin.sh')], { env });
  };
  const digest = (manifest: string) => `@sha256:${createHash('sha256').update(manifest).digest('hex')}`;
  const textOf = (path: string) => readFileSync(join(folder, path), 'utf8');
  for (const day of ['monday', 'tuesday']) {
    await pin(`printf %s "${day} of $3"`);
    for (const path of pinned) {
      const unpinned = textOf(path).replace(
        /(docker\.io\/library\/\S+:[\w.-]+)@sha256:[0-9a-f]{64}/,
        (all, image) => {
          expect(all).toBe(image + digest(`${day} of docker://${image}`));
          return image;
        },
      );
      expect(unpinned).toBe(read(path).replaceAll(/@sha256:[0-9a-f]{64}/g, ''));
    }
  }
  await expect(pin('exit 1')).rejects.toThrow();
});
