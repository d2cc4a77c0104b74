/** Kubernetes' own schemas, and what they say of objects. */
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { loadAll } from 'js-yaml';
import { inFolder, root, run } from './run.ts';
import { installed } from './tools.ts';

interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Objects of Prometheus' operator have no schema here, nor have values of other charts. */
const unknown = ['monitoring.coreos.com/v1'];

export const objectsIn = (yaml: string): readonly KubernetesObject[] =>
  (loadAll(yaml) as (KubernetesObject | null)[]).filter((one) => one !== null);

/** Throws with everything that is wrong in objects: of a wrong type or form, missing, or unknown to Kubernetes. */
export async function checkObjects(objects: readonly KubernetesObject[]): Promise<void> {
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
  await checkKeys(known, models);
}

/** The schemas let keys pass that nobody knows; the types that come with them do not, where an object is written out. */
const checkKeys = (objects: readonly KubernetesObject[], models: string): Promise<void> =>
  inFolder((folder) => {
    symlinkSync(dirname(models), join(folder, 'node_modules'));
    const code = objects.map(
      (object, at) =>
        `import type { I${object.kind} as Kind${at} } from 'kubernetes-models/${object.apiVersion}/${object.kind}';\n` +
        `export const object${at}: Kind${at} = ${JSON.stringify(object, undefined, 2)};\n`,
    );
    writeFileSync(join(folder, 'objects.ts'), code.join('\n'));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--ignoreConfig'];
    run(join(root, 'node_modules/.bin/tsc'), [...options, join(folder, 'objects.ts')]);
  });
