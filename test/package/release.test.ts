/** Files shipped with the code, and the release workflow. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { load } from 'js-yaml';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const ofPdfs = [
  ...['@noble/hashes', '@swc/helpers', 'base64-js', 'bidi-js', 'clone', 'dfa', 'fast-deep-equal', 'fontkit'],
  ...['pdfkit', 'png-js', 'restructure', 'unicode-properties', 'unicode-trie'],
];

const onLambda = [
  ...[
    '@remix-run/headers',
    '@remix-run/multipart-parser',
    'js-yaml',
    'libphonenumber-js',
    'structured-headers',
  ],
  ...['nodemailer', ...ofPdfs],
];

test.each([
  [
    'dist/third-party-licences.txt',
    ['@modelcontextprotocol/core', '@modelcontextprotocol/server', 'commander', 'zod', ...onLambda],
  ],
  ['dist/lambda/third-party-licences.txt', onLambda],
  ['dist/late/openid.licences.txt', ['jose', 'oauth4webapi', 'openid-client']],
  ['dist/late/parse5.licences.txt', ['entities', 'parse5']],
])('%s has the licence of each bundled package', (path, names) => {
  const parts = read(path).split(`\n${'-'.repeat(80)}\n\n`);
  // Packages with the same licence text share a section.
  const titles = parts.flatMap((part) =>
    (part.split('\n\n', 1)[0] ?? '').split('\n').map((line) => line.replace(/ \(.*/, '')),
  );
  expect([...new Set(titles.map((title) => title.split(' ')[0]))].toSorted()).toEqual(names.toSorted());
  for (const title of titles) expect(title).toMatch(/ \d+\.\d+\.\d+$/);
  for (const part of parts) expect(part).toMatch(/permission|warranty|redistribution/i);
});

test('the package depends exactly on what its files load', () => {
  const { dependencies } = JSON.parse(read('package.json'));
  const code = readdirSync('dist', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[cm]js$/.test(path) && !/^(app|inbox|late)\/|^lambda\/age/.test(path))
    .map((path) => read(join('dist', path)))
    .join('\n');
  const found = [
    ...code.matchAll(/(?<!-)\bfrom"([^"]+)"|\bimport"([^"]+)"|\b(?:import|require)\(["`]([^"`$]+)["`]\)/g),
  ].map(([, from, effect, called]) => from ?? effect ?? called ?? '');
  // Loaded only on machines without Node's own SQLite, by `createRequire`.
  const required = code.includes('`node-sqlite3-wasm`') ? ['node-sqlite3-wasm'] : [];
  const packages = [...found, ...required]
    .filter((name) => !/^[./#]|^cloudflare:/.test(name) && !isBuiltin(name))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  expect([...new Set(packages)].sort()).toEqual(Object.keys(dependencies).sort());
});

test('the manual lists all exports of the package, and says where its licences are', () => {
  const [upgrading, install] = [read('docs/upgrading.md'), read('docs/install.md')];
  const publicRow = /^.*the exports of .*$/m.exec(upgrading)?.[0];
  const { exports: exported } = JSON.parse(read('package.json')) as { readonly exports: object };
  for (const name of Object.keys(exported).filter((name) => name !== './package.json')) {
    expect(publicRow).toContain(name === '.' ? '`form-relay`' : `\`${name.slice(1)}\``);
    expect(install).toContain(`\`form-relay${name.slice(1)}\``);
  }
  const folders = readdirSync(new URL('../../dist', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((path) => basename(path) === 'third-party-licences.txt')
    .map((path) => dirname(join('dist', path)));
  expect(folders.length).toBeGreaterThan(1);
  for (const folder of folders) expect(upgrading).toContain(`\`${folder}\``);
});

test('the bill of materials lists what runs and what is shown, but no build tools', () => {
  const bill = JSON.parse(
    execFileSync(process.execPath, ['scripts/sbom.mjs'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const names = bill.components.map(({ name }: { name: string }) => name);
  expect(bill.bomFormat).toBe('CycloneDX');
  expect(names).toEqual(expect.arrayContaining(Object.keys(JSON.parse(read('package.json')).dependencies)));
  for (const name of ['@modelcontextprotocol/core', 'zod', 'preact', 'style-mod'])
    expect(names).toContain(name);
  for (const name of ['vitest', '@popperjs/core', 'htmx2', 'htmx4']) expect(names).not.toContain(name);
});

describe('the release workflow', () => {
  interface Job {
    readonly needs?: string | readonly string[];
    readonly if?: string;
    readonly permissions: Readonly<Record<string, string>>;
    readonly steps: readonly { readonly run?: string; readonly uses?: string; readonly with?: object }[];
  }
  const { permissions, jobs } = load(read('.github/workflows/release.yml')) as {
    readonly permissions: object;
    readonly jobs: Readonly<Record<'configured' | 'check' | 'executables' | 'publish', Job>>;
  };

  test('publishes only after all checks, with provenance and without a token', () => {
    expect(jobs.check.steps.at(-1)?.run).toContain('.ci/run');
    expect(jobs.publish.needs).toEqual(['check', 'executables']);
    const publishing = jobs.publish.steps.flatMap(({ run }) => (run?.startsWith('npm publish') ? [run] : []));
    expect(publishing).toEqual([
      `npm publish --dry-run --provenance --access public --tag "$TAG"`,
      `npm publish --provenance --access public --tag "$TAG"`,
    ]);
    expect(read('.github/workflows/release.yml')).not.toMatch(/secrets\.|NODE_AUTH_TOKEN/);
  });

  test.each([
    ['v0.1.0', undefined, 'latest'],
    ['v1.9.5', '2.0.0', 'latest-1'],
    ['v2.0.0-rc.1', '1.9.5', 'next'],
    // npm tags the first version latest, whatever its tag.
    ['v1.0.0', '1.0.0-rc.1', 'latest'],
  ])('publishes %s, if npm has %s, as %s', (tag, latest, expected) => {
    const npmSays = JSON.stringify(latest ?? { error: { code: 'E404' } });
    const { steps } = jobs.publish;
    const chosen = steps.findIndex(({ run }) => run?.includes('npm_tag.mjs'));
    expect(chosen).toBeLessThan(steps.findIndex(({ run }) => run?.startsWith('npm publish')));
    expect(runStep(steps[chosen]?.run, { tag, npmSays })).toEqual({ status: 0, env: `TAG=${expected}\n` });
    expect(steps.at(-1)?.run).toContain(`--latest="\${{ env.TAG == 'latest' }}"`);
  });

  test('publishes nothing if npm does not say which version is the latest', () => {
    const choose = jobs.publish.steps.find(({ run }) => run?.includes('npm_tag.mjs'))?.run;
    for (const npmSays of ['', '{"error":{"code":"E500"}}'])
      expect(runStep(choose, { tag: 'v1.9.5', npmSays })).toEqual({ status: 1, env: '' });
  });

  /** Runs the step as GitHub does, with an npm that answers `npmSays`. */
  function runStep(run = '', { tag, npmSays }: { readonly tag: string; readonly npmSays: string }) {
    const folder = mkdtempSync(join(tmpdir(), 'relay-release-'));
    try {
      const env = join(folder, 'env');
      writeFileSync(env, '');
      writeFileSync(join(folder, 'npm'), '#!/bin/sh\nprintf %s "$NPM_SAYS"\n', { mode: 0o755 });
      const { status } = spawnSync('bash', ['-e', '-c', run], {
        cwd: new URL('../..', import.meta.url),
        env: {
          PATH: [folder, dirname(process.execPath), process.env.PATH].join(delimiter),
          GITHUB_REF_NAME: tag,
          GITHUB_ENV: env,
          NPM_SAYS: npmSays,
        },
      });
      return { status, env: readFileSync(env, 'utf8') };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  test('does nothing until package.json says where the project is', () => {
    expect(jobs.configured.steps.at(-1)?.run).toContain('package.json');
    for (const { needs, if: only } of [jobs.check, jobs.executables])
      expect([needs, only]).toEqual(['configured', "needs.configured.outputs.is == 'true'"]);
  });

  test('has no other permissions', () => {
    expect(permissions).toEqual({});
    expect(jobs.check.permissions).toEqual({ contents: 'read' });
    expect(jobs.executables.permissions).toEqual({ contents: 'read' });
    expect(jobs.publish.permissions).toEqual({
      contents: 'write',
      'id-token': 'write',
      attestations: 'write',
    });
  });

  test('uses only GitHub’s own actions, pinned to commits, and leaves no credentials behind', () => {
    const uses = Object.values(jobs).flatMap(({ steps }) => steps.filter(({ uses }) => uses));
    for (const { uses: name, with: given } of uses) {
      expect(name).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
      if (name?.startsWith('actions/checkout')) expect(given).toEqual({ 'persist-credentials': false });
    }
  });
});
