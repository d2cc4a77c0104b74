import { describe, expect, onTestFinished, test } from 'vitest';
import { readSettings, variables } from '../../src/settings.ts';
import { startRelay } from '../support/relay.ts';
import { list, type Node, read, readYaml } from './files.ts';

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
  const named = [...kustomization.resources, ...config.files, 'kustomization.yaml'];
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
      /shutdownMs = ([\d_]+)/.exec(read('src/tools/cli/serve_http.ts'))?.[1]?.replace('_', ''),
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

test('the pods run the image that the kustomization names', () => {
  expect(kustomization.images.map(({ name }: Node) => name)).toEqual([container.image]);
});
