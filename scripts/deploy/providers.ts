/** Files of hosts whose own tools need an account: each field is one that their documentation has, with a value of its kind. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import type { Check } from './check.ts';
import { root } from './run.ts';

const text = { type: 'string', minLength: 1 };
const count = { type: 'integer', minimum: 1 };
const path = { type: 'string', pattern: '^/' };
const yes = { type: 'boolean' };
const texts = { type: 'array', items: text };
const oneOf = (...values: readonly (string | number | boolean)[]) => ({ enum: values });
const some = (items: object) => ({ type: 'array', items, minItems: 1 });
const withOnly = (properties: Readonly<Record<string, object>>, ...required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** https://render.com/docs/blueprint-spec */
const render = withOnly(
  {
    services: some(
      withOnly(
        {
          type: oneOf('web', 'worker', 'pserv', 'cron'),
          name: text,
          runtime: oneOf('docker', 'image', 'node'),
          dockerfilePath: text,
          dockerContext: text,
          region: oneOf('oregon', 'ohio', 'virginia', 'frankfurt', 'singapore'),
          plan: oneOf('free', 'starter', 'standard', 'pro', 'pro plus', 'pro max', 'pro ultra'),
          numInstances: count,
          healthCheckPath: path,
          maxShutdownDelaySeconds: { ...count, maximum: 300 },
          envVars: some({
            oneOf: [
              withOnly({ key: text, value: text }, 'key', 'value'),
              withOnly({ key: text, generateValue: oneOf(true) }, 'key', 'generateValue'),
              withOnly({ key: text, sync: oneOf(false) }, 'key', 'sync'),
            ],
          }),
          disk: withOnly({ name: text, mountPath: path, sizeGB: count }, 'name', 'mountPath'),
        },
        ...['type', 'name', 'runtime'],
      ),
    ),
  },
  'services',
);

/** https://docs.railway.com/config-as-code/reference */
const railway = withOnly({
  $schema: oneOf('https://railway.com/railway.schema.json'),
  build: withOnly(
    {
      builder: oneOf('RAILPACK', 'DOCKERFILE'),
      dockerfilePath: text,
      buildCommand: text,
      watchPatterns: texts,
    },
    'builder',
  ),
  deploy: withOnly({
    numReplicas: count,
    startCommand: text,
    healthcheckPath: path,
    healthcheckTimeout: count,
    restartPolicyType: oneOf('ALWAYS', 'ON_FAILURE', 'NEVER'),
    restartPolicyMaxRetries: count,
    drainingSeconds: count,
    overlapSeconds: count,
  }),
});

/** https://fly.io/docs/reference/configuration/ */
const fly = withOnly(
  {
    app: text,
    primary_region: { type: 'string', pattern: '^[a-z]{3}$' },
    kill_signal: oneOf('SIGTERM', 'SIGINT', 'SIGQUIT'),
    kill_timeout: { type: 'string', pattern: '^\\d+s$' },
    build: withOnly({ dockerfile: text, image: text }),
    env: { type: 'object', additionalProperties: { type: 'string' } },
    mounts: some(withOnly({ source: text, destination: path, initial_size: text }, 'source', 'destination')),
    files: some(withOnly({ guest_path: path, local_path: text }, 'guest_path')),
    http_service: withOnly(
      {
        internal_port: count,
        force_https: yes,
        auto_stop_machines: oneOf('off', 'stop', 'suspend'),
        min_machines_running: { type: 'integer', minimum: 0 },
        concurrency: withOnly({
          type: oneOf('connections', 'requests'),
          soft_limit: count,
          hard_limit: count,
        }),
        checks: some(withOnly({ method: text, path, grace_period: text, interval: text, timeout: text })),
      },
      'internal_port',
    ),
    vm: some(withOnly({ cpu_kind: oneOf('shared', 'performance'), cpus: count, memory: text })),
  },
  'app',
);

/** https://docs.cloud.google.com/run/docs/reference/yaml/v1 */
const cloudRun = withOnly(
  {
    apiVersion: oneOf('serving.knative.dev/v1'),
    kind: oneOf('Service'),
    metadata: withOnly({ name: text, annotations: { type: 'object' } }, 'name'),
    spec: withOnly({
      template: withOnly({
        metadata: withOnly({ annotations: { type: 'object', additionalProperties: { type: 'string' } } }),
        spec: withOnly(
          {
            serviceAccountName: text,
            containerConcurrency: count,
            timeoutSeconds: { ...count, maximum: 3_600 },
            containers: some(
              withOnly(
                {
                  image: text,
                  ports: some(withOnly({ containerPort: count, name: text })),
                  env: some(withOnly({ name: text, value: text, valueFrom: { type: 'object' } }, 'name')),
                  volumeMounts: some(withOnly({ name: text, mountPath: path }, 'name', 'mountPath')),
                  resources: withOnly({ limits: withOnly({ cpu: text, memory: text }) }),
                  startupProbe: { type: 'object' },
                  livenessProbe: { type: 'object' },
                  readinessProbe: { type: 'object' },
                },
                'image',
              ),
            ),
            volumes: some(withOnly({ name: text, secret: { type: 'object' } }, 'name')),
          },
          'containers',
        ),
      }),
    }),
  },
  ...['apiVersion', 'kind', 'metadata', 'spec'],
);

/** https://developers.cloudflare.com/workers/wrangler/configuration/ */
const binding = (...names: readonly string[]) =>
  withOnly(Object.fromEntries(names.map((name) => [name, text])), ...names);
const wrangler = withOnly(
  {
    name: { type: 'string', pattern: '^[a-z0-9-]{1,63}$' },
    main: text,
    compatibility_date: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
    compatibility_flags: texts,
    minify: yes,
    rules: some(
      withOnly({ type: oneOf('ESModule', 'Text', 'Data'), globs: texts, fallthrough: yes }, 'type', 'globs'),
    ),
    vars: { type: 'object', additionalProperties: { type: 'string' } },
    queues: withOnly({
      producers: some(binding('binding', 'queue')),
      consumers: some(
        withOnly(
          {
            queue: text,
            max_batch_size: { ...count, maximum: 100 },
            max_batch_timeout: { ...count, maximum: 60 },
            max_retries: { ...count, maximum: 100 },
            dead_letter_queue: text,
          },
          'queue',
        ),
      ),
    }),
    durable_objects: withOnly({ bindings: some(binding('name', 'class_name')) }),
    migrations: some(withOnly({ tag: text, new_sqlite_classes: texts }, 'tag')),
    observability: withOnly({ enabled: yes }),
  },
  ...['name', 'main', 'compatibility_date'],
);

/** https://developers.cloudflare.com/workers/platform/deploy-buttons/ */
const project = withOnly(
  {
    name: text,
    private: oneOf(true),
    type: oneOf('module'),
    scripts: { type: 'object', required: ['deploy'], additionalProperties: text },
    dependencies: { type: 'object', required: ['form-relay'], additionalProperties: text },
    devDependencies: { type: 'object', required: ['wrangler'], additionalProperties: text },
    cloudflare: withOnly(
      { bindings: { type: 'object', additionalProperties: binding('description') } },
      'bindings',
    ),
  },
  ...['name', 'scripts', 'dependencies'],
);

/** https://vercel.com/docs/project-configuration */
const vercel = withOnly({
  $schema: oneOf('https://openapi.vercel.sh/vercel.json'),
  functions: {
    type: 'object',
    additionalProperties: withOnly({ includeFiles: text, maxDuration: count, memory: count }),
  },
  rewrites: some(binding('source', 'destination')),
});

/** https://docs.netlify.com/build/configure-builds/file-based-configuration/ */
const netlify = withOnly({
  functions: withOnly({
    included_files: texts,
    external_node_modules: texts,
    directory: text,
    node_bundler: text,
  }),
});

const files: Readonly<Record<string, object>> = {
  'render/render.yaml': render,
  'railway/railway.json': railway,
  'fly/fly.toml': fly,
  'cloud-run/service.yaml': cloudRun,
  'cloudflare/wrangler.jsonc': wrangler,
  'cloudflare/package.json': project,
  'vercel/vercel.json': vercel,
  'netlify/netlify.toml': netlify,
};

export const providers: Check = {
  needs: [],
  run: async () => {
    const ajv = new Ajv({ allErrors: true, strictRequired: false, strictTypes: false });
    for (const [file, schema] of Object.entries(files)) {
      const validate = ajv.compile(schema);
      if (!validate(read(file)))
        throw new Error(`deploy/${file}: ${ajv.errorsText(validate.errors, { separator: '\n' })}`);
    }
    return `${Object.keys(files).join(', ')} have only fields that their hosts document`;
  },
};

function read(file: string): unknown {
  const source = readFileSync(join(root, 'deploy', file), 'utf8');
  if (file.endsWith('.toml')) return fromToml(source);
  // YAML reads JSON, once comments are gone.
  return load(file.endsWith('.jsonc') ? source.replaceAll(/^\s*\/\/.*$/gm, '') : source);
}

/** As much of TOML as these files have: tables, lists of tables, and values on one line, which YAML reads. */
function fromToml(source: string): object {
  type Table = Record<string, unknown>;
  const whole: Table = {};
  let table = whole;
  for (const line of source.split('\n')) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, list, name] = /^\[(\[)?([\w.]+)\]{1,2}$/.exec(line) ?? [];
    if (name !== undefined) {
      const names = name.split('.');
      const last = names.pop() as string;
      const parent = names.reduce((at, key) => at[key] as Table, whole);
      table = {};
      if (list) parent[last] = [...((parent[last] as Table[] | undefined) ?? []), table];
      else parent[last] = table;
      continue;
    }
    const [, key, value = ''] = /^(\w+) = (.*)$/.exec(line) ?? [];
    if (key === undefined) throw new Error(`a line of TOML that this cannot read: ${line}`);
    table[key] = load(value);
  }
  return whole;
}
