/** Files for platforms that tests cannot reach: what they say about the relay is true. */
import { readSettings } from '../../packages/core/src/settings.ts';
import { read, readYaml } from './files.ts';
import { variables } from './variables.ts';

const known = variables.map(({ name }) => name as string);

describe('Cloud Run', () => {
  const [service] = readYaml('deploy/cloud-run/service.yaml');
  const { containers, volumes } = service.spec.template.spec;
  const [container] = containers;

  test('has variables that the relay knows, and the config at the right path', () => {
    const names: readonly string[] = container.env.map(({ name }: { name: string }) => name);
    expect(names.filter((name) => !known.includes(name))).toEqual(['CRM_TOKEN']);
    const [{ mountPath }] = container.volumeMounts;
    const [{ path }] = volumes[0].secret.items;
    expect(container.env[0]).toEqual({ name: 'CONFIG_FILE', value: `${mountPath}/${path}` });
  });
});

test.each([
  [
    'render/render.yaml',
    readYaml('deploy/render/render.yaml')[0].services[0].envVars.map((one: { key: string }) => one.key),
  ],
  [
    'docs/deploy/railway.md',
    [...read('docs/deploy/railway.md').matchAll(/--set "?([A-Z_]+)=/g)].map(([, name]) => name),
  ],
])('%s has variables that the relay knows', (_, names: readonly string[]) =>
  expect(names.filter((name) => !known.includes(name))).toEqual(['CRM_TOKEN']),
);

test('the package’s image uses the same folder and config as the manifests and the relay', () => {
  const dockerfile = read('deploy/package/Dockerfile');
  const { mountPath } = readYaml('deploy/render/render.yaml')[0].services[0].disk;
  for (const page of [dockerfile, read('docs/deploy/railway.md')]) expect(page).toContain(mountPath);
  expect(dockerfile).toContain('COPY webform.yaml');
});

const toml = read('deploy/fly/fly.toml');
const valuesOf = (key: string) =>
  [...toml.matchAll(new RegExp(`^${key} = "?(.*?)"?$`, 'gm'))].map(([, value]) => value);

test('Fly.io: has variables that the relay knows, and the config at the right path', () => {
  const names = [...toml.matchAll(/^([A-Z_]+) = /gm)].map(([, name = '']) => name);
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
  expect(valuesOf('guest_path')).toEqual(valuesOf('CONFIG_FILE'));
  expect(read('docs/deploy/fly.md')).toContain(`keep: {in: ${valuesOf('destination')[0]}}`);
});

test('Fly.io: names the proxies to trust, and does not start until its addresses are filled in', () => {
  const [trusted = ''] = valuesOf('TRUSTED_PROXIES');
  expect(() => readSettings({ TRUSTED_PROXIES: trusted })).toThrow(/^TRUSTED_PROXIES: .*ADDRESS/);
  const filledIn = trusted.replace('ADDRESS', '203.0.113.7,2001:db8::7');
  expect(readSettings({ TRUSTED_PROXIES: filledIn }).trustedProxies).toHaveLength(3);
});
