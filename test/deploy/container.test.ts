import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { readSettings } from '../../src/settings/settings.ts';
import { startRelay } from '../support/relay.ts';
import { pathOf, read, readYaml } from './files.ts';

const dockerfile = read('deploy/container/Dockerfile');

test('the image is built from files that exist and that the build may see', () => {
  const sources = [...dockerfile.matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap(([, from = '']) =>
    from.split(' '),
  );
  const seen = [...read('deploy/container/Dockerfile.dockerignore').matchAll(/^!(.*)$/gm)].map(
    ([, path]) => path,
  );
  expect([...new Set(sources)].sort()).toEqual(seen.sort());
  expect(sources.filter((path) => !existsSync(pathOf(path)))).toEqual([]);
});

test('the image holds what relay dev gives to pages', () => {
  const built = [...dockerfile.matchAll(/^COPY --from=build (.*) \S+$/gm)].flatMap(([, from = '']) =>
    from.split(' '),
  );
  const files = readdirSync(pathOf('dist')).filter((name) => /^htmx/.test(name));
  expect(files).not.toEqual([]);
  expect(built).toEqual(expect.arrayContaining(files.map((name) => `/build/dist/${name}`)));
});

test('the image says the port that the relay listens on', () => {
  expect(/^EXPOSE (\d+)$/m.exec(dockerfile)?.[1]).toBe(String(readSettings({}).port));
});

test('the user is the one of the Kubernetes pods', () => {
  const [{ spec }] = readYaml('deploy/kubernetes/deployment.yaml');
  const { runAsUser, runAsGroup } = spec.template.spec.securityContext;
  expect(/^USER (.*)$/m.exec(dockerfile)?.[1]).toBe(`${runAsUser}:${runAsGroup}`);
});

test('the health check passes while the relay answers, and fails when it does not', async () => {
  const [, command = ''] = /^HEALTHCHECK .*?CMD (.*)$/m.exec(dockerfile) ?? [];
  const [node, ...args]: readonly string[] = JSON.parse(command);
  expect(node).toBe('node');
  const relay = await startRelay({ config: 'forms: {}' });
  onTestFinished(relay.close);
  const check = (PORT: string) =>
    promisify(execFile)(process.execPath, args, { env: { PORT } }).then(
      () => 'healthy',
      ({ code }) => `exit code ${code}`,
    );
  expect(await check(new URL(relay.origin).port)).toBe('healthy');
  expect(await check('1')).toBe('exit code 1');
});

test('the containers of Compose are run as the manual runs one, with what is kept outside of them', () => {
  const manual = read('docs/deploy/container.md');
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
