/** Projects for function platforms, bundled or called as on the platform. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { read } from './files.ts';
import { variables } from './variables.ts';

const known = variables.map(({ name }) => name as string);
const headers = { 'content-type': 'application/x-www-form-urlencoded' };

describe('Cloudflare', () => {
  const wrangler = JSON.parse(read('deploy/cloudflare/wrangler.jsonc').replaceAll(/^\s*\/\/.*$/gm, ''));
  const config = read('deploy/cloudflare/webform.yaml');

  test('the project has variables that the relay knows, and binds everything that its config names', () => {
    expect(Object.keys(wrangler.vars).filter((name) => !known.includes(name) && !/^AWS_/.test(name))).toEqual(
      [],
    );
    const bound = wrangler.queues.producers.map(({ binding }: { binding: string }) => binding);
    expect(config).toContain(`keep: {in: "queue://${bound.join('/')}"}`);
    const [{ name }] = wrangler.durable_objects.bindings;
    expect(config).toContain(`counted_in: durable-object://${name}`);
  });
});

describe.each([
  [
    'Vercel',
    'deploy/vercel/api/relay.mjs',
    'deploy/vercel',
    (module: Handlers, request: Request) => module.default.fetch(request),
    { 'x-real-ip': '192.0.2.1' },
  ],
  [
    'Netlify',
    'deploy/netlify/netlify/functions/relay.mjs',
    'deploy/netlify',
    (module: Handlers, request: Request) => module.default(request, { ip: '192.0.2.1' }),
    {},
  ],
] as const)('%s', (_, path, folder, call, more) => {
  test('the function answers, with the config next to it', async () => {
    const before = process.cwd();
    process.chdir(folder);
    const module: Handlers = await import(pathToFileURL(resolve(before, path)).href).finally(() =>
      process.chdir(before),
    );
    const ask = (target: string, init?: RequestInit) =>
      call(module, new Request(`https://www.example.com${target}`, init));
    expect((await ask('/healthz')).status).toBe(200);
    expect(await (await ask('/api/v1/form/contact')).text()).toContain('name="message"');
    const sent = { method: 'POST', body: 'name=Ada', headers: { ...headers, ...more } };
    expect((await ask('/api/v1/submit/contact', sent)).status).toBe(422);
  });
});

test('the functions pass only options that the package has', () => {
  const options = '--ignoreConfig --noEmit --allowJs --checkJs --skipLibCheck --noImplicitAny false'.split(
    ' ',
  );
  const kind = '--module nodenext --target es2022 --types node'.split(' ');
  const files = ['deploy/vercel/api/relay.mjs', 'deploy/netlify/netlify/functions/relay.mjs'];
  const { stdout } = spawnSync('node_modules/.bin/tsc', [...options, ...kind, ...files], {
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
});

interface Handlers {
  // biome-ignore lint/suspicious/noExplicitAny: each platform has its own signature.
  readonly default: any;
}

test('each platform routes the relay’s paths to its function, with the config', () => {
  const vercel = JSON.parse(readFileSync('deploy/vercel/vercel.json', 'utf8'));
  expect(vercel.functions['api/relay.mjs'].includeFiles).toBe('webform.yaml');
  expect(vercel.rewrites.map(({ source }: { source: string }) => source)).toEqual([
    '/api/v1/:path*',
    '/f/:form',
    '/:probe(healthz|readyz)',
  ]);
  expect(read('deploy/netlify/netlify/functions/relay.mjs')).toContain(
    "path: ['/api/v1/*', '/f/*', '/healthz', '/readyz']",
  );
  expect(read('deploy/netlify/netlify.toml')).toContain('included_files = ["webform.yaml"]');
});
