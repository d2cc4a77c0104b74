import { join } from 'node:path';
import { CelEngine, TemplateFile } from '@aws/cloudformation-validate';
import type { Check } from './check.ts';
import { root } from './run.ts';

const file = 'deploy/sam/template.yaml';

export const sam: Check = {
  needs: [],
  run: async () => {
    const { diagnostics } = new CelEngine().validateStandard(new TemplateFile(join(root, file)));
    const wrong = diagnostics.filter(({ severity }) => severity !== 'INFO');
    if (wrong.length > 0) throw new Error(`${file}: ${JSON.stringify(wrong, null, 2)}`);
    return `${file} is valid CloudFormation`;
  },
};
