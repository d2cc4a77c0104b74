import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import type { Check } from './check.ts';
import { checkObjects, objectsIn } from './objects.ts';
import { inFolder, root, run } from './run.ts';
import { programOf } from './tools.ts';

const chart = join(root, 'deploy/helm/form-relay');

/** `sets`: values that people give, and the kinds of object that come of them. */
interface Cases {
  readonly sets: readonly { readonly values: object; readonly kinds: string }[];
  readonly refused: readonly object[];
}

export const helm: Check = {
  needs: [],
  run: () =>
    inFolder(async (folder) => {
      const program = programOf('helm');
      const { sets, refused } = load(readFileSync(join(root, 'scripts/deploy/helm.yaml'), 'utf8')) as Cases;
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
