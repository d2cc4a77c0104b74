/** Files of hosts whose own tools need an account: each field is one that their documentation has, with a value of its kind. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { parse as parseToml } from 'smol-toml';
import type { Check } from './check.ts';
import { root } from './run.ts';

interface Schemas {
  readonly files: Readonly<Record<string, object>>;
}

export const providers: Check = {
  needs: [],
  run: async () => {
    const { files } = load(readFileSync(join(root, 'scripts/deploy/providers.yaml'), 'utf8')) as Schemas;
    const ajv = new Ajv({ allErrors: true, strictRequired: false, strictTypes: false });
    for (const [file, schema] of Object.entries(files)) {
      const validate = ajv.compile(closed(schema) as object);
      if (!validate(read(file)))
        throw new Error(`deploy/${file}: ${ajv.errorsText(validate.errors, { separator: '\n' })}`);
    }
    return `${Object.keys(files).join(', ')} have only fields that their hosts document`;
  },
};

/** A map with `properties` has no other keys. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== 'object') return schema;
  const all = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in all ? { type: 'object', additionalProperties: false, ...all } : all;
}

function read(file: string): unknown {
  const source = readFileSync(join(root, 'deploy', file), 'utf8');
  if (file.endsWith('.toml')) return parseToml(source);
  // YAML reads JSON, once comments are gone.
  return load(file.endsWith('.jsonc') ? source.replaceAll(/^\s*\/\/.*$/gm, '') : source);
}
