/** Validates the output of `kubectl kustomize` and Helm for deploy/ against Kubernetes' own schemas. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { dump, loadAll } from 'js-yaml';
import { readYaml } from '../data.ts';
import { has, root, run, tempFolder } from '../machine.ts';
import type { Check } from './check.ts';
import { installed, programOf } from './tools.ts';

const components = [[], ['nats'], ['metrics'], ['nats', 'metrics']];

export const kubernetes: Check = {
  needs: [],
  run: async (folder) => {
    cpSync(join(root, 'deploy/kubernetes'), folder, { recursive: true });
    const path = join(folder, 'kustomization.yaml');
    const text = readFileSync(path, 'utf8');
    const build = has('kubectl') ? ['kubectl', 'kustomize'] : [programOf('kustomize'), 'build'];
    const [program = '', ...args] = build;
    let count = 0;
    for (const named of components) {
      let chosen = text;
      if (named.length > 0) chosen = uncomment(chosen, 'components:');
      for (const one of named) chosen = uncomment(chosen, `  - ${one}`);
      writeFileSync(path, chosen);
      const objects = objectsIn(run(program, [...args, folder]).stdout);
      await checkObjects(objects);
      count += objects.length;
    }
    return `${build.join(' ')} builds it with and without its components: ${count} objects that Kubernetes' schemas know`;
  },
};

function uncomment(text: string, line: string): string {
  if (!text.includes(`\n# ${line}\n`)) throw new Error(`kustomization.yaml has no line "# ${line}"`);
  return text.replace(`\n# ${line}\n`, `\n${line}\n`);
}

const chart = join(root, 'deploy/helm/form-relay');

/** `sets`: values that people set, and the kinds of objects that result. */
interface Cases {
  readonly sets: readonly { readonly values: object; readonly kinds: string }[];
  readonly refused: readonly object[];
}

export const helm: Check = {
  needs: [],
  run: async (folder) => {
    const program = programOf('helm');
    const { sets, refused } = readYaml<Cases>(new URL('helm.yaml', import.meta.url));
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
      if (made !== kinds) throw new Error(`${JSON.stringify(values)} produces ${made}, not ${kinds}`);
      await checkObjects(objects);
    }
    for (const values of refused) {
      writeFileSync(path, dump(values));
      if (spawnSync(program, template, { env: { ...process.env, ...env } }).status === 0) {
        throw new Error(`the chart accepts ${JSON.stringify(values)}`);
      }
    }
    return `${sets.length} sets of values produce objects that match the Kubernetes schemas, ${refused.length} are rejected`;
  },
};

interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Objects of the Prometheus operator have no schema here, and neither have other charts' values. */
const unknown = ['monitoring.coreos.com/v1'];

const objectsIn = (yaml: string): readonly KubernetesObject[] =>
  (loadAll(yaml) as (KubernetesObject | null)[]).filter((one) => one !== null);

/** Throws with every mistake in the objects: wrong types or formats, and missing or unknown keys. */
async function checkObjects(objects: readonly KubernetesObject[]): Promise<void> {
  const models = installed('kubernetes-models');
  const require = createRequire(join(models, 'package.json'));
  const problems: string[] = [];
  const known = objects.filter(({ apiVersion }) => !unknown.includes(apiVersion));
  for (const object of known) {
    const path = join(models, object.apiVersion, `${object.kind}.js`);
    if (!existsSync(path)) {
      problems.push(`Kubernetes has no ${object.apiVersion} ${object.kind}`);
      continue;
    }
    try {
      new (require(path)[object.kind])(object).validate();
    } catch (error) {
      problems.push(`${object.kind}: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  checkKeys(known, models);
}

/** The schemas allow unknown keys; the TypeScript types reject them in object literals. */
function checkKeys(objects: readonly KubernetesObject[], models: string): void {
  const folder = tempFolder('objects');
  symlinkSync(dirname(models), join(folder, 'node_modules'));
  const code = objects.map(
    (object, at) =>
      `import type { I${object.kind} as Kind${at} } from 'kubernetes-models/${object.apiVersion}/${object.kind}';\n` +
      `export const object${at}: Kind${at} = ${JSON.stringify(object, undefined, 2)};\n`,
  );
  writeFileSync(join(folder, 'objects.ts'), code.join('\n'));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--ignoreConfig'];
  run(join(root, 'node_modules/.bin/tsc'), [...options, join(folder, 'objects.ts')]);
}
