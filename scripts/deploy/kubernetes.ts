import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';
import { checkObjects, objectsIn } from './objects.ts';
import { has, inFolder, root, run } from './run.ts';
import { programOf } from './tools.ts';

const components = [[], ['nats'], ['metrics'], ['nats', 'metrics']];

export const kubernetes: Check = {
  needs: [],
  run: () =>
    inFolder(async (folder) => {
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
    }),
};

function uncomment(text: string, line: string): string {
  if (!text.includes(`\n# ${line}\n`)) throw new Error(`kustomization.yaml has no line "# ${line}"`);
  return text.replace(`\n# ${line}\n`, `\n${line}\n`);
}
