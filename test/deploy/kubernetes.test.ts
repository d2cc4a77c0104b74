import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readSettings } from '../../packages/relay/src/schema/settings/settings.ts';
import { variables } from '../../packages/relay/src/schema/settings/variables.ts';
import { hasNats, program } from '../support/nats.ts';
import { startRelay } from '../support/relay.ts';
import { list, type Node, pathOf, read, readYaml } from './files.ts';

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
  const [port] = container.ports;

  test('listen where the relay listens by default', () => {
    expect(port.containerPort).toBe(readSettings({}).port);
    expect(the('NetworkPolicy').spec.ingress).toEqual([{ ports: [{ port: port.containerPort }] }]);
    expect(the('Service').spec.ports[0].targetPort).toBe(port.name);
  });

  test.each(['livenessProbe', 'readinessProbe'])('%s asks what the relay answers with 200', async (probe) => {
    const relay = await startRelay({ config: read(`${folder}/webform.yaml`) });
    onTestFinished(relay.close);
    expect(container[probe].httpGet.port).toBe(port.name);
    expect((await relay.get(container[probe].httpGet.path)).status).toBe(200);
  });

  test('are not ready without a config, and are not restarted for it', async () => {
    const relay = await startRelay({ config: 'forms: []' });
    onTestFinished(relay.close);
    expect((await relay.get(container.readinessProbe.httpGet.path)).status).toBe(503);
    expect((await relay.get(container.livenessProbe.httpGet.path)).status).toBe(200);
  });

  test('have only variables that the relay knows', () => {
    const known = variables.map(({ name }) => name as string);
    for (const { name } of container.env) expect(known).toContain(name);
  });

  test('find the config where CONFIG_FILE says', () => {
    const { value } = container.env.find(({ name }: Node) => name === 'CONFIG_FILE');
    const [mount] = container.volumeMounts;
    const volume = pod.volumes.find(({ name }: Node) => name === mount.name);
    expect(config.files.map((file: string) => `${mount.mountPath}/${file}`)).toEqual([value]);
    expect(volume.configMap.name).toBe(config.name);
  });

  test('are given the time that requests under way may take', () => {
    const shutdownMs = Number(
      /shutdownMs = ([\d_]+)/.exec(read('packages/cli/src/serve_http.ts'))?.[1]?.replace('_', ''),
    );
    const [, seconds] = container.lifecycle.preStop.exec.command;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(shutdownMs / 1000 + Number(seconds));
  });

  test('may do nothing that the restricted standard of the namespace forbids', () => {
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

test('names are looked up wherever the DNS is, also in a cache of the node', () => {
  const [dns] = the('NetworkPolicy').spec.egress;
  expect(dns).toEqual({
    ports: [
      { protocol: 'UDP', port: 53 },
      { protocol: 'TCP', port: 53 },
    ],
  });
});

describe('metrics', () => {
  const [component] = readYaml(`${folder}/metrics/kustomization.yaml`);
  const patched = (kind: string): readonly Node[] =>
    component.patches
      .filter(({ target }: Node) => target.kind === kind)
      .flatMap(({ patch }: Node) => (loadAll(patch)[0] as Node[]).map(({ value }) => value));

  test('are answered where they are asked for', () => {
    const [port, { name, value }] = patched('Deployment');
    expect(variables.map((variable) => variable.name as string)).toContain(name);
    expect(String(port.containerPort)).toBe(value);
    expect(patched('NetworkPolicy')[0].ports).toEqual([{ port: port.containerPort }]);
  });

  test('scale by what the relay measures, before it refuses', () => {
    const [{ pods }] = patched('HorizontalPodAutoscaler');
    expect(read('packages/relay/src/telling/metrics/families.ts')).toContain(`${pods.metric.name}: `);
    const [adapter] = readYaml(`${folder}/metrics/prometheus-adapter.yaml`);
    expect(adapter.rules.custom[0].seriesQuery).toContain(`${pods.metric.name}{`);
    expect(Number(pods.target.averageValue)).toBeLessThan(readSettings({}).submissionLimit / 2);
  });
});

test('the pods run the image that the kustomization names', () => {
  expect(kustomization.images.map(({ name }: Node) => name)).toEqual([container.image]);
});

describe('the servers that keep', () => {
  const servers = readYaml(`${folder}/nats/nats.yaml`);
  const one = (kind: string): Node => servers.find((object) => object.kind === kind);
  const [component] = readYaml(`${folder}/nats/kustomization.yaml`);
  const set = one('StatefulSet');
  const { spec } = set.spec.template;
  const [nats] = spec.containers;
  const conf = read(`${folder}/nats/nats.conf`);
  const portOf = (name: string) =>
    nats.ports.find((port: Node) => port.name === name).containerPort as number;

  test('are all part of the component', () => {
    const [{ files }] = component.configMapGenerator;
    expect(list(`${folder}/nats`).sort()).toEqual(
      [...component.resources, ...files, 'kustomization.yaml'].sort(),
    );
    expect(component.images.map(({ name }: Node) => name)).toEqual([nats.image]);
  });

  test('listen where their configuration says, and find each other', () => {
    expect(conf).toContain(`listen: "0.0.0.0:${portOf('client')}"`);
    expect(conf).toContain(`listen: "0.0.0.0:${portOf('cluster')}"`);
    expect(conf).toContain(`http: "0.0.0.0:${portOf('monitor')}"`);
    const routes = [...conf.matchAll(/"nats:\/\/([\w.-]+):(\d+)"/g)].map(
      ([, host, port]) => `${host}:${port}`,
    );
    expect(routes).toEqual(
      Array.from(
        { length: set.spec.replicas },
        (_, at) => `${set.metadata.name}-${at}.${set.spec.serviceName}:${portOf('cluster')}`,
      ),
    );
    expect(one('Service').metadata.name).toBe(set.spec.serviceName);
  });

  test.skipIf(!hasNats)('have a configuration that a server takes', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'nats-')), 'nats.conf');
    // Debian's is older than this word.
    writeFileSync(path, conf.replace('sync_interval: always', ''));
    const env = { ...process.env, POD_NAME: 'nats-0', NATS_USER: 'a', NATS_PASSWORD: 'b' };
    expect(() => execFileSync(program, ['-t', '-c', path], { env, stdio: 'pipe' })).not.toThrow();
    expect(() => execFileSync(program, ['-t', '-c', path], { stdio: 'pipe' })).toThrow();
  });

  test.skipIf(!hasNats)('take whatever password the manual makes', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'nats-')), 'nats.conf');
    writeFileSync(path, conf.replace('sync_interval: always', ''));
    // As a text that the server would read as a number: 12e5.
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

  test('may do nothing that the restricted standard of the namespace forbids', () => {
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(nats.securityContext).toEqual(container.securityContext);
  });

  test('are reached by the relay, and by nobody else', () => {
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

  test.skipIf(!existsSync('/usr/bin/kubectl'))('are there when the component is named', () => {
    const copy = mkdtempSync(join(tmpdir(), 'kubernetes-'));
    onTestFinished(() => rmSync(copy, { recursive: true }));
    cpSync(pathOf(folder), copy, { recursive: true });
    const path = join(copy, 'kustomization.yaml');
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(
        '# components:\n#   - nats\n#   - metrics',
        'components:\n  - nats\n  - metrics',
      ),
    );
    const built = loadAll(
      execFileSync('/usr/bin/kubectl', ['kustomize', copy], { encoding: 'utf8' }),
    ) as readonly Node[];
    const the = (kind: string, name: string): Node =>
      built.find((object) => object.kind === kind && object.metadata.name === name);
    expect(built.filter((object) => object.kind === 'StatefulSet')).toHaveLength(1);
    expect(the('NetworkPolicy', 'form-relay').spec.egress.at(-1).ports).toEqual([{ port: 4222 }]);
    const [configMap] = the('StatefulSet', 'nats').spec.template.spec.volumes.map(
      (volume: Node) => volume.configMap.name,
    );
    expect(the('ConfigMap', configMap).data['nats.conf']).toBe(conf);
    expect(
      new Set(built.map(({ kind, metadata }) => (kind === 'Namespace' ? metadata.name : metadata.namespace))),
    ).toEqual(new Set(['form-relay']));
    expect(the('StatefulSet', 'nats').spec.template.spec.containers[0].image).toMatch(/^nats:2\.\d+/);
  });

  test('are where the papers say that a config keeps', async () => {
    const [, place] = /`(keep: \{in: "nats:[^`]+)`/.exec(read('docs/deploy/kubernetes.md')) ?? [];
    const relay = await startRelay({ config: `${place}\n${read(`${folder}/webform.yaml`)}` });
    onTestFinished(relay.close);
    const keep = (await relay.relay.config.get())?.keep;
    expect(keep?.in).toMatchObject({ servers: [`${one('Service').metadata.name}:${portOf('client')}`] });
  });
});
