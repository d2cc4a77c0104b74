import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import type { Check } from './check.ts';
import { checkObjects, objectsIn } from './objects.ts';
import { inFolder, root, run } from './run.ts';
import { programOf } from './tools.ts';

const chart = join(root, 'deploy/helm/form-relay');
const config = 'forms: {}\n';
const digest = `sha256:${'0'.repeat(64)}`;

/** Values that people give, and the kinds of object that come of them. */
const sets: readonly { readonly values: object; readonly kinds: string }[] = [
  {
    values: { config },
    kinds: 'ConfigMap Deployment HorizontalPodAutoscaler NetworkPolicy PodDisruptionBudget Service',
  },
  {
    values: { config, persistence: { enabled: true }, existingSecret: 'mine', image: { digest } },
    kinds: 'ConfigMap Deployment NetworkPolicy PersistentVolumeClaim Service',
  },
  {
    values: {
      existingConfigMap: 'mine',
      env: { PUBLIC_URL: 'https://forms.example.com', THROTTLE_RATE_LIMIT: 20 },
      autoscaling: { targetSubmissionsUnderWay: 200 },
      metrics: { enabled: true, serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
      ingress: { enabled: true, className: 'nginx', tlsSecret: 'tls', annotations: { a: 'b' } },
      serviceAccount: {
        create: true,
        annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/r' },
      },
      networkPolicy: {
        ingressFrom: [{ namespaceSelector: {} }],
        extraEgress: [{ to: [{ podSelector: {} }], ports: [{ port: 4222 }] }],
      },
      imagePullSecrets: [{ name: 'registry' }],
      priorityClassName: 'high',
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'a', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      podAnnotations: { a: 'b' },
      podLabels: { team: 'web' },
      topologySpreadConstraints: [{ maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
    },
    kinds:
      'Deployment HorizontalPodAutoscaler Ingress NetworkPolicy PodDisruptionBudget Service Service ServiceAccount ServiceMonitor',
  },
  {
    values: {
      config,
      autoscaling: { enabled: false },
      networkPolicy: { enabled: false },
      podDisruptionBudget: { enabled: false },
    },
    kinds: 'ConfigMap Deployment Service',
  },
];

/** Values that the chart must refuse. */
const refused: readonly object[] = [
  {},
  { config, replica: 2 },
  { config, image: { digest: 'latest' } },
  { config, env: { PORT: 80 } },
];

export const helm: Check = {
  needs: [],
  run: () =>
    inFolder(async (folder) => {
      const program = programOf('helm');
      const path = join(folder, 'values.yaml');
      const env = { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
      const template = [
        'template',
        'forms',
        chart,
        ...'--namespace forms --kube-version 1.31.0 --values'.split(' '),
        path,
      ];
      for (const { values, kinds } of sets) {
        writeFileSync(path, dump(values));
        run(program, ['lint', '--strict', chart, '--values', path], env);
        const objects = objectsIn(run(program, template, env).stdout);
        const made = objects
          .map(({ kind }) => kind)
          .sort()
          .join(' ');
        if (made !== kinds) throw new Error(`${JSON.stringify(values)} gives ${made}, and not ${kinds}`);
        await checkObjects(objects);
      }
      for (const values of refused) {
        writeFileSync(path, dump(values));
        if (spawnSync(program, template, { env: { ...process.env, ...env } }).status === 0) {
          throw new Error(`the chart takes ${JSON.stringify(values)}`);
        }
      }
      return `${sets.length} sets of values give objects that Kubernetes' schemas know, ${refused.length} are refused`;
    }),
};
