import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { hasNats, program } from '../support/nats.ts';
import { tempFolder } from '../support/temp_folder.ts';
import { list, type Node, read, readYaml } from './files.ts';
import { variables } from './variables.ts';

const folder = 'deploy/kubernetes';
const [kustomization] = readYaml(`${folder}/kustomization.yaml`);
const objects: readonly Node[] = kustomization.resources.flatMap((file: string) =>
  readYaml(`${folder}/${file}`),
);
const the = (kind: string): Node => objects.find((object) => object.kind === kind);
const deployment = the('Deployment');
const pod = deployment.spec.template.spec;
const [container] = pod.containers;
const [config] = kustomization.configMapGenerator;

test('every manifest is part of the kustomization', () => {
  const named = [...kustomization.resources, ...config.files, 'kustomization.yaml', 'nats', 'metrics'];
  expect(list(folder).sort()).toEqual(named.sort());
});

describe('the pods', () => {
  test('have only variables that the relay knows', () => {
    const known = variables.map(({ name }) => name as string);
    for (const { name } of container.env) expect(known).toContain(name);
  });

  test('find the config at the path in CONFIG_FILE', () => {
    const { value } = container.env.find(({ name }: Node) => name === 'CONFIG_FILE');
    const [mount] = container.volumeMounts;
    const volume = pod.volumes.find(({ name }: Node) => name === mount.name);
    expect(config.files.map((file: string) => `${mount.mountPath}/${file}`)).toEqual([value]);
    expect(volume.configMap.name).toBe(config.name);
  });

  test('get enough time for requests in progress', () => {
    const shutdownMs = Number(
      /shutdownMs = ([\d_]+)/.exec(read('packages/cli/src/serve_http.ts'))?.[1]?.replace('_', ''),
    );
    const [, seconds] = container.lifecycle.preStop.exec.command;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(shutdownMs / 1000 + Number(seconds));
  });

  test('need nothing that the namespace’s restricted standard forbids', () => {
    expect(the('Namespace').metadata.labels['pod-security.kubernetes.io/enforce']).toBe('restricted');
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });
});

test('everything that selects pods selects these', () => {
  const { labels } = deployment.spec.template.metadata;
  expect(deployment.spec.selector.matchLabels).toEqual(labels);
  expect(the('Service').spec.selector).toEqual(labels);
  expect(the('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
  expect(the('NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels);
  expect(the('HorizontalPodAutoscaler').spec.scaleTargetRef).toEqual({
    apiVersion: deployment.apiVersion,
    kind: deployment.kind,
    name: deployment.metadata.name,
  });
});

describe('the NATS servers', () => {
  const servers = readYaml(`${folder}/nats/nats.yaml`);
  const one = (kind: string): Node => servers.find((object) => object.kind === kind);
  const [component] = readYaml(`${folder}/nats/kustomization.yaml`);
  const set = one('StatefulSet');
  const { spec } = set.spec.template;
  const [nats] = spec.containers;
  const conf = read(`${folder}/nats/nats.conf`);
  const portOf = (name: string) =>
    nats.ports.find((port: Node) => port.name === name).containerPort as number;

  test.skipIf(!hasNats)('have a configuration that a server accepts', () => {
    const path = join(tempFolder(), 'nats.conf');
    // Debian's version is older than this setting.
    writeFileSync(path, conf.replace('sync_interval: always', ''));
    const env = { ...process.env, POD_NAME: 'nats-0', NATS_USER: 'a', NATS_PASSWORD: 'b' };
    expect(() => execFileSync(program, ['-t', '-c', path], { env, stdio: 'pipe' })).not.toThrow();
    expect(() => execFileSync(program, ['-t', '-c', path], { stdio: 'pipe' })).toThrow();
  });

  test.skipIf(!hasNats)('accept any password that the manual generates', () => {
    const path = join(tempFolder(), 'nats.conf');
    writeFileSync(path, conf.replace('sync_interval: always', ''));
    // As a text that the server would parse as a number: 12e5.
    const made = /NATS_PASSWORD\\": \\"(.*?)\$\(openssl rand -hex 24\)/.exec(
      read('docs/deploy/kubernetes.md'),
    )?.[1];
    const env = { ...process.env, POD_NAME: 'nats-0', NATS_USER: 'a' };
    const check = (NATS_PASSWORD: string) =>
      execFileSync(program, ['-t', '-c', path], { env: { ...env, NATS_PASSWORD }, stdio: 'pipe' });
    expect(() => check('1234567890')).toThrow();
    for (const digits of ['1234567890', '12e5', '0x12', '5m', 'true'])
      expect(() => check(`${made}${digits}`)).not.toThrow();
  });

  test('need nothing that the namespace’s restricted standard forbids', () => {
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(nats.securityContext).toEqual(container.securityContext);
  });

  test('can be reached only by the relay', () => {
    const { labels } = set.spec.template.metadata;
    expect(set.spec.selector.matchLabels).toEqual(labels);
    expect(one('Service').spec.selector).toEqual(labels);
    expect(one('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    expect(one('NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels);
    const [{ value }] = loadAll(component.patches[0].patch)[0] as Node;
    expect(value).toEqual({
      to: [{ podSelector: { matchLabels: labels } }],
      ports: [{ port: portOf('client') }],
    });
    const [fromRelay] = one('NetworkPolicy').spec.ingress;
    expect(fromRelay).toEqual({
      from: [{ podSelector: { matchLabels: deployment.spec.template.metadata.labels } }],
      ports: [{ port: portOf('client') }],
    });
  });
});
